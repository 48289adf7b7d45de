"""Pearson and Spearman of columns whose rows count several times: the coefficients of many resamples at once.

A resample of n rows is represented by how often it contains each of them. So nothing is copied or sorted again: a
column is sorted once, and sums over its rows become products with those counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray

Counts = NDArray[np.integer[Any]]

_BLOCK = 1 << 18  # counts that are processed together: a few MB, which fit in the CPU cache


class Ordered(NamedTuple):
    """A column in ascending order, and the positions of its equal numbers."""

    order: NDArray[np.intp]  # (n,) the row at each place of the order
    group: NDArray[np.intp]  # (n,) the number of the group of equal values, at each place
    starts: NDArray[np.intp]  # (g,) the place where each group begins


def pearson(x: Any, y: Any, counts: Counts | None = None) -> FloatArray:
    """Return Pearson's r of each column with y, in each resample.

    ``x``: one column, shape (n,), or several, shape (m, n); finite numbers. ``y``: finite numbers, shape (n,).
    ``counts``: how often each resample contains each row, shape (resamples, n). By default, the original rows. The
    result has the shape (resamples,) or (m, resamples); nan if a resample makes a column constant. Raise ValueError if
    shapes do not match, numbers are not finite, or counts are negative.

    >>> pearson([1, 2, 4], [1, 2, 3], [[1, 1, 1], [2, 1, 0], [3, 0, 0]]).round(3)
    array([0.982, 1.   ,   nan])
    """
    return over_blocks(_pearson, x, y, counts)


def spearman(x: Any, y: Any, counts: Counts | None = None) -> FloatArray:
    """Return Spearman's rho of each column with y, in each resample. Equal numbers share the mean of their ranks.

    Args, returns and raises as ``pearson``.
    """
    return over_blocks(_spearman, x, y, counts)


def over_blocks(
    coefficient: Callable[[FloatArray, FloatArray, FloatArray], FloatArray], x: Any, y: Any, counts: Counts | None
) -> FloatArray:
    """Apply this function to each column, y and a block of resamples at a time: counts of shape (n, resamples).

    The arguments are checked here, and resamples that make a column constant are nan without a call.
    """
    columns, labels, times = checked(x, y, counts)
    values = np.full((len(columns), len(times)), np.nan)
    for span, block in _blocks(times):
        varies_y = _varies(labels, block)
        for i, column in enumerate(columns):
            varies = varies_y & _varies(column, block)
            if varies.any():
                values[i, span][varies] = coefficient(column, labels, np.ascontiguousarray(block[:, varies]))
    return values if np.ndim(x) == 2 else values[0]


def ordered(column: FloatArray) -> Ordered:
    """Return the order of this column."""
    order = np.argsort(column, kind="stable")
    ranked = column[order]
    opens = np.append(True, ranked[1:] != ranked[:-1])[: len(ranked)]
    return Ordered(order, np.cumsum(opens) - 1, np.flatnonzero(opens))


def mid_ranks(column: FloatArray) -> FloatArray:
    """Return how many numbers are below each one, plus half of those that are equal to it; shape (n,)."""
    _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - counts / 2)[place]


def grouped(block: FloatArray, by: Ordered) -> FloatArray:
    """Return how often each resample contains each group, (g, resamples), from counts in this order, (n, resamples)."""
    return block if len(by.starts) == len(block) else np.add.reduceat(block, by.starts, axis=0)


def scaled(column: FloatArray) -> FloatArray:
    """Divide the column by the power of two that brings its largest number to between 0.5 and 1. This is exact.

    Squares and sums of the result neither overflow nor vanish.
    """
    exponent = int(np.frexp(np.abs(column).max(initial=0.0))[1])
    return np.ldexp(column, -exponent)


def centered(column: FloatArray) -> FloatArray:
    """Return the scaled column minus its mean, with all digits of the differences, even of tiny ones."""
    deviations = scaled(column)
    deviations = deviations - deviations.mean()
    return deviations - deviations.mean()


def _pearson(x: FloatArray, y: FloatArray, block: FloatArray) -> FloatArray:
    """Subtract the mean of each resample before any number is rounded.

    The scale is a power of two, so that scaling is exact. Numbers that are close together differ from their mean
    exactly as well. Only the mean itself is rounded, and the second pass removes the shift that this leaves.
    """
    total = block.sum(axis=0)
    dx, dy = (column[:, None] - column @ block / total for column in (scaled(x), scaled(y)))
    for deviations in (dx, dy):
        deviations -= np.einsum("ij,ij->j", block, deviations) / total
    return _ratio(*(np.einsum("ij,ij,ij->j", block, a, b) for a, b in ((dx, dy), (dx, dx), (dy, dy))))


def _spearman(x: FloatArray, y: FloatArray, block: FloatArray) -> FloatArray:
    by_x, by_y = ordered(x), ordered(y)
    rows = block[by_x.order]
    weights_x, ranks_x = _ranks(rows, by_x)
    weights_y, ranks_y = _ranks(block[by_y.order], by_y)
    of_y = np.empty(len(y), dtype=np.intp)
    of_y[by_y.order] = by_y.group
    across = np.einsum("ij,ij,ij->j", rows, ranks_x[by_x.group], ranks_y[of_y[by_x.order]])
    within = (np.einsum("ij,ij,ij->j", w, r, r) for w, r in ((weights_x, ranks_x), (weights_y, ranks_y)))
    return _ratio(across, *within)


def _ranks(rows: FloatArray, by: Ordered) -> tuple[FloatArray, FloatArray]:
    """Return how often each group occurs, and its shared rank as distance from the middle: (g, resamples)."""
    weights = grouped(rows, by)
    after = np.cumsum(weights, axis=0)
    return weights, after - weights / 2 - after[-1] / 2


def _ratio(across: FloatArray, of_x: FloatArray, of_y: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):  # nan if numbers differ by too little to be squared
        return np.clip(across / (np.sqrt(of_x) * np.sqrt(of_y)), -1.0, 1.0)  # rounding may exceed the range by 1e-16


def _varies(column: FloatArray, block: FloatArray) -> NDArray[np.bool_]:
    """Return whether each resample contains two different numbers of this column: shape (resamples,)."""
    if not len(column):
        return np.zeros(block.shape[1], dtype=bool)
    above = (centered(column) > 0).astype(np.float64)
    varies = (above @ block > 0) & ((1 - above) @ block > 0)
    # That settles nearly all of them; the others have numbers of one side only, and are checked one by one.
    for i in np.flatnonzero(~varies):
        held = column[block[:, i] > 0]
        varies[i] = len(held) > 0 and held.min() < held.max()
    return varies


def _blocks(times: Counts) -> Iterator[tuple[slice, FloatArray]]:
    """Yield blocks of resamples as (n, resamples), so that sums over sorted rows run along memory."""
    width = max(1, _BLOCK // max(1, times.shape[1]))
    for start in range(0, len(times), width):
        span = slice(start, min(start + width, len(times)))
        yield span, np.ascontiguousarray(times[span].T, dtype=np.float64)


def checked(x: Any, y: Any, counts: Counts | None) -> tuple[FloatArray, FloatArray, Counts]:
    """Return the columns, shape (m, n), y and the counts of each resample. Raise ValueError as ``pearson`` does."""
    columns, labels = np.atleast_2d(np.asarray(x, dtype=np.float64)), np.asarray(y, dtype=np.float64)
    if labels.ndim != 1 or columns.ndim != 2 or columns.shape[1] != len(labels):
        raise ValueError(
            f"x has the shape {np.shape(x)} and y {np.shape(y)}, but they must be (n,) or (m, n), and (n,)"
        )
    for name, values in (("x", columns), ("y", labels)):
        if not np.isfinite(values).all():
            raise ValueError(
                f"{name} contains {values[~np.isfinite(values)][0]}, but only finite numbers can be compared"
            )
    times = np.ones((1, len(labels)), dtype=np.int64) if counts is None else np.asarray(counts)
    if times.ndim != 2 or times.shape[1] != len(labels) or not np.issubdtype(times.dtype, np.integer):
        raise ValueError(
            f"counts are {times.dtype} of shape {times.shape}, but they must be integers of shape (resamples, "
            f"n={len(labels)})"
        )
    if times.size and times.min() < 0:
        raise ValueError(f"counts contain {times.min()}, but they must be 0 or more")
    return columns, labels, times
