"""Coefficients of several metrics over one subset, on the original rows and on shared resamples of them.

The tables of the SAS paper and its curves by layer use this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray, Interval
from answersim._base.errors import unknown
from answersim.stats.intervals.resampling import (
    COEFFICIENTS,
    Difference,
    bootstrap_counts,
    difference_of,
    holm,
    percentile,
)


class Resampled(NamedTuple):
    """One coefficient of several columns with the labels; nan if a column or the labels are constant."""

    values: FloatArray  # on the original rows, shape (m,)
    samples: FloatArray  # on each resample, shape (m, resamples). All columns are measured on the same resamples.

    def intervals(self, level: float = 0.95) -> list[Interval]:
        """Return the percentile interval of each column. Resamples in which the column is constant are left out."""
        return [percentile(samples, level) for samples in self.samples]

    def difference(self, first: int, second: int, level: float = 0.95) -> Difference:
        """Return the coefficient of one column less that of another, with interval and p (see ``difference_of``)."""
        value = float(self.values[first] - self.values[second])
        return difference_of(value, self.samples[first] - self.samples[second], level)


class ScoredSubset(NamedTuple):
    """Labels and scores over the rows of one subset, with the resamples that all its coefficients share."""

    labels: FloatArray  # shape (n,)
    columns: FloatArray  # the scores of each metric, shape (m, n)
    counts: NDArray[np.integer[Any]]  # how often each resample contains each row, shape (resamples, n)

    def resampled(self, coefficient: str = "kendall") -> Resampled:
        """Return one of ``COEFFICIENTS`` for each column. Raise LookupError if there is no coefficient of this name."""
        if coefficient not in COEFFICIENTS:
            raise unknown("coefficient", coefficient, COEFFICIENTS)
        compute = COEFFICIENTS[coefficient]
        samples = compute(self.columns, self.labels, self.counts)
        return Resampled(compute(self.columns, self.labels, None)[:, 0], samples)


def scored_subset(
    mask: NDArray[np.bool_],
    labels: FloatArray,
    columns: Sequence[FloatArray] | FloatArray,
    resamples: int = 0,
    rng: np.random.Generator | None = None,
) -> ScoredSubset:
    """Return the rows of a subset with their resamples.

    ``resamples``: the number of resamples. With 0 nothing is drawn, and no interval is defined.
    """
    within = labels[mask]
    scores = np.array([column[mask] for column in columns]).reshape(len(columns), len(within))
    counts = np.empty((0, len(within)), dtype=np.int32)
    if resamples and rng is not None:
        counts = bootstrap_counts(len(within), resamples, rng)
    return ScoredSubset(within, scores, counts)


Tested = TypeVar("Tested", bound=Any)  # a NamedTuple with p and p_holm


def holm_corrected(results: Sequence[Tested]) -> list[Tested]:
    """Return the same results with ``p_holm``: their p after Holm's correction over all that have one."""
    corrected = holm([result.p for result in results]).tolist()
    return [result._replace(p_holm=p) for result, p in zip(results, corrected, strict=True)]
