"""Means over parts of the rows, with intervals over clusters such as questions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim.stats.cluster_bootstrap import draw, numbered
from answersim.stats.resampling import Estimate, percentile
from answersim.types import FloatArray

MOST = 10_000  # clusters up to which the interval is that of the bootstrap
_CELLS = 50_000_000  # counts of resamples in memory


class ClusteredMeans:
    """Means over parts of the same rows, on the same resamples of their clusters.

    With up to 10,000 clusters, intervals are percentiles of the bootstrap. With more, they are normal with the variance
    of a ratio of sums over clusters, which then agrees with the bootstrap and needs little memory. If a part contains
    only zeros or only ones, all resamples are equal, and the interval is the score interval of a share of as many rows
    as there are clusters. Otherwise, a part has no interval if it contains one cluster or equal values only.

    Args:
        clusters: What each row belongs to, such as its question; shape (n,).
        resamples: The number of resamples.
        level: The coverage of the intervals.
        rng: The generator of the resamples.

    >>> means = ClusteredMeans(["a", "a", "b"], 200, 0.95, np.random.default_rng(0))
    >>> means.of([1.0, 0.0, 1.0], [True, True, False]).value
    0.5

    Source: Davison & Hinkley 1997, section 3.8; Cochran 1977, equation 6.13, for the variance of a ratio; Wilson 1927
    for the score interval.
    """

    def __init__(
        self, clusters: Sequence[Hashable] | NDArray[Any], resamples: int, level: float, rng: np.random.Generator
    ) -> None:
        self.level = level
        self._cluster = numbered(clusters)
        self._size = int(self._cluster.max(initial=-1)) + 1
        bootstrap = self._size <= MOST and self._size * resamples <= _CELLS
        self._times: FloatArray | None = None
        if bootstrap:
            self._times = draw(self._cluster, resamples, rng).times.astype(np.float64)

    def clusters(self, part: Any) -> int:
        """Return how many clusters have rows in this part, a mask of shape (n,)."""
        return int(np.count_nonzero(self._sizes(np.asarray(part, dtype=bool))))

    def of(self, values: Any, part: Any) -> Estimate:
        """Return the mean of these values over a part, with its interval; nan if the part is empty.

        Args:
            values: One finite number per row, shape (n,).
            part: A mask of shape (n,).
        """
        held = np.asarray(part, dtype=bool)
        inside = np.asarray(values)[held].astype(np.float64)
        n = len(inside)
        if not n:
            return Estimate(np.nan, np.nan, np.nan)
        value = float(inside.sum() / n)
        low, high = float(inside.min()), float(inside.max())
        sizes = self._sizes(held)
        n_clusters = int(np.count_nonzero(sizes))
        if low == high and low in (0, 1):
            return Estimate(value, *_score_interval(value, n_clusters, self.level))
        if n_clusters < 2 or low == high:
            return Estimate(value, np.nan, np.nan)
        totals = np.bincount(self._cluster[held], weights=inside, minlength=self._size)
        if self._times is not None:
            total, count = (column @ self._times.T for column in (totals, sizes.astype(np.float64)))
            shares = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
            return Estimate(value, *percentile(shares, self.level))
        squares = float(np.square(totals - value * sizes).sum())  # of the residuals of independent clusters
        half = NormalDist().inv_cdf((1 + self.level) / 2) * (squares * self._size / (self._size - 1)) ** 0.5 / n
        return Estimate(value, value - half, value + half)

    def _sizes(self, part: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return how many rows of this part each cluster has, shape (clusters,)."""
        return np.bincount(self._cluster[part], minlength=self._size)


def _score_interval(share: float, n: int, level: float) -> tuple[float, float]:
    """Return the score interval of a share of n rows."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return max(0.0, middle - half), min(1.0, middle + half)
