"""Labels of a teacher: the scores of a slow metric for pairs without a human label, stored in a score cache.

Source: Augmented SBERT (Thakur et al. 2021, section 3.1); Mustafazade & Ebbinghaus 2022, section 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
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

FOLDER = "teacher-labels"  # of the cache, within the output folder


class TeacherLabels(NamedTuple):
    """Pairs that all have a label."""

    pairs: list[TrainingPair]  # in the order given. Those that the teacher labeled have the source ``teacher:<name>``.
    labeled: int  # how many got their label from the teacher
    computed: int  # how many different pairs the teacher scored now; the others were in the cache
    clipped: int  # how many scores of the teacher were outside 0 to 1 and were clipped
    signature: str  # the signature of the teacher; empty if all pairs had a label


def default_folder(output: Path) -> Path:
    """Return the folder of the cache within an output folder."""
    return output / FOLDER


def label(
    pairs: Sequence[TrainingPair], cache: Path, teacher: str | Metric = "sas", *, chunk: int = 1024
) -> TeacherLabels:
    """Return the same pairs, with the score of a teacher as the label of those that have none.

    The scores of a chunk are kept in the cache before the next chunk is scored, so a killed process loses at most one
    chunk. The cache looks scores up by the signature of the teacher, so two teachers never mix.

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
    scores, computed = teacher_scores(unlabeled, None, cache, metric, chunk=chunk)
    by_pair = dict(zip(unlabeled, scores.tolist(), strict=True))
    clipped = int(((scores < 0) | (scores > 1)).sum())
    labeled = [_labeled(pair, by_pair, name) for pair in pairs]
    n_labeled = sum(pair.label is None for pair in pairs)
    return TeacherLabels(labeled, n_labeled, computed, clipped, metric.signature)


def teacher_scores(
    pairs: Sequence[Pair], questions: Sequence[str] | None, cache: Path, metric: Metric, *, chunk: int = 1024
) -> tuple[FloatArray, int]:
    """Return the scores of a teacher, unchanged, shape (n,), and how many of them were computed now.

    The scores of a chunk are kept in the cache before the next chunk is scored. ``questions``: one per pair, "" for
    none; None if the teacher reads no questions. ``cache``: the folder of an ``answersim.scoring.cache.ScoreCache``; it
    need not exist. Raise ValueError if a score is not finite.
    """
    asked = list(questions) if questions is not None else [""] * len(pairs)
    keys = [scores_on_disk.key(pair, question) for pair, question in zip(pairs, asked, strict=True)]
    store, name = ScoreCache(cache), metric.signature.split("|", 1)[0]
    scores = store.get(metric.signature, keys)  # (n,), nan if missing
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
