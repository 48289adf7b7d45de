"""Williams' test: do two metrics, themselves correlated, correlate differently with the same labels?"""

from __future__ import annotations

import math
from typing import NamedTuple

from answersim.runtime.concurrency import importing


class Williams(NamedTuple):
    """The statistic, t-distributed with n - 3 degrees of freedom, and its two-sided p."""

    t: float
    p: float


def williams(first: float, second: float, between: float, n: int) -> Williams:
    """Return Williams' t of two dependent correlations that share a variable, and its two-sided p.

    ``first``: the correlation of the labels with the first metric, -1 to 1. ``between``: the correlation of the two
    metrics with each other. The result: t is positive if ``first`` is higher. Both are nan for fewer than 4 rows, for a
    correlation that is nan, and for metrics that correlate perfectly with each other, whose difference has no spread;
    equal correlations of such metrics give t 0 and p 1.

    >>> [round(each, 3) for each in williams(0.4, 0.5, 0.1, 103)]
    [-0.891, 0.375]

    Source: Williams 1959, "The comparison of regression variables"; Steiger 1980, equation 7. The test is for Pearson's
    r. With Spearman's rho it is an approximation.
    """
    if math.isnan(first) or math.isnan(second) or math.isnan(between) or n < 4:
        return Williams(math.nan, math.nan)
    if first == second:
        return Williams(0.0, 1.0)
    # The determinant of the three correlations; rounding may make a determinant of 0 negative.
    determinant = max(0.0, 1 - first**2 - second**2 - between**2 + 2 * first * second * between)
    mean = (first + second) / 2
    spread = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - between) ** 3
    if spread <= 0:
        return Williams(math.nan, math.nan)
    t = (first - second) * math.sqrt((n - 1) * (1 + between) / spread)
    with importing("scipy.stats"):
        from scipy.stats import t as students

    return Williams(t, float(2 * students.sf(abs(t), n - 3)))
