"""How far two columns of numbers agree: Pearson, Spearman and Kendall."""

from __future__ import annotations

from typing import Any, NamedTuple

from answersim.stats.coefficients.kendall import kendall
from answersim.stats.coefficients.weighted import pearson, spearman


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
    Correlations(n=3, pearson=0.989..., spearman=0.999..., kendall=1.0)
    >>> correlations([0.0, 0.0, 0.0], [0, 1, 2]).kendall
    nan

    Source: ``scipy.stats`` (``pearsonr``, ``spearmanr``, ``kendalltau``), with equal results but for their rounding.
    """
    return Correlations(len(y), *(float(coefficient(x, y)[0]) for coefficient in (pearson, spearman, kendall)))
