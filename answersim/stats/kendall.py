"""Kendall's tau-b of columns whose rows count several times: exact, and for many resamples at once.

Concordant less discordant pairs are counted class by class of the labels: with the rows in order of x, a row of class b
is concordant with the rows of lower classes before it and discordant with those after it. That is one running sum a
class, O(n c) a resample, after one sort in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim.stats.weighted import Counts, Ordered, grouped, ordered, over_blocks
from answersim.types import FloatArray

_FEW = 40  # classes up to which their running sums cost less than scipy's sort in every resample


def kendall(x: Any, y: Any, counts: Counts | None = None) -> FloatArray:
    """Kendall's tau-b of each column with y, in each resample.

    Args:
        x: One column, shape (n,), or several, shape (m, n); finite numbers.
        y: Finite numbers, shape (n,). Few different ones (labels) make it fast; so do few in x.
        counts: How often each resample holds each row, shape (resamples, n); the rows as they are when not given.

    Returns:
        Shape (resamples,) or (m, resamples); nan where a resample makes a column constant.

    Raises:
        ValueError: For shapes that do not fit, numbers that are not finite, or negative counts.

    >>> kendall([0.1, 0.4, 0.9], [0, 2, 1], [[1, 1, 1], [2, 1, 0], [0, 3, 0]]).round(3)
    array([0.333, 1.   ,   nan])

    Source: Kendall 1945, "The treatment of ties in ranking problems"; the numbers are those of
    ``scipy.stats.kendalltau(variant="b")`` for the rows written out.
    """
    return over_blocks(_kendall, x, y, counts)


def _kendall(x: FloatArray, y: FloatArray, block: FloatArray) -> FloatArray:
    by_x, by_y = ordered(x), ordered(y)
    if len(by_x.starts) < len(by_y.starts):
        x, y, by_x, by_y = y, x, by_y, by_x  # tau is symmetric; classes are best where they are few
    if len(by_y.starts) > _FEW:
        return np.fromiter(_each_by_scipy(x, y, block), dtype=np.float64, count=block.shape[1])
    classes = np.empty(len(y), dtype=np.intp)
    classes[by_y.order] = by_y.group
    rows = block[by_x.order]
    excess = _concordant_less_discordant(rows, by_x, classes[by_x.order])
    all_pairs = _pairs(block.sum(axis=0, keepdims=True))
    untied_x = all_pairs - _pairs(grouped(rows, by_x))
    untied_y = all_pairs - _pairs(grouped(block[by_y.order], by_y))
    return np.clip(excess / np.sqrt(untied_x) / np.sqrt(untied_y), -1.0, 1.0)


def _concordant_less_discordant(rows: FloatArray, by: Ordered, classes: NDArray[np.intp]) -> FloatArray:
    """Over all pairs of rows with different x and y: concordant less discordant, (some,), each as often as counted.

    Args:
        rows: Counts in the order of x, (n, some).
        by: That order.
        classes: The class of y at each place of it, (n,).
    """
    ends = np.append(by.starts[1:], len(rows))
    excess = np.zeros(rows.shape[1])
    for upper in range(1, int(classes.max()) + 1):
        lower = classes < upper
        before = np.zeros((int(lower.sum()) + 1, rows.shape[1]))
        np.cumsum(rows[lower], axis=0, out=before[1:])
        place = np.append(0, np.cumsum(lower))  # how many lower rows stand before each place
        own = np.flatnonzero(classes == upper)
        first, last = place[by.starts][by.group[own]], place[ends][by.group[own]]
        # Lower rows before the group are concordant, those behind it (all less those to its end) discordant.
        excess += np.einsum("ij,ij->j", rows[own], before[first] + before[last] - before[-1])
    return excess


def _pairs(held: FloatArray) -> FloatArray:
    """How many pairs the members of groups form that are held so often, (g, some) -> (some,)."""
    return (np.einsum("ij,ij->j", held, held) - held.sum(axis=0)) / 2


def _each_by_scipy(x: FloatArray, y: FloatArray, block: FloatArray) -> Iterator[float]:
    from scipy.stats import kendalltau

    for times in block.T.astype(np.int64):
        yield float(kendalltau(np.repeat(x, times), np.repeat(y, times), variant="b").statistic)
