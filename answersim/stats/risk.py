"""Which of a sequence of settings keep a risk: upper bounds of error rates, tested in a fixed order."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.runtime.concurrency import importing
from answersim.stats.design_effect import design_effect, rows_per_group
from answersim.types import FloatArray


class BoundedRate(NamedTuple):
    """The error rate of one setting."""

    rate: float  # the observed rate
    bound: float  # its upper confidence bound
    kept: bool  # whether the bound, and that of every earlier setting, is at most the risk


def upper_bound(errors: Any, n: Any, confidence: float = 0.95) -> FloatArray:
    """Return the upper confidence bound of an error rate. It is exact for independent rows.

    ``errors``: how many of the rows are errors; an array or a number, which need not be whole.

    >>> [round(float(upper_bound(k, 299)), 4) for k in (0, 3, 299)]
    [0.01, 0.0257, 1.0]

    Source: Clopper & Pearson 1934.
    """
    with importing("scipy.special"):
        from scipy.special import betaincinv

    hits, rows = np.broadcast_arrays(np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64))
    less = np.maximum(rows - hits, 1e-12)
    return np.where(hits >= rows, 1.0, betaincinv(hits + 1, less, confidence))


def group_bound(errors: NDArray[np.bool_], groups: NDArray[np.int64], confidence: float = 0.95) -> float:
    """Return an upper confidence bound of an error rate that holds for independent groups of dependent rows.

    The errors of a group of m rows, with a * (M - m) added, are a number from 0 to M, the size of the largest group.
    Its mean is at most a * M if and only if the error rate is at most a. The bound is the smallest a for which a mean
    as small as the observed one is improbable. ``errors``: shape (n,). ``groups``: the number of the group of each row
    from 0, shape (n,).

    >>> round(group_bound(np.zeros(1500, dtype=bool), np.arange(1500) // 5), 4)
    0.0099

    Source: Hoeffding 1963, theorem 1; Bentkus 2004, "On Hoeffding's inequalities", as combined by Bates et al. 2021,
    "Distribution-free, risk-controlling prediction sets", section 3.1.2.
    """
    with importing("scipy.special"):
        from scipy.special import bdtr

    sizes = np.bincount(groups)
    sizes = sizes[sizes > 0].astype(np.float64)
    n, most, sum_of_errors = len(sizes), float(sizes.max()), float(errors.sum())

    def improbable(rate: float) -> bool:
        mean = (sum_of_errors + rate * float((most - sizes).sum())) / (n * most)
        if mean >= rate:
            return False
        divergence = (1 - mean) * math.log((1 - mean) / (1 - rate)) if rate < 1 else math.inf
        divergence += mean * math.log(mean / rate) if mean > 0 else 0.0
        bentkus = math.e * float(bdtr(math.ceil(n * mean - 1e-9), n, rate))
        return min(math.exp(-n * divergence), bentkus) <= 1 - confidence

    low, high = float(errors.mean()), 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if improbable(middle) else (middle, high)
    return high


def rows_needed(risk: float, confidence: float = 0.95) -> int:
    """Return the smallest number of independent rows without an error whose bound reaches a risk.

    >>> rows_needed(0.01), rows_needed(0.05, 0.9)
    (299, 45)
    """
    return math.ceil(math.log(1 - confidence) / math.log1p(-risk))


def fixed_sequence(
    errors: NDArray[np.bool_], groups: NDArray[np.int64], risk: float, confidence: float = 0.95, *, exact: bool = False
) -> list[BoundedRate]:
    """Test settings in a fixed order until one does not keep the risk.

    All kept settings together keep the risk with this confidence. No correction for several tests is necessary, because
    the first setting that does not keep the risk ends the tests. The order must not depend on these rows. Rows of one
    group are alike, so they count as fewer rows, by the larger of the design effects of the errors of the setting and
    of the last setting. This is an approximation, which is too narrow if few groups contain all errors. With ``exact``,
    the groups are independent and nothing is assumed about their rows. Without groups, the bound is always exact.
    ``errors``: whether each row is an error under each setting, shape (settings, n), the most cautious setting first.
    ``groups``: the number of the group of each row from 0, shape (n,); ``arange(n)`` if each is its own. ``exact``:
    whether a group counts as one row, regardless of its errors.

    >>> errors = np.zeros((3, 400), dtype=bool)
    >>> errors[1, :1], errors[2, :9] = True, True
    >>> [(round(rate.bound, 4), rate.kept) for rate in fixed_sequence(errors, np.arange(400), 0.02)]
    [(0.0075, True), (0.0118, True), (0.0389, False)]

    Source: Angelopoulos et al. 2021, "Learn then test: calibrating predictive algorithms to achieve risk control",
    fixed sequence testing.
    """
    if exact and len(np.unique(groups)) < errors.shape[1]:
        bounds = np.array([group_bound(row, groups, confidence) for row in errors])
    else:
        n = errors.shape[1] / effects(errors, groups)
        bounds = upper_bound(errors.mean(axis=1) * n, n, confidence)
    kept = np.logical_and.accumulate(bounds <= risk)
    return [
        BoundedRate(float(rate), float(bound), bool(keeps))
        for rate, bound, keeps in zip(errors.mean(axis=1), bounds, kept, strict=True)
    ]


def effects(errors: NDArray[np.bool_], groups: NDArray[np.int64]) -> FloatArray:
    """Return the design effect of each setting, at least that of the last one, shape (settings,).

    A setting without an error has that of the last one. If no row or every row is an error of the last one, a group
    counts as one row. All are 1 if each row is its own group.
    """
    if len(np.unique(groups)) == errors.shape[1]:
        return np.ones(len(errors))
    rows = errors.astype(np.float64)
    alike = np.array([design_effect(row - row.mean(), groups, rows_per_group(groups), few_groups=True) for row in rows])
    return np.maximum(np.where(errors.any(axis=1), alike, alike[-1]), alike[-1])
