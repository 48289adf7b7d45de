"""Labels of a teacher: the scores of a slow metric for pairs without a human label, stored in a score cache.

Source: Augmented SBERT (Thakur et al. 2021, section 3.1); Mustafazade & Ebbinghaus 2022, section 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.metrics.catalog import lookup
from answersim.scoring.cache import ScoreCache, key, score_all
from answersim.training.data.pairs import TrainingPair
from answersim.types import Metric, Pair

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


def label(pairs: Sequence[TrainingPair], cache: Path, teacher: str | Metric = "sas") -> TeacherLabels:
    """Return the same pairs, with the score of a teacher as the label of those that have none.

    The cache looks scores up by the signature of the teacher, so two teachers never mix. A killed process loses the
    scores of 1,024 pairs at most.

    Args:
        pairs: Labeled or not; an existing label stays. The first text is the gold answer.
        cache: The folder of an ``answersim.scoring.cache.ScoreCache``; it need not exist.
        teacher: A metric, or the name of one. Scores are used as labels unchanged, but clipped to 0 to 1: a cosine
            below 0 becomes 0. The question of a pair is not read.

    Raises:
        LookupError, MissingExtraError, ...: If there is no such teacher, or it cannot be built here. It is raised
            before any work.
        NonFiniteScoreError: If a score is not finite. The message names the pair.
    """
    unlabeled = list(dict.fromkeys(Pair(pair.first, pair.second) for pair in pairs if pair.label is None))
    if not unlabeled:
        return TeacherLabels(list(pairs), 0, 0, 0, "")
    metric = lookup.metric(teacher) if isinstance(teacher, str) else teacher
    name = teacher if isinstance(teacher, str) else metric.signature.split("|", 1)[0]
    scores, computed = teacher_scores(unlabeled, None, cache, metric)
    by_pair = dict(zip(unlabeled, scores.tolist(), strict=True))
    clipped = int(((scores < 0) | (scores > 1)).sum())
    labeled = [_labeled(pair, by_pair, name) for pair in pairs]
    n_labeled = sum(pair.label is None for pair in pairs)
    return TeacherLabels(labeled, n_labeled, computed, clipped, metric.signature)


def teacher_scores(
    pairs: Sequence[Pair], questions: Sequence[str] | None, cache: Path, metric: Metric
) -> tuple[FloatArray, int]:
    """Return the scores of a teacher, unchanged, shape (n,), and how many of them were computed now.

    ``questions``: one per pair, "" for none; None if the teacher reads no questions. ``cache``: the folder of an
    ``answersim.scoring.cache.ScoreCache``; it need not exist. Raise NonFiniteScoreError if a score is not finite.
    """
    asked_questions = list(questions) if questions is not None else [""] * len(pairs)
    keys = [key(pair, question) for pair, question in zip(pairs, asked_questions, strict=True)]
    computed = int(np.isnan(ScoreCache(cache).get(metric.signature, keys)).sum())
    return score_all([metric], pairs, questions, ScoreCache(cache))[0], computed


def _labeled(pair: TrainingPair, scores: dict[Pair, float], teacher: str) -> TrainingPair:
    if pair.label is not None:
        return pair
    score = scores[Pair(pair.first, pair.second)]
    return pair._replace(label=min(max(score, 0.0), 1.0), source=f"teacher:{teacher}")
