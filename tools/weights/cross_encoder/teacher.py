"""The labels of a teacher for the pairs of a training.

The teacher is a cross-encoder of another profile: ``sas``, which reads each pair in both orders, or ``sas-answers``,
which reads the gold answer first, once. The student learns the mean of its score and of the label that a pair has.
Pairs without a label have the score of the teacher only. The teacher scores a pair with a question twice, with the
question and without. If the student reads the question, it learns the score with the question. Otherwise, it learns the
mean of both scores, which includes information from the question.

Source: Augmented SBERT (Thakur et al. 2021, section 3.1); the mean of both labels is knowledge distillation (Hinton et
al. 2015, section 2); a teacher that reads more than its student is generalized distillation (Lopez-Paz et al. 2016).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.metrics.catalog import lookup
from answersim.training.cross_encoder.inputs import Pool
from answersim.training.data import teacher_labels
from answersim.training.data.pairs import TrainingPair
from answersim.types import Metric, Pair
from tools.weights.cross_encoder.recipe import MixtureRecipe


def teacher(recipe: MixtureRecipe) -> Metric:
    """Return the teacher of this recipe, built in its profile.

    Raise LookupError if the profile has no such metric. Raise MissingExtraError, CheckpointNotFoundError or
    ChecksumError if it cannot be built here.
    """
    options = {"order": "mean"} if recipe.teacher_metric == "sas" else {}
    return lookup.metric(recipe.teacher_metric, profile=recipe.teacher, device=recipe.precision, **options)


def labeled(pools: Mapping[str, Pool], recipe: MixtureRecipe, cache: Path, metric: Metric) -> dict[str, Pool]:
    """Return the pools with the labels that the student learns."""
    pairs = [pair for pool in pools.values() for pair in pool.pairs]
    without = _scores(pairs, [""] * len(pairs), metric, cache)
    scores = np.stack([without, without])  # (2, n): read without and with the question
    if recipe.questions > 0:
        scores[1] = _scores(pairs, [pair.question for pair in pairs], metric, cache)
        scores[0] = scores.mean(axis=0)
    known = np.array([np.nan if pair.label is None else pair.label for pair in pairs])  # (n,)
    share = recipe.teacher_share
    labels = np.where(np.isnan(known), scores, share * scores + (1 - share) * np.nan_to_num(known))
    ends = np.cumsum([len(pool.pairs) for pool in pools.values()])[:-1]
    return {
        name: pool._replace(labels=part)
        for (name, pool), part in zip(pools.items(), np.split(labels, ends, axis=1), strict=True)
    }


def _scores(pairs: Sequence[TrainingPair], questions: Sequence[str], metric: Metric, cache: Path) -> FloatArray:
    """Return the scores of the teacher from 0 to 1, shape (n,); a question that is "" is not read."""
    asked = [(Pair(pair.first, pair.second), question) for pair, question in zip(pairs, questions, strict=True)]
    unique = list(dict.fromkeys(asked))
    by_length = sorted(unique, key=lambda row: sum(map(len, row[0])) + len(row[1]))  # equal lengths run together
    read = [question for _, question in by_length] if any(questions) else None
    scores, _ = teacher_labels.teacher_scores([pair for pair, _ in by_length], read, cache, metric)
    of_row = dict(zip(by_length, np.clip(scores, 0, 1).tolist(), strict=True))
    return np.array([of_row[row] for row in asked])
