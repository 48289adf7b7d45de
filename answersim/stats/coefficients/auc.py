"""The area under the ROC curve for each cut of the labels: how often the better answer gets the higher score."""

from __future__ import annotations

from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.stats.coefficients.weighted import Counts, grouped, ordered, over_blocks


def auc(x: Any, y: Any, cut: float, counts: Counts | None = None) -> FloatArray:
    """Return how often a row with a label of at least the cut outscores a row below the cut. A tie counts one half.

    Args, returns and raises as ``pearson``. ``cut``: the lowest label that counts as right. The result is between 0 and
    1; .5 is chance. It is nan, too, if all labels of a resample are on one side of the cut.

    >>> auc([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 2], 1)
    array([0.875])

    Source: Mann & Whitney 1947; Hanley & McNeil 1982, "The meaning and use of the area under a ROC curve".
    """
    return over_blocks(_auc, x, (np.asarray(y, dtype=np.float64) >= cut).astype(np.float64), counts)


def cuts(labels: FloatArray) -> tuple[float, ...]:
    """Return the labels at which a cut leaves rows on both sides: all but the lowest."""
    return tuple(float(value) for value in np.unique(labels)[1:])


def _auc(x: FloatArray, right: FloatArray, block: FloatArray) -> FloatArray:
    by_x = ordered(x)
    rows, positive = block[by_x.order], right[by_x.order][:, None]
    yes, no = grouped(rows * positive, by_x), grouped(rows * (1 - positive), by_x)
    below = np.cumsum(no, axis=0) - no / 2  # half of those that tie
    return np.einsum("ij,ij->j", yes, below) / yes.sum(axis=0) / no.sum(axis=0)
