"""Kendall's tau-b and tau-c: of columns by scipy, and of columns whose rows count several times by our own sums.

Both are exact. The sums are for many resamples at once: concordant minus discordant pairs are counted by class of the
labels. With the rows in order of x, a row of class b is concordant with the rows of lower classes before it and
discordant with those after it. This takes one running sum per class, O(n c) per resample, after a single sort.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.runtime.concurrency import imported
from answersim.stats.coefficients.weighted import Counts, Ordered, checked, grouped, ordered, over_blocks

_FEW = 40  # classes up to which running sums take less time than the sort of scipy in every resample


def kendall(x: Any, y: Any, counts: Counts | None = None) -> FloatArray:
    """Return Kendall's tau-b of each column with y, in each resample.

    ``x``: one column, shape (n,), or several, shape (m, n); finite numbers. ``y``: finite numbers, shape (n,).
    ``counts``: how often each resample contains each row, shape (resamples, n). By default, the original rows. The
    result has the shape (resamples,) or (m, resamples); nan if a resample makes a column constant. Raise ValueError if
    shapes do not match, numbers are not finite, or counts are negative.

    >>> kendall([0.1, 0.4, 0.9], [0, 2, 1], [[1, 1, 1], [2, 1, 0], [0, 3, 0]]).round(3)
    array([0.333, 1.   ,   nan])

    Source: Kendall 1945, "The treatment of ties in ranking problems"; equal to ``scipy.stats.kendalltau(variant="b")``
    for the repeated rows.
    """
    return _plain(x, y, "b") if counts is None else over_blocks(_tau_b, x, y, counts)


def tau_c(x: Any, y: Any, counts: Counts | None = None) -> FloatArray:
    """Return Kendall's (Stuart's) tau-c of each column with y, in each resample. It does not reward ties in a metric.

    Tau-b divides by the pairs that are not tied, so a metric with many ties is not penalized for pairs that it
    does not order. Tau-c divides by the number of pairs that the smaller number of different values allows to differ.

    Args, returns and raises as ``kendall``.

    >>> tau_c([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1])
    array([0.75])

    Source: Stuart 1953, "The estimation and comparison of strengths of association in contingency tables"; equal to
    ``scipy.stats.kendalltau(variant="c")`` for the repeated rows.
    """
    return _plain(x, y, "c") if counts is None else over_blocks(_tau_c, x, y, counts)


class _Sides(NamedTuple):
    """Two columns, the one with fewer different numbers second, and their order. Tau is symmetric."""

    x: FloatArray
    y: FloatArray
    by_x: Ordered
    by_y: Ordered

    @property
    def few(self) -> bool:
        return len(self.by_y.starts) <= _FEW

    def excess(self, rows: FloatArray) -> FloatArray:
        """Return the excess of concordant over discordant pairs, (resamples,), from counts in the order of x."""
        classes = np.empty(len(self.y), dtype=np.intp)
        classes[self.by_y.order] = self.by_y.group
        return _concordant_less_discordant(rows, self.by_x, classes[self.by_x.order])


def _sides(x: FloatArray, y: FloatArray) -> _Sides:
    by_x, by_y = ordered(x), ordered(y)
    return _Sides(y, x, by_y, by_x) if len(by_x.starts) < len(by_y.starts) else _Sides(x, y, by_x, by_y)


def _tau_b(x: FloatArray, y: FloatArray, block: FloatArray) -> FloatArray:
    sides = _sides(x, y)
    if not sides.few:
        return _by_scipy(x, y, block, "b")
    rows = block[sides.by_x.order]
    all_pairs = _pairs(block.sum(axis=0, keepdims=True))
    untied_x = all_pairs - _pairs(grouped(rows, sides.by_x))
    untied_y = all_pairs - _pairs(grouped(block[sides.by_y.order], sides.by_y))
    return np.clip(sides.excess(rows) / np.sqrt(untied_x) / np.sqrt(untied_y), -1.0, 1.0)


def _tau_c(x: FloatArray, y: FloatArray, block: FloatArray) -> FloatArray:
    sides = _sides(x, y)
    if not sides.few:
        return _by_scipy(x, y, block, "c")
    rows = block[sides.by_x.order]
    held_x = (grouped(rows, sides.by_x) > 0).sum(axis=0)
    held_y = (grouped(block[sides.by_y.order], sides.by_y) > 0).sum(axis=0)
    fewer = np.minimum(held_x, held_y)  # in that resample
    most = block.sum(axis=0) ** 2 * (fewer - 1) / fewer / 2
    return np.clip(sides.excess(rows) / most, -1.0, 1.0)


def _concordant_less_discordant(rows: FloatArray, by: Ordered, classes: NDArray[np.intp]) -> FloatArray:
    """Return concordant minus discordant over all pairs of rows with different x and y, by counts: (resamples,).

    ``rows``: counts in the order of x, (n, some). ``by``: that order. ``classes``: the class of y at each place of it,
    (n,).
    """
    ends = np.append(by.starts[1:], len(rows))
    excess = np.zeros(rows.shape[1])
    for upper in range(1, int(classes.max()) + 1):
        lower = classes < upper
        before = np.zeros((int(lower.sum()) + 1, rows.shape[1]))
        np.cumsum(rows[lower], axis=0, out=before[1:])
        place = np.append(0, np.cumsum(lower))  # how many lower rows come before each place
        members = np.flatnonzero(classes == upper)
        first, last = place[by.starts][by.group[members]], place[ends][by.group[members]]
        # Lower rows before the group are concordant, those behind it (all less those to its end) discordant.
        excess += np.einsum("ij,ij->j", rows[members], before[first] + before[last] - before[-1])
    return excess


def _pairs(held: FloatArray) -> FloatArray:
    """Return how many pairs the members of groups form, by their counts: (g, resamples) -> (resamples,)."""
    return (np.einsum("ij,ij->j", held, held) - held.sum(axis=0)) / 2


def _plain(x: Any, y: Any, variant: Literal["b", "c"]) -> FloatArray:
    """Return tau of each column with y, whose rows count once: (1,) or (m, 1)."""
    columns, labels, _ = checked(x, y, None)
    varies = len(labels) > 0 and labels.min() < labels.max()
    taus = [_tau(column, labels, variant) if varies and column.min() < column.max() else np.nan for column in columns]
    values = np.array(taus, dtype=np.float64)[:, None]
    return values if np.ndim(x) == 2 else values[0]


def _by_scipy(x: FloatArray, y: FloatArray, block: FloatArray, variant: Literal["b", "c"]) -> FloatArray:
    repeated = ((np.repeat(x, times), np.repeat(y, times)) for times in block.T.astype(np.intp))
    return np.array([_tau(*columns, variant) for columns in repeated], dtype=np.float64)


def _tau(x: FloatArray, y: FloatArray, variant: Literal["b", "c"]) -> float:
    kendalltau = imported("scipy.stats").kendalltau
    method = "asymptotic" if x.size > 2 else "auto"  # the variance of two rows divides by 0
    return float(kendalltau(x, y, variant=variant, method=method).statistic)
