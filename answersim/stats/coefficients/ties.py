"""Pairwise accuracy with calibrated ties: the share of pairs of rows that a metric orders, or ties, as the labels do.

A pair of rows is correct if the metric orders it as the labels do, or if both call it a tie. Scores that differ by at
most epsilon are a tie. Epsilon is the value that is best for the metric, so a metric with many different scores is not
penalized because no two of them are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim.stats.coefficients.weighted import Counts, over_blocks

_EXACT = 4000  # rows up to which every pair is used to find epsilon


def calibrated(x: Any, y: Any) -> tuple[float, float]:
    """Return the pairwise accuracy of this column with its best epsilon (the smallest if several are best), and that.

    ``x``: scores, finite numbers, shape (n,). ``y``: labels, finite numbers, shape (n,). The accuracy is a share of all
    pairs of rows, 0 to 1; nan, nan for fewer than two rows. For more than 4,000 rows, epsilon is the best one for 4,000
    of them, evenly spread over the scores. The accuracy is always that of all rows.

    >>> calibrated([0.1, 0.2, 0.5, 0.9], [0, 0, 1, 1])  # one of the pairs of equal labels differs by .1, one by .4
    (0.8333..., 0.1)

    Source: Deutsch, Foster & Freitag 2023, "Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie
    calibration" (acc-eq with tie calibration over all pairs).
    """
    scores, labels = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(scores) < 2:
        return float("nan"), float("nan")
    places = np.argsort(scores, kind="stable")
    if len(places) > _EXACT:
        places = places[np.linspace(0, len(places) - 1, _EXACT).round().astype(np.intp)]
    epsilon = _best_epsilon(scores[places], labels[places])
    return float(pairwise_accuracy(scores, labels, epsilon)[0]), epsilon


def pairwise_accuracy(x: Any, y: Any, epsilon: float = 0.0, counts: Counts | None = None) -> FloatArray:
    """Return the share of pairs of rows that each column orders, or ties, as y does.

    Args, returns and raises as ``pearson``. ``epsilon``: two scores that differ by at most this are a tie; at least 0.
    A row and its copies do not form a pair.

    >>> pairwise_accuracy([0.1, 0.2, 0.5, 0.9], [0, 0, 1, 1])
    array([0.66666667])
    """
    return over_blocks(lambda left, right, block: _accuracy(left, right, block, epsilon), x, y, counts)


def _accuracy(x: FloatArray, y: FloatArray, block: FloatArray, epsilon: float) -> FloatArray:
    """Compute the accuracy class by class of the labels, with running sums over the rows in the order of x."""
    order = np.argsort(x, kind="stable")
    scores, rows, labels = x[order], block[order], np.unique(y[order], return_inverse=True)[1]
    first, last = _window(scores, epsilon)
    right = np.zeros(rows.shape[1])
    for label in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == label)
        same = _running(rows, labels == label)
        # Each pair of two rows of one class is met twice, and every row once with itself.
        tied = np.einsum("ij,ij->j", rows[members], same[last[members]] - same[first[members]])
        right += (tied - np.einsum("ij,ij->j", rows[members], rows[members])) / 2
        if label:
            right += np.einsum("ij,ij->j", rows[members], _running(rows, labels < label)[first[members]])
    total = (rows.sum(axis=0) ** 2 - np.einsum("ij,ij->j", rows, rows)) / 2
    return right / total


def _window(scores: FloatArray, epsilon: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each place of ascending scores where the scores that tie with it begin and end.

    The computed difference of two scores, the higher minus the lower one, decides whether they tie.
    """
    values, starts, group = np.unique(scores, return_index=True, return_inverse=True)
    reach = np.searchsorted(values, values - epsilon, side="left")
    # values - epsilon may round to another side than the difference does; this is corrected step by step.
    while (further := (reach > 0) & (values - values[reach - 1] <= epsilon)).any():
        reach = reach - further
    while (too_far := values - values[reach] > epsilon).any():
        reach = reach + too_far
    first = starts[reach][group]
    return first, np.searchsorted(first, np.arange(len(scores)), side="right")


def _running(rows: FloatArray, counted: NDArray[np.bool_]) -> FloatArray:
    """Return how many of the kept rows come before each place, (n + 1, resamples)."""
    sums = np.zeros((len(rows) + 1, rows.shape[1]))
    np.cumsum(rows * counted[:, None], axis=0, out=sums[1:])
    return sums


def _best_epsilon(x: FloatArray, y: FloatArray) -> float:
    """Return the smallest difference of scores that is best called a tie, from all pairs of these rows; x ascends.

    A growing epsilon gains pairs of equal labels and loses concordant pairs. Only a value that gains a pair can be
    best.
    """
    classes = [x[y == label] for label in np.unique(y)]
    won = np.sort(np.concatenate([_differences(scores) for scores in classes]))
    if not len(won):
        return 0.0
    above = [scores[:, None] - below[None, :] for i, scores in enumerate(classes) for below in classes[:i]]
    concordant = np.concatenate([gaps[gaps > 0] for gaps in above]) if above else np.empty(0)
    lost = np.searchsorted(np.sort(concordant), won, side="right")
    # all equal differences are gained together, and the last one has the highest gain
    gains = np.arange(1, len(won) + 1) - lost
    at = int(gains.argmax())
    return float(won[at]) if gains[at] > 0 else 0.0


def _differences(ascending: FloatArray) -> FloatArray:
    """Return the higher minus the lower of every two of these numbers."""
    upper, lower = np.tril_indices(len(ascending), -1)
    return ascending[upper] - ascending[lower]
