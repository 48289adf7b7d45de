"""Two systems on the same rows: the interval of the mean difference, and the smallest detectable difference."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from answersim.stats.proportion import t_quantile


class PairedDifference(NamedTuple):
    """A mean difference.

    Attributes:
        value: The mean of the differences.
        low: The lower end of its interval.
        high: The upper end.
        error: The standard error, with the two pseudo-observations of the interval.
    """

    value: float
    low: float
    high: float
    error: float


def paired_difference(
    differences: Any, *, clusters: Any = None, reach: float = 1.0, level: float = 0.95
) -> PairedDifference:
    """Return the mean difference with its interval.

    Two pseudo-observations are added for the interval, one with the largest possible difference in each direction. So
    the interval has a width even if no row differs: of 100 rows without a difference, the interval of a difference of
    verdicts is [-.028, .028]. For verdicts this is the interval of Bonett and Price.

    Args:
        differences: Second minus first, finite numbers, shape (n,), n >= 2.
        clusters: The number of the cluster of each row from 0, shape (n,); each row is its own cluster if not given.
        reach: The largest possible difference: 1 for verdicts and for scores from 0 to 1.
        level: The coverage.

    >>> verdicts = np.repeat([0.0, 1.0, -1.0], [80, 15, 5])
    >>> [round(number, 4) for number in paired_difference(verdicts)]
    [0.1, 0.0089, 0.1872, 0.0449]

    Source: Bonett & Price 2012, "Adjusted Wald confidence interval for a difference of binomial proportions based on
    paired data", with Student's t and sums over clusters.
    """
    gaps = np.asarray(differences, dtype=np.float64)
    n = len(gaps)
    numbers = np.arange(n) if clusters is None else np.asarray(clusters, dtype=np.int64)
    size = int(numbers.max()) + 1
    middle = float(gaps.sum()) / (n + 2)
    by_cluster = np.bincount(numbers, weights=gaps - middle, minlength=size)
    by_row = float(np.square(gaps - middle).sum())
    likeness = max(1.0, float(by_cluster @ by_cluster) / by_row) if by_row > 0 else n / size
    pseudo = (reach - middle) ** 2 + (reach + middle) ** 2
    error = math.sqrt(likeness * (by_row + pseudo)) / (n + 2)
    groups = len(np.unique(numbers))
    half = t_quantile(level, groups - 1) * error
    return PairedDifference(float(gaps.mean()), middle - half, middle + half, error)


def least_difference(error: float, level: float = 0.95, power: float = 0.8) -> float:
    """Return the true difference that a two-sided test at the level 1 - ``level`` detects with this probability.

    Args:
        error: The standard error of the difference.
        level: 1 less the level of significance.
        power: The probability of detecting it.

    >>> round(least_difference(0.01), 4)
    0.028

    Source: Card et al. 2020, "With little power comes great responsibility"; the normal approximation.
    """
    return error * (t_quantile(level, math.inf) + t_quantile(2 * power - 1, math.inf))
