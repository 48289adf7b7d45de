"""Wilson's interval of a share, and the quantile of Student's t that all intervals of means use."""

from __future__ import annotations

import math

from answersim.concurrency import importing
from answersim.types import Interval


def wilson(share: float, n: float, quantile: float) -> Interval:
    """Return Wilson's score interval of a share.

    Args:
        share: From 0 to 1.
        n: The number of independent rows, above 0; for a weighted or clustered sample, the effective number.
        quantile: The quantile of the standard normal distribution (1.96 for 95 %), or of Student's t.

    >>> low, high = wilson(0.9, 50, 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.7864, 0.9565)

    Source: Wilson 1927; Brown, Cai & DasGupta 2001, "Interval estimation for a binomial proportion", equation 4.
    """
    squared = quantile**2
    center = (share + squared / (2 * n)) / (1 + squared / n)
    half = quantile * math.sqrt(share * (1 - share) / n + squared / (4 * n**2)) / (1 + squared / n)
    return Interval(max(0.0, center - half), min(1.0, center + half))


def t_quantile(level: float, freedom: float) -> float:
    """Return the quantile of Student's t for a two-sided interval of this coverage.

    Args:
        level: The coverage, between 0 and 1.
        freedom: The degrees of freedom; below 1 they count as 1, and infinity gives the normal quantile.

    >>> round(t_quantile(0.95, 48), 4), round(t_quantile(0.95, math.inf), 4)
    (2.0106, 1.96)
    """
    with importing("scipy.special"):
        from scipy.special import ndtri, stdtrit

    upper = (1 + level) / 2
    return float(ndtri(upper) if math.isinf(freedom) else stdtrit(max(1.0, freedom), upper))
