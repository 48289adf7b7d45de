"""Means over parts of the rows, with intervals over clusters such as questions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim.stats.intervals.bounded_mean import bounded_means, sums_of
from answersim.stats.intervals.cluster_bootstrap import numbered
from answersim.stats.intervals.resampling import Estimate


class ClusteredMeans:
    """Means over parts of the same rows, with the intervals of ``bounded_mean``.

    ``groups``: what each row belongs to, such as its question; shape (n,).

    Attributes:
        numbers: The number of the cluster of each row from 0, shape (n,).

    >>> means = ClusteredMeans(["a", "a", "b"], 0.95)
    >>> means.of([1.0, 0.0, 1.0], [True, True, False]).value
    0.5
    """

    def __init__(self, groups: Sequence[Hashable] | NDArray[Any], level: float) -> None:
        self.level = level
        self.numbers = numbered(groups)

    def clusters(self, mask: Any) -> int:
        """Return how many clusters have rows in this part, a mask of shape (n,)."""
        return int(np.count_nonzero(np.bincount(self.numbers[np.asarray(mask, dtype=bool)])))

    def of(self, values: Any, mask: Any = None, weights: Any = None) -> Estimate:
        """Return the mean of these values over a part, or over all rows, with its interval; nan if the part is empty.

        ``values``: one finite number per row, shape (n,). The possible numbers are those from 0 to 1, and those between
        the lowest and the highest value of all rows. ``mask``: a mask of shape (n,). ``weights``: what each row counts,
        above 0, shape (n,); 1 if not given.
        """
        return self.of_all([(values, mask, weights)])[0]

    def of_all(self, columns: Sequence[tuple[Any, Any, Any]]) -> list[Estimate]:
        """Return ``of`` several columns, each given as values, part and weights. All intervals are found at once."""
        samples, bounds = [], []
        for values, mask, weights in columns:
            column = np.asarray(values).astype(np.float64)
            held = slice(None) if mask is None else np.asarray(mask, dtype=bool)
            weighted = None if weights is None else np.asarray(weights, dtype=np.float64)[held]
            samples.append(sums_of(column[held], self.numbers[held], weighted))
            bounds.append((float(column.min(initial=0.0)), float(column.max(initial=1.0))))
        return bounded_means(samples, bounds, self.level)
