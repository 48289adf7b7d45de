"""How far two columns of numbers agree: Pearson, Spearman and Kendall."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.runtime.concurrency import importing
from answersim.stats.coefficients.weighted import pearson


class Correlations(NamedTuple):
    """Three coefficients over the same n pairs of numbers; each between -1 and 1, or nan if it is not defined."""

    n: int
    pearson: float
    spearman: float
    kendall: float


def correlations(x: Any, y: Any) -> Correlations:
    """Return Pearson's r, Spearman's rho and Kendall's tau-b of two columns.

    ``x``: finite numbers, shape (n,). ``y``: finite numbers, shape (n,). The result: n and the three coefficients. All
    three are nan if a column is constant or n < 2.

    >>> correlations([0.1, 0.4, 0.9], [0, 1, 2])
    Correlations(n=3, pearson=0.989..., spearman=1.0, kendall=1.0)
    >>> correlations([0.0, 0.0, 0.0], [0, 1, 2]).kendall
    nan

    Source: ``scipy.stats`` (``spearmanr``, ``kendalltau``), with equal results. Pearson's r is that of
    ``answersim.stats.coefficients.weighted``, as ``scipy.stats.pearsonr`` rounds the mean and loses digits of close
    scores.
    """
    left, right = _column("x", x), _column("y", y)
    n = len(left)
    if len(right) != n:
        raise ValueError(f"x has {n} numbers and y has {len(right)}; a correlation needs the same number in both")
    # Decided here: the three coefficients of scipy warn of a constant column in different ways.
    if n < 2 or left.min() == left.max() or right.min() == right.max():
        return Correlations(n, np.nan, np.nan, np.nan)
    with importing("scipy.stats"):
        from scipy import stats

    return Correlations(
        n,
        pearson=float(pearson(left, right)[0]),
        spearman=float(stats.spearmanr(left, right).statistic),
        kendall=float(stats.kendalltau(left, right, variant="b").statistic),
    )


def _column(name: str, values: Any) -> FloatArray:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise ValueError(f"{name} has the shape {column.shape}, but a column of numbers has one dimension")
    if not np.isfinite(column).all():
        at = int(np.flatnonzero(~np.isfinite(column))[0])
        raise ValueError(
            f"{name} contains {column[at]} at position {at}, but only finite numbers can be correlated; "
            "leave such rows out"
        )
    return column
