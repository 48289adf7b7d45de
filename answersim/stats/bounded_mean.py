"""The interval of the mean of bounded numbers, from few or many clusters, also if the rare numbers were not drawn.

The bootstrap has no resample with an error if the sample has none. The lower end here is a quantile of the weighted
mean of the clusters and of one virtual cluster that has the lowest possible number; the weights are random and all
divisions of 1 are equally probable. The upper end has the highest possible number in its place. For shares of
independent rows these are the ends of Clopper and Pearson, and for many rows of any kind those of the bootstrap.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.stats.resampling import Estimate
from answersim.stats.root import brentq
from answersim.types import FloatArray

_NEAR = 1e-3  # standard deviations from the mean, where the saddlepoint formula is 0 / 0
_PRECISION = 1e-9
_LEAST = 1e-290  # a width below counts as 0; the search takes no smaller tolerance
_FULL_STEP = 0.25  # Newton decrement below which a whole step converges quadratically
_MOST_STEPS = 200
BINS = 4096  # a spread within a bin adds less than 5e-9 to the variance


class Sums(NamedTuple):
    """The sum of each cluster and its number of rows, shape (g,), and how many clusters have both, shape (g,)."""

    totals: FloatArray
    sizes: FloatArray
    counts: FloatArray

    @property
    def mean(self) -> float:
        """The mean of all rows."""
        return float(self.counts @ self.totals) / float(self.counts @ self.sizes)

    @property
    def size(self) -> float:
        """The mean number of rows per cluster: that of the virtual cluster."""
        return float(self.counts @ self.sizes) / float(self.counts.sum())


def bounded_mean(
    values: Any,
    *,
    groups: Any = None,
    weights: Any = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
) -> Estimate:
    """Return the mean of numbers between two bounds, with its interval, which is within the bounds.

    Nothing is drawn, so that the interval depends on the values and clusters only.

    Args:
        values: Numbers from ``bounds[0]`` to ``bounds[1]``, shape (n,). nan for no values.
        groups: The number of the cluster of each row from 0, shape (n,), such as its question. Rows of one cluster
            may be alike. Each row is its own cluster if not given.
        weights: What each row counts, above 0, shape (n,); 1 if not given.
        bounds: The lowest and the highest possible value.
        level: The coverage of the interval, between 0 and 1.

    >>> right = np.repeat([1.0, 0.0], [29, 1])
    >>> [round(number, 3) for number in bounded_mean(right)]  # Clopper-Pearson: .828 and .999
    [0.967, 0.828, 0.999]
    >>> [round(number, 3) for number in bounded_mean(np.full(30, 0.97))]
    [0.97, 0.858, 0.973]

    Source: Gaffke 2005, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
    variable"; Learned-Miller & Thomas 2019, "A new confidence interval for the mean of a bounded random variable"
    (coverage of at least the level is proven for shares and a conjecture for other numbers; our simulations are in
    ``benchmarks/results/coverage.md``). Clusters are our own addition: ratios of sums as in Cochran 1977, chapter 6.
    """
    sums = sums_of(values, groups, weights)
    return _estimate(sums, bounds, level) if len(sums.totals) else Estimate(np.nan, np.nan, np.nan)


def binned(values: FloatArray) -> FloatArray:
    """Return how many numbers from 0 to 1 are in each of equal parts, and their sums, shape (2, BINS).

    The bins of pieces add up to those of the whole.
    """
    parts = np.minimum((values * BINS).astype(np.int64), BINS - 1)
    return np.stack([np.bincount(parts, minlength=BINS), np.bincount(parts, weights=values, minlength=BINS)])


def mean_of_bins(bins: FloatArray, level: float = 0.95) -> Estimate:
    """Return the mean of the numbers in these bins with its interval, in which they are the mean of their bin.

    >>> values = np.repeat([1.0, 0.0], [29, 1])
    >>> mean_of_bins(binned(values)) == bounded_mean(values)
    True
    """
    counts, totals = bins[:, bins[0] > 0]
    return _estimate(Sums(totals / counts, np.ones_like(counts), counts), (0.0, 1.0), level)


def _estimate(sums: Sums, bounds: tuple[float, float], level: float) -> Estimate:
    share = (1 - level) / 2
    return Estimate(sums.mean, lower_end(sums, bounds[0], share), upper_end(sums, bounds[1], share))


def sums_of(values: Any, groups: Any = None, weights: Any = None) -> Sums:
    """Return the sums of the clusters that have rows. Equal ones are counted together."""
    column = np.asarray(values, dtype=np.float64)
    numbers: NDArray[np.int64] = np.arange(len(column)) if groups is None else np.asarray(groups, dtype=np.int64)
    sizes = np.bincount(numbers, weights)
    totals = np.bincount(numbers, column if weights is None else column * weights)
    distinct, counts = np.unique((totals + 1j * sizes)[sizes > 0], return_counts=True)
    return Sums(distinct.real, distinct.imag, counts.astype(np.float64))


def tail(sums: Sums, mean: float, bound: float) -> float:
    """Return the probability that the weighted mean, with a virtual cluster at this lower bound, is at most ``mean``.

    It is the one-sided p of the hypothesis that the true mean is ``mean`` or less. The lower end of an interval is the
    mean with the p of one tail, so that test and interval agree.

    >>> six_of_six = sums_of([1.0] * 6 + [0.0] * 94)  # the sign test has p = 1 / 2**6
    >>> round(tail(six_of_six, 0.0, -1.0), 4), round(1 / 2**6, 4)
    (0.0156, 0.0156)
    """
    parts = np.append(sums.totals - mean * sums.sizes, (bound - mean) * sums.size)
    return _at_most_zero(parts, np.append(sums.counts, 1.0))


def upper_tail(sums: Sums, mean: float, bound: float) -> float:
    """Return the probability that the weighted mean, with a virtual cluster at this bound, is at least ``mean``."""
    return tail(_mirrored(sums), -mean, -bound)


def lower_end(sums: Sums, bound: float, share: float) -> float:
    """Return the lower end of the interval: the mean whose tail is this share, with this lower bound of all numbers."""
    if sums.mean <= bound:
        return bound
    width = sums.mean - bound
    if width <= _LEAST:
        return bound
    return float(brentq(lambda mean: tail(sums, mean, bound) - share, bound, sums.mean, xtol=_PRECISION * width))


def upper_end(sums: Sums, bound: float, share: float) -> float:
    """Return the upper end of the interval: the mean whose upper tail is this share, with this bound."""
    return -lower_end(_mirrored(sums), -bound, share)


def _mirrored(sums: Sums) -> Sums:
    return sums._replace(totals=-sums.totals)


def _at_most_zero(parts: FloatArray, counts: FloatArray) -> float:
    """Return the probability that a sum of exponential variables, times these parts, is at most 0.

    A random division of 1 is made of such variables over their sum. The probability is exact if a single part is below
    or above 0. Else it is the saddlepoint approximation, which is within 1 % of a tail of .025.

    Source: Lugannani & Rice 1980; Davison & Hinkley 1988, "Saddlepoint approximations in resampling methods".
    """
    low, high = float(parts.min()), float(parts.max())
    if low >= 0 or high <= 0:
        return float(high <= 0)
    for end, others, is_low in ((low, parts > 0, True), (high, parts < 0, False)):
        if _sum(counts * (parts < 0 if is_low else parts > 0)) == 1:  # exp(-sum of the others / end) is its tail
            beyond = math.exp(-_sum(counts[others] * (np.log(np.abs(parts[others] - end)) - math.log(abs(end)))))
            return beyond if is_low else 1 - beyond
    parts = parts / max(high, -low)
    slope, left = _saddlepoint(parts, counts)
    distance = math.copysign(math.sqrt(max(0.0, 2 * _sum(counts * np.log(left)))), slope)
    scaled = slope * math.sqrt(_sum(counts * np.square(parts / left)))
    if min(abs(distance), abs(scaled)) < _NEAR:
        skew = 2 * _sum(counts * parts**3) / _sum(counts * np.square(parts)) ** 1.5
        return 0.5 + skew / 6 / math.sqrt(2 * math.pi)
    density = math.exp(-(distance**2) / 2) / math.sqrt(2 * math.pi)
    return min(1.0, max(0.0, math.erfc(-distance / math.sqrt(2)) / 2 + density * (1 / distance - 1 / scaled)))


def _saddlepoint(parts: FloatArray, counts: FloatArray) -> tuple[float, FloatArray]:
    """Return the slope s at which the sum of parts / (1 - s parts) is 0, and 1 - s parts.

    Damped Newton steps never leave the interval of slopes, because the logarithms of 1 - s parts are a
    self-concordant barrier.

    Source: Boyd & Vandenberghe 2004, "Convex optimization", section 9.6.4.
    """
    slope, left = 0.0, np.ones_like(parts)
    for _ in range(_MOST_STEPS):
        ratios = parts / left
        first, second = _sum(counts * ratios), _sum(counts * np.square(ratios))
        decrement = abs(first) / math.sqrt(second)
        if decrement < _PRECISION:
            break
        slope -= first / second / (1 + decrement * (decrement > _FULL_STEP))
        left = 1 - slope * parts
    return slope, left


def _sum(values: FloatArray) -> float:
    """Return the sum, without the threads of a linear algebra library, which wait for each other on busy cores."""
    return float(values.sum())
