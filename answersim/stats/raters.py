"""How far annotators agree with each other: Krippendorff's alpha, and each rater against the mean of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.runtime.concurrency import importing


def krippendorff_alpha(ratings: Any) -> float:
    """Return Krippendorff's alpha: 1 if all raters agree, 0 for agreement by chance, below 0 for less agreement.

    The distance of two labels is ordinal: the square of how many ratings are between them. ``ratings``: shape (raters,
    n), nan if a rater gave no label. The result is nan if no row has two labels; 1 if only one label was ever given.

    >>> round(krippendorff_alpha([[0, 1, 2, 2, np.nan], [0, 1, 2, 1, 1]]), 3)
    0.79

    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability"; equal to ``nltk.metrics.agreement`` with
    the distances of that paper.
    """
    given = np.asarray(ratings, dtype=np.float64)
    kept = given[:, (~np.isnan(given)).sum(axis=0) > 1]
    if not kept.size:
        return float("nan")
    values, held = np.unique(kept[~np.isnan(kept)], return_counts=True)
    if len(values) == 1:
        return 1.0
    with importing("nltk.metrics.agreement"):
        from nltk.metrics.agreement import AnnotationTask

    middle = np.cumsum(held) - held / 2  # both ends of a distance count half
    apart = (middle[:, None] - middle[None, :]) ** 2
    place = {float(value): i for i, value in enumerate(values)}
    data = [
        (str(rater), str(row), place[float(kept[rater, row])])
        for rater, row in zip(*np.nonzero(~np.isnan(kept)), strict=True)
    ]
    return float(AnnotationTask(data=data, distance=lambda one, other: float(apart[one, other])).alpha())


def against_the_others(ratings: Any, coefficient: Callable[[Any, Any], FloatArray]) -> float:
    """Return the mean over raters of the coefficient between a rater and the mean of the others.

    It is the value that one more annotator would reach as a metric, and so another kind of ceiling than that of the
    ties. ``ratings``: shape (raters, n), nan if a rater gave no label. ``coefficient``: a function of x and y that
    gives an array of one number, such as ``kendall``. The result is nan if it is defined for no rater.

    >>> from answersim.stats.weighted import pearson
    >>> round(against_the_others([[0, 1, 2], [0, 1, 2], [0, 2, 2]], pearson), 3)
    0.929
    """
    given = np.asarray(ratings, dtype=np.float64)
    values = []
    for i, labels in enumerate(given):
        others = np.delete(given, i, axis=0)
        rated = ~np.isnan(others)
        both = ~np.isnan(labels) & rated.any(axis=0)
        if both.any():
            means = np.where(rated, others, 0.0).sum(axis=0)[both] / rated.sum(axis=0)[both]
            values.append(float(coefficient(labels[both], means)[0]))
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")
