"""The cluster bootstrap: clusters are drawn with all their rows, because the rows of one cluster are alike.

The answers of five systems to one question are such rows: an easy question is easy for all. Drawing rows one by one
would treat them as independent, and intervals would be too narrow.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim.stats.intervals.resampling import bootstrap_counts


class Resamples(NamedTuple):
    """Resamples of clusters."""

    cluster: NDArray[np.int64]  # the number of the cluster of each row, shape (n,)
    times: NDArray[np.int32]  # how often each resample contains each cluster, shape (resamples, clusters)

    @property
    def counts(self) -> NDArray[np.int32]:
        """How often each resample contains each row, shape (resamples, n)."""
        return self.times[:, self.cluster]


def numbered(groups: Sequence[Hashable] | NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of the cluster of each row, from 0 in the order of their first rows; shape (n,)."""
    if not (isinstance(groups, np.ndarray) and groups.dtype.kind in "iu"):
        numbers: dict[Hashable, int] = {}
        return np.array([numbers.setdefault(cluster, len(numbers)) for cluster in groups], dtype=np.int64)
    highest = np.maximum.accumulate(groups)
    first_is_new = np.concatenate([[-1], highest[:-1]]) + 1
    if len(groups) and groups.min() >= 0 and (highest <= first_is_new.clip(min=0)).all():
        return groups.astype(np.int64, copy=False)  # they are numbered already
    _, first, place = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place].astype(np.int64)


def draw(groups: Sequence[Hashable] | NDArray[Any], resamples: int, rng: np.random.Generator) -> Resamples:
    """Draw all clusters with replacement for each resample. Clusters may differ in size.

    ``groups``: what each row belongs to, such as its question; shape (n,). ``resamples``: how many, at least 1.

    Source: Davison & Hinkley 1997, section 3.8; Field & Welsh 2007, "Bootstrapping clustered data" (the rows of a drawn
    cluster are not resampled).
    """
    numbers = numbered(groups)
    return Resamples(numbers, bootstrap_counts(int(numbers.max(initial=-1)) + 1, resamples, rng))


def sums(values: Any, resamples: Resamples) -> FloatArray:
    """Return the sum of each column of values over the rows of each resample.

    The rows of a cluster are added up first, so that the cost grows with the number of clusters and not of rows.
    ``values``: finite numbers, shape (k, n). The result has the shape (k, resamples).
    """
    columns = np.asarray(values, dtype=np.float64)
    size = resamples.times.shape[1]
    by_cluster = np.stack([np.bincount(resamples.cluster, weights=column, minlength=size) for column in columns])
    return by_cluster @ resamples.times.T.astype(np.float64)
