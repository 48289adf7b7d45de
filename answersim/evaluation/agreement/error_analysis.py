"""The largest disagreements of a metric with human labels: counts and direction by kind of error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.evaluation.agreement.judgments import Judgments
from answersim.stats.weighted import mid_ranks
from answersim.types import Pair

UNKNOWN = ""  # no annotation


class ErrorRow(NamedTuple):
    """The errors of a metric on the pairs of one category."""

    category: str  # the kind of error, or "" for the pairs of unknown kind
    n: int  # the number of pairs in this category
    too_low: int  # how many of the pairs that disagree most have a score that is too low for the label
    too_high: int  # how many of them have a score that is too high
    share: float  # both counts together, as a share of the n pairs
    mean_gap: float  # the mean gap of all n pairs. Below 0, the metric is too low for this category.
    worst: Pair  # the pair of this category with the largest absolute gap


def gaps(scores: Any, labels: Any) -> FloatArray:
    """Return the rank of each score minus the rank of its label: shape (n,), between -1 and 1.

    Both columns become ranks as shares of all rows, and equal numbers have the mean of their ranks. So the scales of
    labels and scores do not matter. A metric that orders pairs with different labels correctly has gaps only within
    the groups of equal labels.

    >>> gaps([0.1, 0.2, 0.9], [0, 2, 1]).round(2)
    array([ 0.  , -0.33,  0.33])
    """
    n = max(1, len(scores))
    return mid_ranks(scores) / n - mid_ranks(labels) / n


def error_table(judgments: Judgments, metric: str, kinds: Sequence[str], *, worst: float = 0.1) -> list[ErrorRow]:
    """Return the errors of this metric by category: the one with most of the worst pairs first, the unknown one last.

    ``kinds``: the category of each pair. ``worst``: the share of all pairs that counts as those that disagree most.
    """
    gap = gaps(judgments.scores[metric].values, judgments.labels)
    order = np.argsort(-np.abs(gap), kind="stable")
    among = np.zeros(len(gap), dtype=bool)
    among[order[: max(1, round(worst * len(gap)))]] = True
    rows = []
    for kind in dict.fromkeys(kinds):
        mask = np.array([category == kind for category in kinds])
        low, high = int((among & mask & (gap < 0)).sum()), int((among & mask & (gap > 0)).sum())
        first = int(order[mask[order]][0])
        rows.append(
            ErrorRow(
                kind,
                int(mask.sum()),
                low,
                high,
                (low + high) / int(mask.sum()),
                float(gap[mask].mean()),
                judgments.pairs[first],
            )
        )
    return sorted(rows, key=lambda row: (row.category == UNKNOWN, -(row.too_low + row.too_high), row.category))


def categories(judgments: Judgments) -> list[str] | None:
    """Return the kind of error of each pair, as annotated in the column "category"; None if there is none.

    Table 4 of the SAS paper has such kinds.
    """
    notes = judgments.columns.get("category")
    return None if notes is None else ["" if note is None else str(note).strip() for note in notes]
