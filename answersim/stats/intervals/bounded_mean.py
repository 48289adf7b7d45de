"""The interval of the mean of bounded numbers, from few or many clusters, also if the rare numbers were not drawn.

The bootstrap has no resample with an error if the sample has none. The lower end here is a quantile of the weighted
mean of the clusters and of one virtual cluster that has the lowest possible number; the weights are random and all
divisions of 1 are equally probable. The upper end has the highest possible number in its place. For shares of
independent rows these are the ends of Clopper and Pearson, and for many rows of any kind those of the bootstrap.

The virtual cluster has the mean size of the cluster of a random row: a large cluster that was not drawn changes the
mean most. (With the mean size of all clusters, the coverage falls to .84.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim.stats.intervals.resampling import Estimate

_NEAR = 1e-3  # standard deviations from the mean, where the saddlepoint formula is 0 / 0
_PRECISION = 1e-9
_LEAST = 1e-290  # a width below counts as 0; the search takes no smaller tolerance
_FULL_STEP = 0.25  # Newton decrement below which a whole step converges quadratically
_MOST_STEPS = 200
_BATCH = 1 << 14  # cells of a table of clusters that are computed together
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
    Clusters of unequal sizes are covered in simulations only (the same page).
    """
    return bounded_means([sums_of(values, groups, weights)], [bounds], level)[0]


def bounded_means(
    samples: Sequence[Sums], bounds: Sequence[tuple[float, float]], level: float = 0.95
) -> list[Estimate]:
    """Return ``bounded_mean`` of each sample, whose values are between its bounds. All ends are found at once."""
    share = (1 - level) / 2
    drawn = [i for i, sums in enumerate(samples) if len(sums.totals)]
    lows = [(samples[i], bounds[i][0], share) for i in drawn]
    highs = [(mirrored(samples[i]), -bounds[i][1], share) for i in drawn]
    ends = lower_ends(lows + highs).tolist()
    estimates = [Estimate(np.nan, np.nan, np.nan)] * len(samples)
    for i, low, high in zip(drawn, ends, ends[len(drawn) :], strict=False):
        estimates[i] = Estimate(samples[i].mean, low, -high)
    return estimates


def binned_mean(values: FloatArray, level: float = 0.95) -> Estimate:
    """Return the mean of many numbers from 0 to 1 with its interval, in which they are the mean of their bin."""
    bins = np.minimum((values * BINS).astype(np.int64), BINS - 1)
    counts = np.bincount(bins, minlength=BINS).astype(np.float64)
    totals = np.bincount(bins, weights=values, minlength=BINS)[counts > 0]
    counts = counts[counts > 0]
    return bounded_means([Sums(totals / counts, np.ones_like(counts), counts)], [(0.0, 1.0)], level)[0]


def sums_of(values: Any, groups: Any = None, weights: Any = None) -> Sums:
    """Return the sums of the clusters that have rows. Equal ones are counted together."""
    column = np.asarray(values, dtype=np.float64)
    numbers: NDArray[np.int64] = np.arange(len(column)) if groups is None else np.asarray(groups, dtype=np.int64)
    sizes = np.bincount(numbers, weights)
    totals = np.bincount(numbers, column if weights is None else column * weights)
    pairs = np.sort((totals + 1j * sizes)[sizes > 0])  # np.unique would import the masked arrays of numpy
    firsts = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])
    counts = np.diff(firsts, append=len(pairs)).astype(np.float64)
    return Sums(pairs[firsts].real, pairs[firsts].imag, counts)


def tails(requests: Sequence[tuple[Sums, float, float]]) -> FloatArray:
    """Return the probabilities that weighted means, each with a virtual cluster, are at most a mean, shape (n,).

    Each is the one-sided p of the hypothesis that the true mean is this one or less. The lower end of an interval is
    the mean with the p of one tail, so that test and interval agree. ``requests``: the sums, the lower bound of all
    numbers, which the virtual cluster has, and the mean. For the other tail, give ``mirrored`` sums and the negative
    numbers.
    """
    probabilities = np.empty(len(requests))
    for batch, samples in _tables(requests):
        probabilities[batch] = samples.over(0.0, samples.values)
    return probabilities


def lower_ends(requests: Sequence[tuple[Sums, float, float]]) -> FloatArray:
    """Return the lower ends of intervals: the means with these tails, shape (n,). All are found at once.

    ``requests``: the sums, the lower bound of all numbers, and the share of the tail.
    """
    ends = np.array([bound for _, bound, _ in requests], dtype=np.float64)
    for batch, samples in _tables(requests):
        high = samples.means()
        above = high - samples.bounds > _LEAST  # the end of the others is their bound
        if above.any():
            samples = _Samples(*[column[above] for column in samples])
            over, width = partial(samples.over, samples.values), high[above] - samples.bounds
            ends[batch[above]] = brentq(over, samples.bounds, high[above], _PRECISION * width)
    return ends


def mirrored(sums: Sums) -> Sums:
    """Return the sums of the negative numbers, whose lower end is the negative upper end."""
    return sums._replace(totals=-sums.totals)


def _tables(requests: Sequence[tuple[Sums, float, float]]) -> Iterator[tuple[NDArray[np.int64], _Samples]]:
    """Yield tables of requests of one width, and their positions.

    The width depends on a sample alone, and so does the order in which its clusters are added. A table has at most
    ``_BATCH`` cells, or one request.
    """
    lengths = np.array([len(sums.totals) + 1 for sums, _, _ in requests])
    steps = 2 ** np.maximum(3, np.frexp(lengths)[1] - 4)
    widths = -(-lengths // steps) * steps
    for width in sorted(set(widths.tolist())):
        alike, n = np.flatnonzero(widths == width), max(1, _BATCH // width)
        for start in range(0, len(alike), n):
            batch = alike[start : start + n]
            yield batch, _Samples.of([requests[i] for i in batch.tolist()], width)


class _Samples(NamedTuple):
    """The clusters of several samples, shape (n, g): the virtual one, the others, and empty ones with the count 0."""

    totals: FloatArray
    sizes: FloatArray
    counts: FloatArray
    bounds: FloatArray  # the value of each virtual cluster, shape (n,)
    values: FloatArray  # the mean or the tail that is given for each sample, shape (n,)

    @classmethod
    def of(cls, requests: Sequence[tuple[Sums, float, float]], width: int) -> _Samples:
        """Return the table of these requests."""
        totals, sizes, counts = columns = np.zeros((3, len(requests), width))
        for i, (sums, _, _) in enumerate(requests):
            columns[:, i, 1 : 1 + len(sums.totals)] = sums
        sizes[:, 0] = (counts * np.square(sizes)).sum(axis=1) / (counts * sizes).sum(axis=1)
        counts[:, 0] = 1.0
        return cls(totals, sizes, counts, *np.array([request[1:] for request in requests], dtype=np.float64).T)

    def means(self) -> FloatArray:
        """Return the mean of each sample, without its virtual cluster, shape (n,)."""
        means: FloatArray = (self.counts * self.totals).sum(axis=1) / (self.counts * self.sizes)[:, 1:].sum(axis=1)
        return means

    def over(self, shares: FloatArray | float, means: FloatArray) -> FloatArray:
        """Return how far the tail of each sample at this mean is over a share, shape (n,)."""
        parts = self.totals - means[:, None] * self.sizes
        parts[:, 0] = (self.bounds - means) * self.sizes[:, 0]
        return _at_most_zero(parts, self.counts) - shares


def _at_most_zero(parts: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the probabilities that sums of exponential variables, times these parts, are at most 0, shape (n,).

    A random division of 1 is made of such variables over their sum. The probability is exact if a single part is below
    or above 0. Else it is the saddlepoint approximation, which is within 1 % of a tail of .025. Both arguments have the
    shape (n, g). An empty part is 0 and has the count 0.

    Source: Lugannani & Rice 1980; Davison & Hinkley 1988, "Saddlepoint approximations in resampling methods".
    """
    low, high = parts.min(axis=1), parts.max(axis=1)
    only_low = (counts * (parts < 0)).sum(axis=1) == 1
    only_high = (counts * (parts > 0)).sum(axis=1) == 1
    result = (high <= 0).astype(np.float64)
    inside = (low < 0) & (high > 0)
    if (rows := inside & (only_low | only_high)).any():
        is_low = only_low[rows]
        sign = np.where(is_low, 1.0, -1.0)
        ends = np.where(is_low, -low[rows], high[rows])  # the sizes of the single parts, which count once
        others = np.maximum(sign[:, None] * parts[rows], 0.0)  # the logarithm of the quotient is 0 for a part of 0
        beyond = np.exp(-(counts[rows] * (np.log(others + ends[:, None]) - np.log(ends)[:, None])).sum(axis=1))
        result[rows] = np.where(is_low, beyond, 1 - beyond)
    if (rows := inside & ~only_low & ~only_high).any():
        largest = np.maximum(high, -low)[rows, None]
        result[rows] = _saddlepoint(parts[rows] / largest, counts[rows])
    return result


def _saddlepoint(parts: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the probabilities by the saddlepoint formula. The largest part of each row has the size 1."""
    slope, left = _slopes(parts, counts)
    distance = np.copysign(np.sqrt(np.maximum(0.0, 2 * (counts * np.log(left)).sum(axis=1))), slope)
    scaled = slope * np.sqrt((counts * np.square(parts / left)).sum(axis=1))
    density = np.exp(-(distance**2) / 2) / math.sqrt(2 * math.pi)
    with np.errstate(divide="ignore", invalid="ignore"):
        correction = density * (1 / distance - 1 / scaled)
    normal = np.fromiter(map(math.erfc, (-distance / math.sqrt(2)).tolist()), dtype=np.float64) / 2
    result = np.clip(normal + correction, 0.0, 1.0)
    if (near := np.minimum(np.abs(distance), np.abs(scaled)) < _NEAR).any():
        parts, counts = parts[near], counts[near]
        skew = 2 * (counts * parts**3).sum(axis=1) / (counts * np.square(parts)).sum(axis=1) ** 1.5
        result[near] = 0.5 + skew / 6 / math.sqrt(2 * math.pi)
    return result


def _slopes(parts: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the slopes s at which the sums of parts / (1 - s parts) are 0, shape (n,), and 1 - s parts, shape (n, g).

    Damped Newton steps never leave the interval of slopes, because the logarithms of 1 - s parts are a
    self-concordant barrier.

    Source: Boyd & Vandenberghe 2004, "Convex optimization", section 9.6.4.
    """
    slopes, left = np.zeros(len(parts)), np.ones_like(parts)
    for _ in range(_MOST_STEPS):
        ratios = parts / left
        first, second = (counts * ratios).sum(axis=1), (counts * np.square(ratios)).sum(axis=1)
        decrement = np.abs(first) / np.sqrt(second)
        moving = decrement >= _PRECISION
        if not moving.any():
            break
        slopes -= np.where(moving, first / second / (1 + decrement * (decrement > _FULL_STEP)), 0.0)
        left = 1 - slopes[:, None] * parts
    return slopes, left


_MOST_BISECTIONS = 200
_EPSILON = 2.0**-52


def brentq(
    function: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray, xtol: FloatArray
) -> FloatArray:
    """Return where each of several continuous functions is 0, to within ``xtol``, shape (n,).

    ``function``: returns the values of all functions, each at its own point. ``low``, ``high``, ``xtol``: shape (n,).
    The signs of each function at both ends must differ.

    Source: Brent 1973, "Algorithms for minimization without derivatives", chapter 4; as ``scipy.optimize.brentq``.
    """
    a, b, c = low, high, low
    of_a, of_b = function(a), function(b)
    of_c = of_a
    step = before = b - a
    for _ in range(_MOST_BISECTIONS):
        same = (of_b > 0) == (of_c > 0)
        c, of_c = np.where(same, a, c), np.where(same, of_a, of_c)
        step, before = np.where(same, b - a, step), np.where(same, b - a, before)
        swap = np.abs(of_c) < np.abs(of_b)
        a, b, c = np.where(swap, b, a), np.where(swap, c, b), np.where(swap, b, c)
        of_a, of_b, of_c = np.where(swap, of_b, of_a), np.where(swap, of_c, of_b), np.where(swap, of_b, of_c)
        tolerance, half = 2 * _EPSILON * np.abs(b) + xtol / 2, (c - b) / 2
        open_ = (np.abs(half) > tolerance) & (of_b != 0)  # a root that was found does not move again
        if not open_.any():
            break
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            over, under = _interpolated(a, b, c, of_a, of_b, of_c)
            fits = 2 * over < np.minimum(3 * half * under - np.abs(tolerance * under), np.abs(before * under))
            fits &= (np.abs(before) >= tolerance) & (np.abs(of_a) > np.abs(of_b))
            before, step = np.where(fits, step, half), np.where(fits, over / under, half)
        a, of_a = np.where(open_, b, a), np.where(open_, of_b, of_a)
        moved = b + np.where(np.abs(step) > tolerance, step, np.copysign(tolerance, half))
        b = np.where(open_, moved, b)
        of_b = np.where(open_, function(b), of_b)
    return b


def _interpolated(
    a: FloatArray, b: FloatArray, c: FloatArray, of_a: FloatArray, of_b: FloatArray, of_c: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the steps from b as fractions, by the secant or by the inverse parabola through three points."""
    s, q, r = of_b / of_a, of_a / of_c, of_b / of_c
    secant = a == c
    over = s * np.where(secant, c - b, (c - b) * q * (q - r) - (b - a) * (r - 1))
    under = np.where(secant, 1 - s, (q - 1) * (r - 1) * (s - 1))
    return np.abs(over), np.where(over > 0, -under, under)
