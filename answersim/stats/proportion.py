"""The intervals of Wilson and of Jeffreys for a share, and the quantile of Student's t for intervals of means."""

from __future__ import annotations

import math
from functools import lru_cache

from answersim._base.arrays import Interval
from answersim._base.runtime.concurrency import imported


def wilson(share: float, n: float, quantile: float) -> Interval:
    """Return Wilson's score interval of a share.

    ``share``: from 0 to 1. ``n``: the number of independent rows, above 0; for a weighted or clustered sample, the
    effective number. ``quantile``: the quantile of the standard normal distribution (1.96 for 95 %), or of Student's t.

    >>> low, high = wilson(0.9, 50, 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.7864, 0.9565)

    Source: Wilson 1927; Brown, Cai & DasGupta 2001, "Interval estimation for a binomial proportion", equation 4.
    """
    squared = quantile**2
    center = (share + squared / (2 * n)) / (1 + squared / n)
    half = quantile * math.sqrt(share * (1 - share) / n + squared / (4 * n**2)) / (1 + squared / n)
    return Interval(max(0.0, center - half), min(1.0, center + half))


def jeffreys(share: float, n: float, level: float) -> Interval:
    """Return the interval of Jeffreys for a share: quantiles of its posterior distribution under Jeffreys' prior.

    ``share``: from 0 to 1. The interval of 0 begins at 0, and that of 1 ends at 1. ``n``: the number of independent
    rows, above 0; for a weighted or clustered sample, the effective number.

    >>> low, high = jeffreys(0.9, 50, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.7946, 0.9608)
    >>> round(jeffreys(1.0, 50, 0.95).low, 4)
    0.9512

    Source: Brown, Cai & DasGupta 2001, "Interval estimation for a binomial proportion", section 3.1.2.
    """
    betaincinv = imported("scipy.special").betaincinv
    tail = (1 - level) / 2
    hits, misses = share * n + 0.5, (1 - share) * n + 0.5
    low = 0.0 if share <= 0 else float(betaincinv(hits, misses, tail))
    high = 1.0 if share >= 1 else float(betaincinv(hits, misses, 1 - tail))
    return Interval(low, high)


@lru_cache(maxsize=1 << 10)
def t_quantile(level: float, freedom: float) -> float:
    """Return the quantile of Student's t for a two-sided interval of this coverage.

    ``freedom``: the degrees of freedom; below 1 they count as 1, and infinity gives the normal quantile.

    >>> round(t_quantile(0.95, 48), 4), round(t_quantile(0.95, math.inf), 4)
    (2.0106, 1.96)
    """
    special, below = imported("scipy.special"), (1 + level) / 2
    return float(special.ndtri(below) if math.isinf(freedom) else special.stdtrit(max(1.0, freedom), below))
