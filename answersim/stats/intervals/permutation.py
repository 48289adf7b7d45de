"""The permutation test PERM-BOTH: would two metrics differ as much if it did not matter which of them gave a score?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim.stats.coefficients.weighted import centered, mid_ranks

Scale = Literal["ranks", "standard"]

_TOGETHER = 5_000_000  # scores that are exchanged at a time


def exchange_p(
    coefficient: Callable[[Any, Any, Any], FloatArray],
    first: Any,
    second: Any,
    y: Any,
    *,
    rng: np.random.Generator,
    permutations: int = 1000,
    scale: Scale = "ranks",
) -> float:
    """Return the two-sided p of the difference of two coefficients, by exchanging the scores of rows at random.

    Under the null hypothesis both columns are equally good, so it does not matter which of them gave the score of a
    row. Scores of two metrics have different scales, so they are first made comparable. ``coefficient``: ``pearson``,
    ``spearman``, ``kendall``, ``tau_c`` or ``auc`` with its cut: a function of x, y and counts. ``first``: finite
    numbers, shape (n,). ``scale``: "ranks" (mid-ranks, for coefficients of ranks, which they do not change) or
    "standard" (mean 0 and deviation 1, as in the paper, for Pearson's r). The result is (c + 1) / (permutations + 1)
    for c differences at least as far from 0; nan if a column is constant.

    >>> from answersim.stats.coefficients.kendall import kendall
    >>> labels = np.arange(12) % 3
    >>> exchange_p(kendall, labels, -labels, labels, rng=np.random.default_rng(0), permutations=99)
    0.02

    Source: Deutsch, Dror & Roth 2021, "A statistical analysis of summarization evaluation metrics using resampling
    methods" (PERM-BOTH); every row here is its own system and input.
    """
    columns = [_comparable(np.asarray(scores, dtype=np.float64), scale) for scores in (first, second)]
    if any(np.isnan(column).any() for column in columns):
        return float("nan")
    n = len(columns[0])
    # A permuted column is a choice of half of the 2 n scores: all are sorted once, and included or excluded.
    pooled, labels = np.concatenate(columns), np.concatenate([y, y])
    gaps = [_gaps(coefficient, pooled, labels, np.ones((1, n), dtype=bool))]  # what was observed
    step = max(1, _TOGETHER // max(1, n))
    for start in range(0, permutations, step):
        stays = rng.random((min(step, permutations - start), n)) < 0.5
        gaps.append(_gaps(coefficient, pooled, labels, stays))
    observed, drawn = abs(float(gaps[0][0])), np.abs(np.concatenate(gaps[1:]))
    if np.isnan(observed):
        return float("nan")
    drawn = drawn[~np.isnan(drawn)]
    # Sums in another order differ in the last places; a permutation that equals the observed difference must count.
    return (int((drawn >= observed - 1e-12).sum()) + 1) / (len(drawn) + 1)


def _gaps(
    coefficient: Callable[[Any, Any, Any], FloatArray], pooled: FloatArray, labels: FloatArray, stays: NDArray[np.bool_]
) -> FloatArray:
    """Return the first minus the second coefficient, with the scores exchanged in the rows that are not kept."""
    held = np.concatenate([stays, ~stays], axis=1).astype(np.int8)
    return coefficient(pooled, labels, held) - coefficient(pooled, labels, 1 - held)


def _comparable(column: FloatArray, scale: Scale) -> FloatArray:
    """Return the column on a scale that two metrics share, or nan if it is constant."""
    if len(column) < 2 or column.min() == column.max():
        return np.full(len(column), np.nan)
    if scale == "standard":
        deviations = centered(column)  # a rounded mean would shift two close columns against each other
        return deviations / deviations.std()
    return mid_ranks(column)
