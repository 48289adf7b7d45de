"""The interval of a mean of scores: of scores from 0 to 1 within these bounds, of any others by Student's t."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from answersim._base.arrays import Interval
from answersim.stats.intervals.bounded_mean import binned_mean, bounded_mean
from answersim.stats.intervals.proportion import t_quantile

MANY = 10_000  # from more scores on, those from 0 to 1 are counted in bins


def mean_interval(values: Any, level: float) -> Interval:
    """Return the interval of the mean of scores, shape (n,); nan, nan for none, or for a single one outside 0 to 1.

    Scores from 0 to 1 have the interval of ``bounded_mean``, which also covers the true mean if the few scores that
    differ were not drawn. Other scores have no known bounds.

    >>> [round(end, 3) for end in mean_interval([1.0] * 29 + [0.0], 0.95)]  # Clopper-Pearson
    [0.828, 0.999]
    """
    values = np.asarray(values, dtype=np.float64)
    n = len(values)
    if n and ((values >= 0) & (values <= 1)).all():
        estimate = bounded_mean(values, level=level) if n <= MANY else binned_mean(values, level)
        return Interval(estimate.low, estimate.high)
    if n < 2:
        return Interval(math.nan, math.nan)
    mean, squares = float(values.mean()), float(values.var()) * n
    half = t_quantile(level, n - 1) * math.sqrt(squares / (n - 1) / n)
    return Interval(mean - half, mean + half)
