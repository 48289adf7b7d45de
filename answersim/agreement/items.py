"""Agreement within items: which of two answers to a question is better? Averaged over the pairs of each question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from answersim.agreement.binary import FEWEST, Kind, grouped, scored_columns
from answersim.agreement.judgments import Judgments
from answersim.stats.pairs_permutation import calibrated_by_item, correct_pairs, item_pairs, pairs_permutation
from answersim.stats.resampling import Estimate, bootstrap_counts, estimated, generator, holm

_MOST_PAIRS = 20_000_000


class ItemRow(NamedTuple):
    """How often one column orders two answers to one question as the labels do."""

    subset: str  # the name of the subset
    column: str  # the metric or the baseline
    kind: Kind  # "metric" or "baseline"
    items: int  # the questions with at least two answers
    pairs: int  # the pairs of answers to one question
    # the share of the pairs that are ordered, or tied, as by the labels: averaged by question, with an interval over
    # questions. One epsilon applies to all questions.
    accuracy: Estimate
    epsilon: float  # scores that differ by at most this are a tie
    p: float  # the two-sided p of the pairs permutation test against the best column; nan for the best column itself
    p_holm: float  # the same p after Holm's correction over the columns


def item_rows(part: Judgments, subset: str, *, level: float, resamples: int, seed: int) -> Iterator[ItemRow]:
    """Yield the agreement within questions, the best column first. Yield nothing if fewer than 10 have several answers.

    ``resamples``: the number of bootstrap resamples of questions, and of permutations of the test.

    Source: WMT metrics task (segment level, ``avg_by='item'``, accuracy with calibrated ties, ``perm_test='pairs'``);
    see ``answersim.stats.pairs_permutation``.
    """
    if part.questions is None:
        return
    groups = grouped(part)
    sizes = np.bincount(groups)
    if (sizes > 1).sum() < FEWEST or int((sizes * (sizes - 1) // 2).sum()) > _MOST_PAIRS:
        return
    pairs = item_pairs(groups)
    counts = bootstrap_counts(len(pairs.sizes), resamples, generator(seed, subset, "items"))
    found = []
    for name, kind, scores in scored_columns(part):
        best = calibrated_by_item(scores, part.labels, pairs)
        drawn = counts @ best.by_item / counts.sum(axis=1)
        right = correct_pairs(scores, part.labels, pairs, best.epsilon)
        accuracy = estimated(best.accuracy, drawn, level)
        sizes_of = len(pairs.sizes), len(pairs.first)
        found.append((ItemRow(subset, name, kind, *sizes_of, accuracy, best.epsilon, np.nan, np.nan), right))
    found.sort(key=lambda one: -one[0].accuracy.value)
    (first, of_first), *others = found
    p = [
        pairs_permutation(
            of_first, right, pairs, rng=generator(seed, subset, "pairs", row.column), permutations=resamples
        ).p
        for row, right in others
    ]
    yield first
    for (row, _), one, corrected in zip(others, p, holm(p).tolist(), strict=True):
        yield row._replace(p=one, p_holm=corrected)
