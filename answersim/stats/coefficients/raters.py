"""How far annotators agree with each other: Krippendorff's alpha, and each rater against the mean of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.runtime.concurrency import importing

DISTANCES = ("ordinal", "interval", "nominal")


def krippendorff_alpha(ratings: Any, distance: str = "ordinal") -> float:
    """Return Krippendorff's alpha: 1 if all raters agree, 0 for agreement by chance, below 0 for less agreement.

    Args:
        ratings: Shape (raters, n), nan if a rater gave no label.
        distance: What two different labels count. "ordinal": the square of how many ratings are between them, for
            ranks. "interval": the square of their difference, for numbers on a scale. "nominal": 1, for names.

    Returns:
        Alpha; nan if no row has two labels; 1 if only one label was ever given.

    >>> ratings = [[0, 1, 2, 2, np.nan], [0, 1, 2, 1, 1]]
    >>> [round(krippendorff_alpha(ratings, distance), 3) for distance in DISTANCES]
    [0.79, 0.821, 0.667]

    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability"; equal to ``nltk.metrics.agreement`` with
    the distances of that paper.
    """
    columns = np.asarray(ratings, dtype=np.float64)
    shared = columns[:, (~np.isnan(columns)).sum(axis=0) > 1]
    if not shared.size:
        return float("nan")
    values, held = np.unique(shared[~np.isnan(shared)], return_counts=True)
    if len(values) == 1:
        return 1.0
    with importing("nltk.metrics.agreement"):
        from nltk.metrics.agreement import AnnotationTask

    apart = _apart(values, held, distance)
    place = {float(value): i for i, value in enumerate(values)}
    data = [
        (str(rater), str(row), place[float(shared[rater, row])])
        for rater, row in zip(*np.nonzero(~np.isnan(shared)), strict=True)
    ]
    return float(AnnotationTask(data=data, distance=lambda first, second: float(apart[first, second])).alpha())


def _apart(values: FloatArray, held: NDArray[np.int64], distance: str) -> FloatArray:
    """Return the squared distance of each two of these labels, shape (k, k). ``held``: how many ratings have each."""
    if distance == "nominal":
        return 1 - np.eye(len(values))
    place = values if distance == "interval" else np.cumsum(held) - held / 2  # both ends of a distance count half
    return np.square(place[:, None] - place[None, :])


def against_the_others(ratings: Any, coefficient: Callable[[Any, Any], FloatArray]) -> float:
    """Return the mean over raters of the coefficient between a rater and the mean of the others.

    It is the value that one more annotator would reach as a metric, and so another kind of ceiling than that of the
    ties. ``ratings``: shape (raters, n), nan if a rater gave no label. ``coefficient``: a function of x and y that
    gives an array of one number, such as ``kendall``. The result is nan if it is defined for no rater.
    """
    columns = np.asarray(ratings, dtype=np.float64)
    values = []
    for i, labels in enumerate(columns):
        others = np.delete(columns, i, axis=0)
        rated = ~np.isnan(others)
        both = ~np.isnan(labels) & rated.any(axis=0)
        if both.any():
            means = np.where(rated, others, 0.0).sum(axis=0)[both] / rated.sum(axis=0)[both]
            values.append(float(coefficient(labels[both], means)[0]))
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")
