"""The Rogan-Gladen estimate: the share of positives from imperfect verdicts and their error rates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from answersim.stats.few_labels.design_effect import design_effect
from answersim.stats.intervals.proportion import t_quantile
from answersim.stats.intervals.resampling import Estimate


def rogan_gladen(
    called: float,
    rows: float,
    true_positives: float,
    positives: float,
    true_negatives: float,
    negatives: float,
    level: float = 0.95,
) -> Estimate:
    """Return the share of positives that explains how many rows are called positive.

    The value is clipped to 0 to 1, because the formula can leave this range by chance. ``true_positives``: how many of
    the labeled positives are called positive. ``true_negatives``: how many of the labeled negatives are called
    negative. The result is the estimate. Numbers need not be whole: those of a weighted or clustered sample are
    effective numbers.

    >>> estimate = rogan_gladen(called=780, rows=1000, true_positives=76, positives=80, true_negatives=18, negatives=20)
    >>> [round(number, 3) for number in estimate]
    [0.8, 0.726, 0.867]

    Source: Rogan & Gladen 1978, equation 3; Lang & Reiczigel 2014, "Confidence limits for prevalence of disease
    adjusted for estimated sensitivity and specificity", for the interval.
    """
    if positives <= 0 or negatives <= 0:
        missing = "positive" if positives <= 0 else "negative"
        raise ValueError(
            f"no labeled row is {missing}, so the errors of the verdicts cannot be estimated; label more rows, or "
            "use prediction-powered inference (method='ppi'), which needs no rows of both kinds"
        )
    tpr, tnr = true_positives / positives, true_negatives / negatives
    if tpr + tnr <= 1:
        raise ValueError(
            f"the verdicts are no better than chance (true positive rate {tpr:.3f} + true negative rate {tnr:.3f} is "
            "at most 1); use another threshold, another metric, or method='ppi'"
        )
    value = min(max((called / rows + tnr - 1) / (tpr + tnr - 1), 0.0), 1.0)
    # Two rows are added to each rate, and the middle is moved.
    z = t_quantile(level, math.inf)
    n = rows + z**2
    share = (called + z**2 / 2) / n
    n_positive, n_negative = positives + 2, negatives + 2
    tpr, tnr = (tpr * positives + 1) / n_positive, (tnr * negatives + 1) / n_negative
    youden = tpr + tnr - 1
    if youden <= 0:
        return Estimate(value, 0.0, 1.0)
    center = (share + tnr - 1) / youden
    of_tpr, of_tnr = tpr * (1 - tpr) / n_positive, tnr * (1 - tnr) / n_negative
    moved = center + 2 * z**2 * (center * of_tpr - (1 - center) * of_tnr)
    half = z * math.sqrt(share * (1 - share) / n + center**2 * of_tpr + (1 - center) ** 2 * of_tnr) / youden
    return Estimate(value, min(max(moved - half, 0.0), 1.0), min(max(moved + half, 0.0), 1.0))


def rogan_gladen_of_rows(
    called: Any, labels: Any, *, weights: Any = None, groups: Any = None, level: float = 0.95
) -> Estimate:
    """Return the share of positives of all rows from the verdicts of all and the labels of some.

    With weights or clusters, numbers of rows are divided by the design effect, the factor by which the variance of the
    estimate is larger than without them. So the interval becomes wider, and the rates become those of the weighted
    rows. ``called``: whether each row is called positive, shape (N,). ``labels``: 0 or 1, nan for a row without a
    label, shape (N,). ``weights``: one number above 0 per row, such as 1 / probability to be labeled; shape (N,).
    ``groups``: the number of the cluster of each row from 0, shape (N,). Raise ValueError as ``rogan_gladen``.

    >>> labels = [1, 1, 1, 0, 0, np.nan, np.nan, np.nan, np.nan, np.nan]
    >>> round(rogan_gladen_of_rows([1, 1, 0, 0, 0, 1, 1, 0, 0, 0], labels).value, 3)
    0.6
    """
    verdicts, known = np.asarray(called, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    numbers = np.arange(len(verdicts)) if groups is None else np.asarray(groups, dtype=np.int64)
    at = np.flatnonzero(~np.isnan(known))
    weight = np.ones(len(at)) if weights is None else np.asarray(weights, dtype=np.float64)[at]
    positive, negative = weight * known[at], weight * (1 - known[at])
    rates = [
        float(kind @ hit / kind.sum()) if kind.sum() else 0.0
        for kind, hit in ((positive, verdicts[at]), (negative, 1 - verdicts[at]))
    ]
    # The contribution of each labeled row to the error, up to a factor: of the rates, weighted by the two shares.
    errors = positive * (verdicts[at] - rates[0]) - negative * (1 - verdicts[at] - rates[1])
    by_label = len(at) * design_effect(errors, numbers[at]) * float(weight @ weight) / float(weight.sum()) ** 2
    by_row = design_effect(verdicts - verdicts.mean(), numbers)
    scale = len(at) / float(weight.sum()) / by_label
    n_positive, n_negative = float(positive.sum()) * scale, float(negative.sum()) * scale
    rows = len(verdicts) / by_row
    return rogan_gladen(
        float(verdicts.mean()) * rows, rows, rates[0] * n_positive, n_positive, rates[1] * n_negative, n_negative, level
    )
