"""Labels of a teacher: the scores of a slow metric for pairs without a human label, stored in a score cache.

Source: Augmented SBERT (Thakur et al. 2021, section 3.1); Mustafazade & Ebbinghaus 2022, section 3.2.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from answersim import planning
from answersim.catalog import lookup
from answersim.runtime import progress
from answersim.scoring import cache as scores_on_disk
from answersim.scoring.cache import ScoreCache
from answersim.training.data.pairs import TrainingPair
from answersim.types import FloatArray, Metric, Pair

# folders of the cache within the output folder; the second is that of version 0.2
FOLDER, OLD_FOLDER = "teacher-labels", "silver"


class TeacherLabels(NamedTuple):
    """Pairs that all have a label.

    Attributes:
        pairs: In the order given. Those that the teacher labeled have the source ``teacher:<name>``.
        labeled: How many got their label from the teacher.
        computed: How many different pairs the teacher scored now; the others were in the cache.
        clipped: How many scores of the teacher were outside 0 to 1 and were clipped.
        signature: The signature of the teacher; empty if all pairs had a label.
    """

    pairs: list[TrainingPair]
    labeled: int
    computed: int
    clipped: int
    signature: str


def default_folder(output: Path) -> Path:
    """Return the folder of the cache within an output folder, also if version 0.2 made it."""
    old = output / OLD_FOLDER
    return old if old.is_dir() else output / FOLDER


def label(
    pairs: Sequence[TrainingPair], cache: Path, teacher: str | Metric = "sas", *, chunk: int = 1024
) -> TeacherLabels:
    """Return the same pairs, with the score of a teacher as the label of those that have none.

    The scores of a chunk are kept in the cache before the next chunk is scored, so a killed process loses at most one
    chunk. The cache looks scores up by the signature of the teacher, so two teachers never mix. Scores that version 0.2
    kept in a file of this folder are read from it.

    Args:
        pairs: Labeled or not; an existing label stays. The first text is the gold answer.
        cache: The folder of an ``answersim.scoring.cache.ScoreCache``; it need not exist.
        teacher: A metric, or the name of one. Scores are used as labels unchanged, but clipped to 0 to 1: a cosine
            below 0 becomes 0. The question of a pair is not read.
        chunk: How many pairs are scored between two writes.

    Raises:
        LookupError, MissingExtraError, ...: If there is no such teacher, or it cannot be built here. It is raised
            before any work.
        ValueError: If ``chunk`` is below 1, or a score is not finite. The message names the pair.
    """
    if chunk < 1:
        raise ValueError(f"chunk is {chunk}, but it must be at least 1 pair")
    unlabeled = list(dict.fromkeys(Pair(pair.first, pair.second) for pair in pairs if pair.label is None))
    if not unlabeled:
        return TeacherLabels(list(pairs), 0, 0, 0, "")
    metric = lookup.metric(teacher) if isinstance(teacher, str) else teacher
    name = teacher if isinstance(teacher, str) else metric.signature.split("|", 1)[0]
    scores, computed = teacher_scores(unlabeled, None, cache, metric, chunk=chunk, known=_old_labels)
    by_pair = dict(zip(unlabeled, scores.tolist(), strict=True))
    clipped = int(((scores < 0) | (scores > 1)).sum())
    labeled = [_labeled(pair, by_pair, name) for pair in pairs]
    n_labeled = sum(pair.label is None for pair in pairs)
    return TeacherLabels(labeled, n_labeled, computed, clipped, metric.signature)


def teacher_scores(
    pairs: Sequence[Pair],
    questions: Sequence[str] | None,
    cache: Path,
    metric: Metric,
    *,
    chunk: int = 1024,
    known: Callable[[Sequence[Pair], Path, str], Mapping[int, float]] = lambda pairs, cache, signature: {},
) -> tuple[FloatArray, int]:
    """Return the scores of a teacher, unchanged, shape (n,), and how many of them were computed now.

    The scores of a chunk are kept in the cache before the next chunk is scored.

    Args:
        pairs: Each once.
        questions: One per pair, "" for none; None if the teacher reads no questions.
        cache: The folder of an ``answersim.scoring.cache.ScoreCache``; it need not exist.
        metric: The teacher.
        chunk: How many pairs are scored between two writes.
        known: Returns scores by position that were stored in another format.

    Raises:
        ValueError: If a score is not finite. The message names the pair.
    """
    asked = list(questions) if questions is not None else [""] * len(pairs)
    keys = [scores_on_disk.key(pair, question) for pair, question in zip(pairs, asked, strict=True)]
    store, name = ScoreCache(cache), metric.signature.split("|", 1)[0]
    scores = store.get(metric.signature, keys)  # (n,), nan if missing
    for i, score in known(pairs, cache, metric.signature).items():
        if np.isnan(scores[i]):
            scores[i] = score
    missing = np.flatnonzero(np.isnan(scores))
    with progress.bar(len(pairs), f"labels by {name}", "pair") as bar:
        bar.update(len(pairs) - len(missing))
        for start in range(0, len(missing), chunk):
            rows = missing[start : start + chunk].tolist()
            read = None if questions is None else [asked[i] for i in rows]
            scores[rows] = _scored(metric, [pairs[i] for i in rows], read)
            store.put({metric.signature: ([keys[i] for i in rows], scores[rows])})
            bar.update(len(rows))
    return scores, len(missing)


def old_file(folder: Path, signature: str) -> Path:
    """Return the file in which version 0.2 kept the scores of the teacher with this signature."""
    name = re.sub(r"\W+", "-", signature.split("|", 1)[0])
    return folder / f"{name}-{hashlib.sha256(signature.encode()).hexdigest()[:12]}.jsonl"


def _old_labels(pairs: Sequence[Pair], folder: Path, signature: str) -> dict[int, float]:
    """Return, by position, the scores in a file of version 0.2, and warn about a damaged end.

    The file is in JSON lines: the signature, then one [gold, pred, score] per line.
    """
    path = old_file(folder, signature)
    if not path.is_file():
        return {}
    lines = path.read_bytes().splitlines(keepends=True)
    old: dict[Pair, float] = {}
    if lines and _parsed(lines[0]) == signature:
        for line in lines[1:]:
            row = _parsed(line)
            if not isinstance(row, tuple):  # a process was killed while it wrote, or the file was damaged
                break
            old[row[0]] = row[1]
    if len(old) != len(lines) - 1 or _parsed(lines[0]) != signature:
        warnings.warn(f"{path} is damaged after {len(old):,} scores; the other pairs are scored again", stacklevel=4)
    return {i: old[pair] for i, pair in enumerate(pairs) if pair in old}


def _scored(metric: Metric, pairs: Sequence[Pair], questions: Sequence[str] | None) -> FloatArray:
    with progress.progress(False):  # the bar of all labels is shown already
        scores = planning.score_all([metric], pairs, questions)[0] if questions else metric(pairs)
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape != (len(pairs),):
        raise ValueError(
            f"{metric.signature} returned an array of shape {scores.shape} for {len(pairs)} pairs; it must return one "
            "number per pair"
        )
    if not np.isfinite(scores).all():
        first = int(np.argmin(np.isfinite(scores)))
        raise ValueError(
            f"{metric.signature} gives {tuple(pairs[first])} the score {scores[first]}, which is not a label"
        )
    return scores


def _labeled(pair: TrainingPair, scores: dict[Pair, float], teacher: str) -> TrainingPair:
    if pair.label is not None:
        return pair
    score = scores[Pair(pair.first, pair.second)]
    return pair._replace(label=min(max(score, 0.0), 1.0), source=f"teacher:{teacher}")


def _parsed(line: bytes) -> str | tuple[Pair, float] | None:
    """Return a signature, or a pair with its score; None for anything else, such as half a line."""
    try:
        row = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    if isinstance(row, str):
        return row
    if not isinstance(row, list) or [type(cell) for cell in row] != [str, str, float] or not math.isfinite(row[2]):
        return None
    return Pair(row[0], row[1]), row[2]
