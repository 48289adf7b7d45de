"""Soft pairwise accuracy: does a metric order systems as annotators do, with the same certainty?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from answersim.evaluation.agreement.coefficients.binary import FEWEST, grouped, scored_columns
from answersim.evaluation.agreement.judgments import SYSTEM, Judgments
from answersim.stats.coefficients.soft_pairwise import exchanges, soft_pairwise_accuracy
from answersim.stats.intervals.cluster_bootstrap import numbered
from answersim.stats.intervals.resampling import generator

PERMUTATIONS = 1000


class SystemOrderRow(NamedTuple):
    """How one column orders systems by their mean scores."""

    subset: str  # the name of the subset
    column: str  # the metric or the baseline
    kind: str  # "metric" or "baseline"
    systems: int  # the number of systems
    questions: int  # the questions that all systems answered once
    accuracy: float  # the soft pairwise accuracy: 1 if the column is as certain of each order as the labels are


def system_order_rows(judgments: Judgments, subset: str, *, seed: int) -> Iterator[SystemOrderRow]:
    """Yield the soft pairwise accuracy over a subset, if a column "system" names at least two systems.

    Only questions that each system answered once count. Nothing is yielded for fewer than 10 of them.

    Source: Thompson et al. 2024. See ``answersim.stats.coefficients.soft_pairwise``.
    """
    names = judgments.columns.get(SYSTEM)
    if names is None or judgments.questions is None:
        return
    systems, questions = numbered([str(name) for name in names]), grouped(judgments)
    n_systems = int(systems.max(initial=-1)) + 1
    times = np.zeros((int(questions.max(initial=-1)) + 1, n_systems), dtype=np.int64)
    np.add.at(times, (questions, systems), 1)
    complete = np.flatnonzero((times == 1).all(axis=1))
    if n_systems < 2 or len(complete) < FEWEST:
        return
    row_of = np.empty(times.shape, dtype=np.int64)
    row_of[questions, systems] = np.arange(len(judgments))
    rows = row_of[complete].T  # (systems, questions)
    scored = scored_columns(judgments)
    signs = exchanges(PERMUTATIONS, len(complete), generator(seed, subset, "soft pairwise accuracy"))
    accuracies = soft_pairwise_accuracy(
        judgments.labels[rows], np.stack([scores[rows] for _, _, scores in scored]), signs
    )
    for (name, kind, _), accuracy in zip(scored, accuracies.tolist(), strict=True):
        yield SystemOrderRow(subset, name, kind, n_systems, len(complete), accuracy)
