"""Soft pairwise accuracy: does a metric order systems as human labels do, with the same certainty for each pair?"""

from __future__ import annotations

from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray

_NEAR = 1e-9  # sums in another order differ in the last places; such differences are ties


def exchanges(permutations: int, items: int, rng: np.random.Generator) -> FloatArray:
    """Draw for each item of each permutation whether two systems exchange their scores: 1 or -1, (permutations, items).

    ``permutations``: at least 1.
    """
    coins = rng.integers(2, size=(permutations, items))
    return np.where(coins == 1, 1.0, -1.0)


def better_p(scores: Any, signs: FloatArray) -> FloatArray:
    """Return the one-sided p that the first system of each pair is better, by paired permutations.

    The score of a system is the sum over items. Under the null hypothesis it does not matter which of two systems gave
    which of the two scores of an item. All pairs and metrics share the permutations. ``scores``: finite numbers, shape
    (..., systems, items). ``signs``: as of ``exchanges``, shape (permutations, items). The result has the shape (...,
    pairs), in the order of ``np.triu_indices(systems, 1)``: (c + t / 2 + 1 / 2) / (permutations + 1) for c permutations
    with a larger and t with the same difference. So p of a pair and of the pair in reverse order add up to 1, and p is
    .5 for two systems with the same scores.

    >>> signs = np.array([[1, 1, -1, -1, -1], [1, 1, 1, 1, 1], [-1, 1, -1, -1, -1], [1, -1, 1, 1, -1]])
    >>> better_p([[0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]], signs)  # one of four is as large
    array([0.2])

    Source: Thompson et al. 2024, "Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft
    Pairwise Accuracy". Their code counts ties in full, so the result of a constant metric depends on the order of
    systems.
    """
    columns = np.asarray(scores, dtype=np.float64)
    columns = columns - columns[..., :1, :]  # only differences count; equal systems have exactly 0
    first, second = np.triu_indices(columns.shape[-2], 1)
    observed = columns.sum(axis=-1)
    observed = observed[..., first] - observed[..., second]  # (..., pairs)
    permuted = columns @ np.asarray(signs, dtype=np.float64).T
    permuted = permuted[..., first, :] - permuted[..., second, :]  # (..., pairs, permutations)
    beyond = permuted - observed[..., None]
    margin = _NEAR * np.ptp(columns, axis=-2).sum(axis=-1)[..., None, None]
    larger, same = (beyond > margin).sum(axis=-1), (np.abs(beyond) <= margin).sum(axis=-1)
    return (larger + same / 2 + 0.5) / (permuted.shape[-1] + 1)


def soft_pairwise_accuracy(human: Any, metrics: Any, signs: FloatArray) -> FloatArray:
    """Return the mean over pairs of systems of 1 - abs(p by human labels - p by the metric); shape (m,).

    It is 1 if the metric is as certain of the order of each pair as the labels are, .5 on average for random scores if
    the labels are certain, and 0 if the metric is always certain of the opposite order. ``human``: the labels, shape
    (systems, items). ``metrics``: the scores of m metrics, shape (m, systems, items). ``signs``: as from ``exchanges``,
    shape (permutations, items). Labels and metrics share them.

    Source: Thompson et al. 2024, equation 3.
    """
    labels, columns = np.asarray(human, dtype=np.float64), np.asarray(metrics, dtype=np.float64)
    p = better_p(np.concatenate([labels[None], columns]), signs)
    return 1 - np.abs(p[1:] - p[0]).mean(axis=-1)
