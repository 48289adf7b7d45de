"""Two yes-or-no columns: accuracy, Cohen's kappa, MCC, and the rates of true positives and true negatives.

All measures take the four numbers of a ``Confusion`` as arrays of one shape, so they serve one sample and thousands of
resamples alike. A measure is nan if it divides by 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray


class Confusion(NamedTuple):
    """How many rows have each combination of verdict and label, in one or several samples; arrays of one shape."""

    true_positive: FloatArray  # called positive, and positive
    false_positive: FloatArray  # called positive, but negative
    false_negative: FloatArray  # called negative, but positive
    true_negative: FloatArray  # called negative, and negative


def cells(called: Any, labels: Any) -> FloatArray:
    """Return which cell of the confusion each row is in: shape (4, n), one 1 per row, in the order of ``Confusion``.

    The sums of these over the rows of a sample are its ``Confusion``. ``called``: whether each row is called positive,
    shape (n,). ``labels``: whether it is positive, shape (n,).
    """
    yes, truth = np.asarray(called, dtype=bool), np.asarray(labels, dtype=bool)
    return np.stack([yes & truth, yes & ~truth, ~yes & truth, ~yes & ~truth]).astype(np.float64)


def accuracy(of: Confusion) -> FloatArray:
    """Return the share of rows whose verdict equals the label."""
    return _ratio(of.true_positive + of.true_negative, _total(of))


def true_positive_rate(of: Confusion) -> FloatArray:
    """Return the share of the positive rows that are called positive: recall, or sensitivity."""
    return _ratio(of.true_positive, of.true_positive + of.false_negative)


def true_negative_rate(of: Confusion) -> FloatArray:
    """Return the share of the negative rows that are called negative: specificity."""
    return _ratio(of.true_negative, of.true_negative + of.false_positive)


def f1(of: Confusion) -> FloatArray:
    """Return the harmonic mean of precision and recall of the positive rows; nan if no row is positive or called so."""
    return _ratio(2 * of.true_positive, 2 * of.true_positive + of.false_positive + of.false_negative)


def prevalence(of: Confusion) -> FloatArray:
    """Return the share of the rows that are positive."""
    return _ratio(of.true_positive + of.false_negative, _total(of))


def called(of: Confusion) -> FloatArray:
    """Return the share of the rows that are called positive."""
    return _ratio(of.true_positive + of.false_positive, _total(of))


def kappa(of: Confusion) -> FloatArray:
    """Return Cohen's kappa: 1 for full agreement, 0 for the agreement of two raters who guess with these shares.

    It is nan if all verdicts or all labels are equal, because such a column states nothing about single rows. (The
    formula of Cohen returns 0 in nearly all of these cases, in every resample: an interval without a width.)

    Source: Cohen 1960, "A coefficient of agreement for nominal scales".
    """
    total = _total(of)
    called, positive = of.true_positive + of.false_positive, of.true_positive + of.false_negative
    by_chance = called * positive + (total - called) * (total - positive)
    varies = (called > 0) & (called < total) & (positive > 0) & (positive < total)
    return _ratio(
        total * (of.true_positive + of.true_negative) - by_chance, np.where(varies, total**2 - by_chance, 0.0)
    )


def mcc(of: Confusion) -> FloatArray:
    """Return Matthews' correlation coefficient, which is Pearson's r of the two columns.

    It is nan if either column is constant. (scikit-learn returns 0 there.)

    Source: Matthews 1975.
    """
    tp, fp, fn, tn = of
    return _ratio(tp * tn - fp * fn, np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn))


MEASURES = {
    "accuracy": accuracy,
    "kappa": kappa,
    "mcc": mcc,
    "true_positive_rate": true_positive_rate,
    "true_negative_rate": true_negative_rate,
}


def _total(of: Confusion) -> FloatArray:
    return of.true_positive + of.false_positive + of.false_negative + of.true_negative


def _ratio(over: FloatArray, under: FloatArray) -> FloatArray:
    over, under = np.asarray(over, dtype=np.float64), np.asarray(under, dtype=np.float64)
    return np.divide(over, under, out=np.full(under.shape, np.nan), where=under > 0)
