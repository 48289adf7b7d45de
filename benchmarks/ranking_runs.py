"""Runs of trained systems, kept beside their trainings: a page is made again without ranking again."""

from __future__ import annotations

import json
import time
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from answersim import checkpoints
from answersim.files import replacing
from rankers import runs
from rankers.types import Questions, Ranker, Run


def ranked(ranker: Ranker, questions: Questions, system: str, kept: Path, *, reuse: bool = True) -> tuple[Run, float]:
    """What a ranker says of these questions, and the seconds that it took when it said so.

    Args:
        ranker: Its signature must tell everything that decides its scores.
        questions: What it reads.
        system: What the run is called.
        kept: The TREC file; what it was made of is kept beside it as JSON.
        reuse: Whether the file will do where it holds the same ranker's scores of the same texts, whole and unchanged,
            by the same version of this package.
    """
    story, facts = kept.with_suffix(".json"), _facts(ranker, questions)
    if reuse and (found := _kept(kept, story, facts)) is not None:
        scores = runs.read_trec(kept).scores
        return Run(system, {each.id: scores.get(each.id, {}) for each in questions}, ranker.signature), found["seconds"]
    started = time.perf_counter()
    run = runs.run(ranker, questions, system)
    spent = time.perf_counter() - started
    kept.parent.mkdir(parents=True, exist_ok=True)
    runs.write_trec(run, kept)
    with replacing(story) as draft:
        facts |= {"sha256": checkpoints.sha256(kept), "seconds": spent}
        draft.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return run, spent


def _kept(kept: Path, story: Path, facts: dict[str, Any]) -> dict[str, Any] | None:
    """The story of the file at ``kept``, if it is whole and of these facts."""
    if not kept.is_file() or not story.is_file():
        return None
    try:
        found = json.loads(story.read_text(encoding="utf-8"))
    except ValueError:
        return None
    if not isinstance(found, dict) or not isinstance(found.get("seconds"), float):
        return None
    same = all(found.get(name) == value for name, value in facts.items())
    return found if same and found.get("sha256") == checkpoints.sha256(kept) else None


def _facts(ranker: Ranker, questions: Questions) -> dict[str, Any]:
    digest = sha256()
    for each in questions:
        candidates = [(candidate.id, candidate.text) for candidate in each.candidates]
        digest.update(json.dumps([each.id, each.text, candidates]).encode())
    return {"signature": ranker.signature, "questions": digest.hexdigest(), "version": version("answersim")}
