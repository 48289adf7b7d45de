"""Means over parts of the rows, with intervals over clusters such as questions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from answersim.stats.cluster_bootstrap import Resamples, draw, numbered, sums
from answersim.stats.resampling import Estimate, percentile
from answersim.types import FloatArray

MOST = 10_000  # clusters up to which the interval is that of the bootstrap
_CELLS = 50_000_000  # counts of resamples in memory


class ClusteredMeans:
    """Means over parts of the same rows, on the same resamples of their clusters.

    With up to 10,000 clusters, intervals are percentiles of the bootstrap. With more, they are normal with the variance
    of a ratio of sums over clusters, which then agrees with the bootstrap and needs little memory. If a part holds
    nothing but zeros or nothing but ones, resamples are all alike, and the interval is the score interval of a share
    of as many rows as there are clusters. Otherwise, a part has no interval if it holds one
    cluster, or equal values only.

    Args:
        clusters: What each row belongs to, such as its question; shape (n,).
        resamples: The number of resamples.
        level: The coverage of the intervals.
        rng: Where resamples are drawn from.

    >>> means = ClusteredMeans(["a", "a", "b"], 200, 0.95, np.random.default_rng(0))
    >>> means.of([1.0, 0.0, 1.0], [True, True, False]).value
    0.5

    Source: Davison & Hinkley 1997, section 3.8; Cochran 1977, equation 6.13, for the variance of a ratio; Wilson 1927
    for the score interval.
    """

    def __init__(self, clusters: Sequence[Hashable], resamples: int, level: float, rng: np.random.Generator) -> None:
        self.level = level
        self._cluster = numbered(clusters)
        self._size = int(self._cluster.max(initial=-1)) + 1
        bootstrap = self._size <= MOST and self._size * resamples <= _CELLS
        self._resamples: Resamples | None = draw(clusters, resamples, rng) if bootstrap else None

    def clusters(self, part: Any) -> int:
        """Return how many clusters have rows in this part, a mask of shape (n,)."""
        return len(np.unique(self._cluster[np.asarray(part, dtype=bool)]))

    def of(self, values: Any, part: Any) -> Estimate:
        """Return the mean of these values over a part, with its interval; nan if the part is empty.

        Args:
            values: One finite number per row, shape (n,).
            part: A mask of shape (n,).
        """
        held = np.asarray(part, dtype=np.float64)
        numbers = np.asarray(values, dtype=np.float64) * held
        n = float(held.sum())
        if not n:
            return Estimate(np.nan, np.nan, np.nan)
        value = float(numbers.sum() / n)
        inside = np.asarray(values, dtype=np.float64)[held > 0]
        if (inside == 0).all() or (inside == 1).all():
            return Estimate(value, *_score_interval(value, self.clusters(part), self.level))
        if self.clusters(part) < 2 or inside.min() == inside.max():
            return Estimate(value, np.nan, np.nan)
        if self._resamples is not None:
            total, count = sums(np.stack([numbers, held]), self._resamples)
            shares = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
            return Estimate(value, *percentile(shares, self.level))
        half = NormalDist().inv_cdf((1 + self.level) / 2) * self._error(numbers - value * held) / n
        return Estimate(value, value - half, value + half)

    def _error(self, residuals: FloatArray) -> float:
        """Return the standard error of a sum of residuals, whose clusters are independent."""
        by_cluster = np.bincount(self._cluster, weights=residuals, minlength=self._size)
        return float(np.sqrt((by_cluster**2).sum() * self._size / (self._size - 1)))


def _score_interval(share: float, n: int, level: float) -> tuple[float, float]:
    """Return the score interval of a share of n rows."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return max(0.0, middle - half), min(1.0, middle + half)
