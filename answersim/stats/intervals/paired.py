"""Two systems on the same rows: the mean difference, its interval, its p, and the smallest detectable difference.

All four come from one procedure, ``answersim.stats.intervals.bounded_mean``: p is below .05 if and only if the interval
of 95 % does not contain 0. For verdicts, p is that of the exact test of McNemar.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from answersim.stats.intervals.bounded_mean import Sums, lower_ends, mirrored, sums_of, tails
from answersim.stats.intervals.proportion import t_quantile

FEW = 10  # differences from which their sizes are taken for those of the differences that were not drawn
POWER = 0.8


class PairedDifference(NamedTuple):
    """A mean difference."""

    value: float  # the mean of the differences
    low: float  # the lower end of its interval
    high: float  # the upper end
    p: float  # the two-sided p of no difference: below 1 - level if and only if the interval does not contain 0
    least: float  # the true difference that the test finds in 8 of 10 samples or more of this size


def paired_all(
    columns: Sequence[Any], *, groups: Any = None, bounds: Sequence[tuple[float, float]], level: float = 0.95
) -> list[PairedDifference]:
    """Return the mean differences with their intervals, p, and the least differences that the test would find.

    The interval contains the differences that may be true although the sample does not have them. Their size is that of
    the largest observed difference, if at least 10 rows (or clusters) have one. With fewer, it is between that size and
    the largest possible one, which it is if no row differs: of 100 rows without a difference, the interval of a
    difference of verdicts is [-.036, .036]. A difference that is both rare and much larger than all of 10 or more
    observed ones is not covered. ``columns``: differences, second minus first, numbers between their bounds, shape (n,)
    each, n >= 1. ``groups``: the number of the cluster of each row from 0, shape (n,); each row is its own cluster if
    not given. ``bounds``: the lowest and the highest possible difference, below and above 0: -1 and 1 for verdicts and
    for scores from 0 to 1. All ends are found at once.

    >>> verdicts = np.repeat([0.0, 1.0, -1.0], [80, 15, 5])
    >>> (found,) = paired_all([verdicts], bounds=[(-1.0, 1.0)])
    >>> [round(number, 4) for number in found[:3]], round(found.p, 3)  # McNemar's exact p: .0414
    ([0.1, 0.0035, 0.1974], 0.041)

    Source: ``answersim.stats.intervals.bounded_mean``; McNemar 1947, "Note on the sampling error of the difference
    between correlated proportions".
    """
    samples = [sums_of(column, groups) for column in columns]
    virtual = [_bounds(sums, ends) for sums, ends in zip(samples, bounds, strict=True)]
    share = (1 - level) / 2
    normal = t_quantile(level, math.inf) + t_quantile(2 * POWER - 1, math.inf)
    least_tail = math.erfc(normal / math.sqrt(2)) / 2
    sides = [(sums, low) for sums, (low, _, _) in zip(samples, virtual, strict=True)]
    sides += [(mirrored(sums), -high) for sums, (_, high, _) in zip(samples, virtual, strict=True)]
    p = tails([(*side, 0.0) for side in sides]).reshape(2, -1).T.tolist()
    ends = lower_ends([(*side, tail) for tail in (share, least_tail) for side in sides]).reshape(4, -1).T.tolist()
    return [_difference(*values, share) for values in zip(samples, virtual, p, ends, strict=True)]


def _difference(
    sums: Sums, virtual: tuple[float, float, float], p: Sequence[float], ends: Sequence[float], share: float
) -> PairedDifference:
    """Return the difference from its two tails, the ends of its interval, and those with which it would be found."""
    (low_bound, high_bound, missing), (below, above), (low, high, low_found, high_found) = virtual, p, ends
    # The ends are found to nine digits, and p decides on which side of 0 they are.
    low = max(low, math.ulp(0.0)) if below < share else min(low, 0.0)
    high = min(-high, -math.ulp(0.0)) if above < share else max(-high, 0.0)
    least = (-high_found - low_found) / 2 + missing * (high_bound - low_bound) / float(sums.counts.sum())
    return PairedDifference(
        sums.mean, low, high, min(1.0, 2 * min(below, above)), min(least, max(-low_bound, high_bound))
    )


def _bounds(sums: Sums, bounds: tuple[float, float]) -> tuple[float, float, float]:
    """Return the differences of the virtual clusters, and by how many changed clusters there are too few, 0 to 1."""
    largest = float(np.abs(sums.totals / sums.sizes).max())
    changed = float(sums.counts @ (sums.totals != 0))
    missing = max(0.0, 1 - changed / FEW)
    low, high = (math.copysign(min(abs(end), largest + max(0.0, abs(end) - largest) * missing), end) for end in bounds)
    return low, high, missing
