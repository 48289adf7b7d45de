"""Cross-fitted thresholds: each row is called by a threshold that was chosen without its group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim.stats.calibration.thresholds import choose, count
from answersim.stats.intervals.cluster_bootstrap import numbered


def folds_of(groups: Sequence[Hashable] | NDArray[Any], folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of each row from 0, shape (n,). A group is in one fold, and folds have about equally many groups.

    ``groups``: what each row belongs to, such as its question; shape (n,). ``folds``: the number of folds, at least 2.
    """
    numbers = numbered(groups)
    size = int(numbers.max(initial=-1)) + 1
    if not 2 <= folds <= size:
        raise ValueError(f"{size} groups cannot be split into {folds} folds; give at least 2 folds and as many groups")
    dealt = np.empty(size, dtype=np.int64)
    dealt[rng.permutation(size)] = np.arange(size) % folds
    return dealt[numbers]


def cross_fitted(scores: Any, labels: Any, folds: Any) -> tuple[NDArray[np.bool_], FloatArray]:
    """Call the rows of each fold by the threshold that is best on all other folds.

    Return whether each score reaches the threshold of its fold, shape (n,), and the threshold that was chosen without
    each fold, shape (folds,).

    A threshold that is evaluated on the rows that chose it looks better than it is. Ties select the lowest of the best
    thresholds. A threshold is the middle between two scores, or infinity if calling nothing positive is best. All rows
    decide the one verdict of a constant column, because each fold would get the label that is rarer in it.

    ``scores``: finite numbers, shape (n,). ``labels``: 0 or 1 each, shape (n,). ``folds``: the number of the fold of
    each row from 0, as from ``folds_of``, shape (n,).

    >>> called, thresholds = cross_fitted([0.1, 0.2, 0.7, 0.9, 0.4, 0.8], [0, 0, 1, 1, 0, 1], [0, 0, 0, 0, 1, 1])
    >>> thresholds.round(2).tolist(), called.tolist()
    ([0.6, 0.45], [False, False, True, True, False, True])

    Source: Varma & Simon 2006, "Bias in error estimation when using cross-validation for model selection".
    """
    column, truth, fold = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=bool), np.asarray(folds)
    called, thresholds = np.zeros(len(column), dtype=bool), np.empty(int(fold.max(initial=-1)) + 1)
    is_constant = len(column) > 0 and np.ptp(column) == 0
    for number in range(len(thresholds)):
        inside = fold == number
        outside = ~inside | is_constant
        counts = count(column[outside], truth[outside])
        thresholds[number] = counts.cuts[choose(counts, "accuracy")[0]]
        called[inside] = column[inside] >= thresholds[number]
    return called, thresholds
