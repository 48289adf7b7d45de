"""What trained systems said, kept for good and small: a page is made again by whoever has no trainings, and grows.

A file a system, seed and split, about 5 kB for 2,000 candidates: the place of every candidate in its question's order
(equal scores share one), which is all that measures and first choices are made of, and the facts of the training. What
has other facts than those that are asked for is never taken for it, and never written over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.files import replacing
from rankers.serialization import as_of_today
from rankers.types import Question, Questions, Run

FORMAT = 1


class Kept(NamedTuple):
    """What a trained system said of a split, and what it cost.

    Attributes:
        run: Its scores have the order of those it gave, and no other meaning.
        parameters: Of the network that ranks.
        training: Seconds.
        scoring: Seconds.
        made_on: The machine's line.
    """

    run: Run
    parameters: int
    training: float
    scoring: float
    made_on: str


def write(path: Path, kept: Kept, questions: Questions, facts: Mapping[str, Any]) -> None:
    """Keep this; it appears whole or not at all, and the same is the same file to the last byte.

    Args:
        path: Ends in ``.npz``.
        kept: Its run has all candidates of the questions.
        questions: What was read.
        facts: All that decides what was said; see ``rankers.fitting.fitting.facts``.
    """
    story = {
        "format": FORMAT,
        "facts": facts,
        "questions": _fingerprint(questions),
        "system": kept.run.name,
        "signature": kept.run.signature,
        "parameters": kept.parameters,
        "training_s": round(kept.training, 2),
        "scoring_s": round(kept.scoring, 2),
        "made_on": kept.made_on,
    }
    places = [_places([kept.run.scores[each.id][one] for one in _ids(each)]) for each in _in_order(questions)]
    joined = np.concatenate([*places, np.empty(0, dtype=np.int64)])
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft, draft.open("wb") as file:
        np.savez_compressed(
            file,
            places=joined.astype(np.min_scalar_type(int(joined.max(initial=0)))),
            story=np.frombuffer(json.dumps(story, sort_keys=True).encode(), dtype=np.uint8),
        )


def read(path: Path, questions: Questions, facts: Mapping[str, Any]) -> Kept | None:
    """What is kept at this path, of these questions and facts; None where there is nothing.

    Raises:
        ValueError: The file is damaged, of a later format, or of other settings or questions.
    """
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
            story, places = json.loads(found["story"].tobytes()), found["places"]
    except Exception as error:  # zipfile, zlib, numpy and json all have their own
        raise ValueError(f"{path} is damaged ({error}): remove it, or fetch it again") from error
    if story["format"] != FORMAT:
        raise ValueError(f"{path} is of format {story['format']}, this reads {FORMAT}: update answersim, or remove it")
    told = as_of_today(story["facts"], facts)
    if other := [f"{name} {part}" if part else name for name, part in _unlike(told, facts)]:
        raise ValueError(f"{path} is a run of other settings ({', '.join(other)}): give another archive, or remove it")
    if story["questions"] != _fingerprint(questions):
        raise ValueError(f"{path} is a run on other questions or candidates: give another archive, or remove it")
    scores: dict[str, dict[str, float]] = {}
    start = 0
    for each in _in_order(questions):
        own = places[start : start + len(each.candidates)]
        scores[each.id] = dict(zip(_ids(each), (-own.astype(np.float64)).tolist(), strict=True))
        start += len(own)
    scores = {each.id: {one.id: scores[each.id][one.id] for one in each.candidates} for each in questions}
    run = Run(story["system"], scores, story["signature"])
    return Kept(run, story["parameters"], story["training_s"], story["scoring_s"], story["made_on"])


def _unlike(told: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The facts that are not the same: those of a training by its name and theirs."""
    for name in sorted({*told, *asked}):
        one, other = told.get(name), asked.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            for part in sorted({*one, *other}):
                if one.get(part) != other.get(part):
                    yield name, part
        elif one != other:
            yield name, ""


def _in_order(questions: Questions) -> Iterator[Question]:
    """The questions by id: no order at loading decides what a file means."""
    return iter(sorted(questions, key=lambda each: each.id))


def _ids(question: Question) -> list[str]:
    return sorted(each.id for each in question.candidates)


def _places(scores: list[float]) -> NDArray[np.int64]:
    """How many better scores there are than each, equal ones counted once: 0 for the best, (candidates,)."""
    if not scores:
        return np.empty(0, dtype=np.int64)
    return np.unique(-np.array(scores), return_inverse=True)[1].astype(np.int64)


def _fingerprint(questions: Questions) -> str:
    """A hash of ids and texts as they are read, whatever their order; grades may be judged anew."""
    digest = sha256()
    for each in _in_order(questions):
        candidates = sorted((candidate.id, candidate.text) for candidate in each.candidates)
        digest.update(json.dumps([each.id, each.text, candidates]).encode())
    return digest.hexdigest()[:16]
