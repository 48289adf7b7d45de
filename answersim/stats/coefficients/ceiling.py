"""The highest value that a coefficient can reach, given the ties of scores and labels.

With few different labels, only an AUC can reach 1, even for perfect scores. Ties of the scores lower or raise the
highest value further. The share states how much of it the order of the scores reaches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray


def ceiling(coefficient: Callable[[Any, Any], FloatArray], x: Any, y: Any) -> float:
    """Return the highest value that any order of these scores reaches on these labels.

    It is the coefficient of both columns in ascending order: the lowest score goes to the lowest label and so on, and
    every score and label keeps its ties. That is the maximum of Pearson's r (rearrangement inequality) and of every
    coefficient that does not decrease when two columns become more concordant: rho, tau-b and tau-c, whose divisors
    depend on the ties only, and an AUC. ``coefficient``: a function of x and y that gives an array of one number, such
    as ``kendall`` or ``pearson``. The result is nan if the coefficient is not defined.

    >>> from answersim.stats.coefficients.kendall import kendall
    >>> round(ceiling(kendall, [0.1, 0.4, 0.2, 0.9], [0, 0, 1, 1]), 3)  # 4 of 6 pairs have different labels
    0.816

    Source: Hardy, Littlewood & Polya 1934, theorem 368; Neslehova 2007, "On rank correlation measures for
    non-continuous random variables", for concordance with ties.
    """
    highest = coefficient(np.sort(np.asarray(x, dtype=np.float64)), np.sort(np.asarray(y, dtype=np.float64)))
    return float(highest[0])


def share(value: float, highest: float, chance: float = 0.0) -> float:
    """Return the share of the distance from chance to the ceiling, or nan if there is no distance."""
    way = highest - chance
    return (value - chance) / way if way > 0 else float("nan")


def tied_share(column: Any) -> float:
    """Return the share of pairs of rows with equal numbers, or nan for fewer than two rows."""
    held = np.unique(np.asarray(column, dtype=np.float64), return_counts=True)[1].astype(np.float64)
    pairs = held.sum() * (held.sum() - 1)
    return float((held * (held - 1)).sum() / pairs) if pairs else float("nan")
