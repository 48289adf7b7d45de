"""The error rates of a verifier: its verdicts on all answers, and labels of few of them, drawn by verdict."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.runtime.concurrency import imported
from answersim.stats.coefficients.confusion import MEASURES, Confusion
from answersim.stats.few_labels.design_effect import design_effect
from answersim.stats.intervals.resampling import Estimate

GRID = 128  # quantiles of each share, whose pairs make the interval


class ErrorRates(NamedTuple):
    """How often a verifier errs, with intervals."""

    false_positive: Estimate  # the share of the wrong answers that it accepts
    false_negative: Estimate  # the share of the right answers that it does not accept
    accuracy: Estimate  # the share of all answers that it accepts if they are right, and does not if they are wrong
    kappa: Estimate  # Cohen's kappa with the labels
    mcc: Estimate  # Matthews' correlation with the labels
    right: Estimate  # the share of right answers


def error_rates(
    accepted: Any, labels: Any, *, weights: Any = None, groups: Any = None, level: float = 0.95
) -> ErrorRates:
    """Return the error rates of verdicts on these answers.

    The share of right answers is estimated among the accepted answers and among the others, each from its own labels.
    With the known numbers of both, these two shares give all four cells of the table of verdicts and labels. The
    posterior distribution of a share is that of Jeffreys, with an effective number of labels if they have weights or
    clusters. An interval contains the middle of the numbers that all pairs of 128 quantiles of the two give.

    Args:
        accepted: Whether the verifier accepts each answer, shape (n,).
        labels: 1 for a right answer, 0 for a wrong one, a grade between, nan for no label; shape (n,).
        weights: One number above 0 per row, such as 1 / probability to be labeled; shape (n,). nan without a label.
        groups: The number of the cluster of each row from 0, such as its question; shape (n,).
        level: The coverage of the intervals.

    >>> accepted = [True] * 700 + [False] * 300
    >>> labels = [1.0] * 48 + [0.0] * 2 + [np.nan] * 650 + [1.0] * 5 + [0.0] * 45 + [np.nan] * 250
    >>> rates = error_rates(accepted, labels)  # 28 of 298 wrong answers, and 30 of 702 right ones
    >>> [round(number, 3) for number in (*rates.false_positive, rates.false_negative.value)]
    [0.094, 0.022, 0.243, 0.043]

    Source: Brown, Cai & DasGupta 2001, section 4.3, for the prior; poststratification by verdict as in Cochran 1977,
    section 5A.9. The coverage is simulated in ``tests/stats/test_error_rates.py``.
    """
    called, known = np.asarray(accepted, dtype=bool), np.asarray(labels, dtype=np.float64)
    labeled = ~np.isnan(known)
    share = float(called.mean())
    values, points = [], []
    for kind, called_so in (("accepted", called), ("not accepted", ~called)):
        at = called_so & labeled
        if called_so.any() and not at.any():
            raise ValueError(
                f"none of the {int(called_so.sum()):,} answers that are {kind} has a label, so nothing is known of "
                "them; label some of these ('answersim label --verifier' draws both kinds)"
            )
        mean, n = _share(known, weights, groups, at) if at.any() else (0.0, 0.0)
        points.append(mean)
        values.append(_quantiles(mean, n))
    ends = np.meshgrid(*values, indexing="ij")
    measured, drawn = _measures(share, *map(np.array, points)), _measures(share, *(end.ravel() for end in ends))
    tail = 50 * (1 - level)
    estimates = []
    for value, numbers in zip(measured, drawn, strict=True):
        numbers = numbers[~np.isnan(numbers)]
        low, high = np.percentile(numbers, [tail, 100 - tail]) if len(numbers) else (np.nan, np.nan)
        point = float(value)
        estimates.append(Estimate(point, min(float(low), point), max(float(high), point)))
    return ErrorRates(*estimates)


def _share(labels: FloatArray, weights: Any, groups: Any, at: Any) -> tuple[float, float]:
    """Return the share of right answers among these labeled rows, and the effective number of labels."""
    values = labels[at]
    weight = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)[at]
    mean = min(max(float(weight @ values / weight.sum()), 0.0), 1.0)  # rounding can leave this range
    numbers = np.arange(len(values)) if groups is None else np.asarray(groups, dtype=np.int64)[at]
    rows_per_group = float((np.bincount(numbers) ** 2).sum()) / len(numbers)
    alike = design_effect(weight * (values - mean), numbers, unknown=rows_per_group)
    return mean, float(weight.sum() ** 2 / (weight @ weight)) / alike


def _quantiles(mean: float, n: float) -> FloatArray:
    """Return equally probable values of a share: the middles of equal parts of its distribution."""
    betaincinv = imported("scipy.special").betaincinv
    middles = (np.arange(GRID) + 0.5) / GRID
    return np.asarray(betaincinv(mean * n + 0.5, (1 - mean) * n + 0.5, middles), dtype=np.float64)


def _measures(share: float, right_of_accepted: FloatArray, right_of_others: FloatArray) -> list[FloatArray]:
    """Return the six measures, from the share of accepted answers and the shares of right ones in both parts."""
    positive, missed = share * right_of_accepted, (1 - share) * right_of_others
    table = Confusion(positive, share - positive, missed, 1 - share - missed)
    measured = {name: measure(table) for name, measure in MEASURES.items()}
    return [
        1 - measured["true_negative_rate"],
        1 - measured["true_positive_rate"],
        *(measured[name] for name in ("accuracy", "kappa", "mcc")),
        positive + missed,
    ]
