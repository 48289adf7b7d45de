"""The agreement of scores with the labels of held-out pairs: Pearson and Spearman, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray


def label_agreement(scores: FloatArray, labels: FloatArray) -> dict[str, FloatArray]:
    """Return "pearson" and "spearman" of scores and labels, both (..., n), along the last axis.

    If one side is constant, a coefficient is -1, so that no other training has a lower one.

    >>> agreement = label_agreement(np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 5.0]))
    >>> [round(float(value), 3) for value in agreement.values()]
    [0.99, 1.0]
    """
    from scipy.stats import rankdata

    ranks = rankdata(scores, axis=-1), rankdata(labels, axis=-1)
    return {"pearson": _pearson(scores, labels), "spearman": _pearson(*ranks)}


def held_out(scores: FloatArray, labels: FloatArray, resamples: int = 2000) -> dict[str, Any]:
    """Return Pearson and Spearman of scores and labels, with 95 % percentile bootstrap intervals over pairs."""
    draws = np.random.default_rng(0).integers(len(labels), size=(resamples, len(labels)))
    resampled = [*label_agreement(scores[draws], labels[draws]).values()]
    ends = np.quantile(resampled, [0.025, 0.975], axis=1)  # (ends, coefficients)
    values = {name: round(float(value), 4) for name, value in label_agreement(scores, labels).items()}
    return values | {f"{name}_95": ends[:, i].round(4).tolist() for i, name in enumerate(values)}


def _pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    varies = (np.ptp(x, axis=-1) > 0) & (np.ptp(y, axis=-1) > 0)
    x, y = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    norms = np.linalg.norm(x, axis=-1) * np.linalg.norm(y, axis=-1)
    return np.where(varies, (x * y).sum(axis=-1) / np.where(varies, norms, 1), -1.0)
