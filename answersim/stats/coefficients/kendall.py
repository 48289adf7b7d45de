"""Kendall's tau-b and tau-c: of plain rows by scipy, and of resamples by our own sums if a column has few numbers.

Both are exact. The sums are of many resamples at once: concordant minus discordant pairs are counted by class of the
labels. With the rows in order of x, a row of class b is concordant with the rows of lower classes before it and
discordant with those after it. This takes one running sum per class, O(n c) per resample, after a single sort.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.runtime.concurrency import imported
from answersim.stats.coefficients.weighted import Counts, Ordered, checked, grouped, ordered, over_blocks

_FEW = 40  # classes up to which running sums take less time than the sort of scipy in every resample


def kendall(x: Any, y: Any, counts: Counts | None = None) -> FloatArray:
    """Return Kendall's tau-b of each column with y, in each resample.

    Args, returns and raises as ``pearson``.

    >>> kendall([0.1, 0.4, 0.9], [0, 2, 1], [[1, 1, 1], [2, 1, 0], [0, 3, 0]]).round(3)
    array([0.333, 1.   ,   nan])

    Source: Kendall 1945, "The treatment of ties in ranking problems"; equal to ``scipy.stats.kendalltau(variant="b")``
    for the repeated rows.
    """
    return _plain(x, y, "b") if counts is None else over_blocks(partial(_of_resamples, variant="b"), x, y, counts)


def tau_c(x: Any, y: Any, counts: Counts | None = None) -> FloatArray:
    """Return Kendall's (Stuart's) tau-c of each column with y, in each resample. It does not reward ties in a metric.

    Tau-b divides by the pairs that are not tied, so a metric with many ties is not penalized for pairs that it
    does not order. Tau-c divides by the number of pairs that the smaller number of different values allows to differ.

    Args, returns and raises as ``kendall``.

    Source: Stuart 1953, "The estimation and comparison of strengths of association in contingency tables"; equal to
    ``scipy.stats.kendalltau(variant="c")`` for the repeated rows.
    """
    return _plain(x, y, "c") if counts is None else over_blocks(partial(_of_resamples, variant="c"), x, y, counts)


def _plain(x: Any, y: Any, variant: Literal["b", "c"]) -> FloatArray:
    """Return tau of each column with y, whose rows count once: (1,) or (m, 1)."""
    columns, labels, _ = checked(x, y, None)
    varies = len(labels) > 0 and labels.min() < labels.max()
    taus = [
        _by_scipy(column, labels, variant) if varies and column.min() < column.max() else np.nan for column in columns
    ]
    values = np.array(taus, dtype=np.float64)[:, None]
    return values if np.ndim(x) == 2 else values[0]


def _of_resamples(x: FloatArray, y: FloatArray, block: FloatArray, variant: Literal["b", "c"]) -> FloatArray:
    by_x, by_y = ordered(x), ordered(y)
    few, many = (by_x, by_y) if len(by_x.starts) < len(by_y.starts) else (by_y, by_x)
    if len(few.starts) > _FEW:
        repeated = ((np.repeat(x, times), np.repeat(y, times)) for times in block.T.astype(np.intp))
        return np.array([_by_scipy(*columns, variant) for columns in repeated], dtype=np.float64)
    classes = np.empty(len(y), dtype=np.intp)
    classes[few.order] = few.group
    excess = _concordant_less_discordant(block[many.order], many, classes[many.order])
    held = [grouped(block[by.order], by) for by in (many, few)]
    if variant == "b":
        pairs = _pairs(block.sum(axis=0, keepdims=True))
        return np.clip(excess / np.sqrt(pairs - _pairs(held[0])) / np.sqrt(pairs - _pairs(held[1])), -1.0, 1.0)
    fewer = np.minimum(*((counts > 0).sum(axis=0) for counts in held))  # different numbers in that resample
    return np.clip(excess / (block.sum(axis=0) ** 2 * (fewer - 1) / fewer / 2), -1.0, 1.0)


def _concordant_less_discordant(rows: FloatArray, by: Ordered, classes: NDArray[np.intp]) -> FloatArray:
    """Return concordant minus discordant over all pairs of rows with different x and y, by counts: (resamples,).

    ``rows``: counts in the order ``by`` of x, (n, resamples). ``classes``: of y, at each place of that order, (n,).
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


def _by_scipy(x: FloatArray, y: FloatArray, variant: Literal["b", "c"]) -> float:
    kendalltau = imported("scipy.stats").kendalltau
    method = "asymptotic" if x.size > 2 else "auto"  # the variance of two rows divides by 0
    return float(kendalltau(x, y, variant=variant, method=method).statistic)
