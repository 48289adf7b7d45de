"""Rates of answers that may be left out: the share attempted, the accuracy given an attempt, and their F1.

An answer that is not attempted is neither right nor wrong. F1 is the harmonic mean of the share of right answers and of
the accuracy given an attempt: 2 right / (all + attempted). It is therefore the mean of the right answers in which an
answer that is not attempted counts half as much as an attempt.

Source: Wei et al. 2024, "Measuring short-form factuality in large language models" (SimpleQA).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.stats.intervals.clustered_means import ClusteredMeans
from answersim.stats.intervals.paired import paired_all
from answersim.stats.intervals.resampling import Difference, Estimate


class AttemptRates(NamedTuple):
    """The share attempted, the accuracy given an attempt (nan if there is none), and F1, with their intervals."""

    attempted: Estimate
    accuracy: Estimate
    f1: Estimate


def attempt_rates(right: Any, attempted: Any, means: ClusteredMeans, mask: Any) -> AttemptRates:
    """Return the rates of the answers in a part of the rows, with intervals over the clusters.

    ``right``: whether each answer is right, shape (n,). A right answer was attempted. ``mask``: a mask of shape (n,).

    >>> means = ClusteredMeans(range(4), 0.95)
    >>> rates = attempt_rates([True, True, False, False], [True, True, True, False], means, np.ones(4, dtype=bool))
    >>> [round(rate.value, 3) for rate in rates]  # 3 of 4, 2 of 3, 4 / 7
    [0.75, 0.667, 0.571]
    """
    return AttemptRates(*means.of_all(attempt_columns(right, attempted, mask)))


def attempt_columns(right: Any, attempted: Any, mask: Any) -> list[tuple[Any, Any, Any]]:
    """Return what the three rates are means of: values, part and weights, as for ``ClusteredMeans.of_all``."""
    tried, held = np.asarray(attempted, dtype=bool), np.asarray(mask, dtype=bool)
    return [(tried, held, None), (right, held & tried, None), (right, held, _weights(tried))]


def attempt_differences(
    first: tuple[Any, Any], second: tuple[Any, Any], *, groups: Any = None, level: float = 0.95
) -> tuple[Difference, Difference, Difference]:
    """Return the paired differences of the three rates: attempted, accuracy given an attempt, F1.

    The rates are ratios of means. Each answer is replaced by its linear contribution to the ratio, so that the paired
    procedure for means gives interval and p. ``first``: whether each answer of the first system is right, and whether
    it was attempted; both of shape (n,). ``groups``: the number of the cluster of each row from 0, shape (n,); each row
    is its own cluster if not given. The result is nan for the accuracy if a system attempted nothing.

    Source: Cochran 1977, "Sampling techniques", section 6.4 (the difference of two ratios).
    """
    right, tried = (np.asarray(column, dtype=np.float64) for column in first)
    right_then, tried_then = (np.asarray(column, dtype=np.float64) for column in second)
    ones = np.ones_like(right)
    ratios = [((tried, ones), (tried_then, ones)), ((right, _weights(tried)), (right_then, _weights(tried_then)))]
    if tried.any() and tried_then.any():
        ratios.append(((right, tried), (right_then, tried_then)))
    columns, bounds = [], []
    for of_first, of_second in ratios:
        (before, least, most), (after, least_then, most_then) = _linear(*of_first), _linear(*of_second)
        columns.append(after - before)
        bounds.append((min(least_then - most, -1.0), max(most_then - least, 1.0)))
    differences = [Difference(*row[:4]) for row in paired_all(columns, groups=groups, bounds=bounds, level=level)]
    attempted, f1, accuracy = [*differences, Difference(np.nan, np.nan, np.nan, np.nan)][:3]
    return attempted, accuracy, f1


def _weights(attempted: Any) -> FloatArray:
    """Return what each answer counts in F1."""
    weights: FloatArray = 0.5 + 0.5 * np.asarray(attempted, dtype=np.float64)
    return weights


def _linear(totals: FloatArray, sizes: FloatArray) -> tuple[FloatArray, float, float]:
    """Return the contribution of each row to a ratio, whose mean is the ratio, and the ends of its possible values."""
    size = float(sizes.mean())
    ratio = float(totals.mean()) / size
    values: FloatArray = ratio + (totals - ratio * sizes) / size
    return values, ratio - ratio / size, ratio + (1 - ratio) / size
