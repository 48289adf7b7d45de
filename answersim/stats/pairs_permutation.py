"""The pairs permutation test: would two metrics differ as much if it did not matter which of them ordered each pair?

Two rows of one item are a pair, such as the answers of two systems to one question. A metric is correct on a pair if it
orders it as the labels do, or if both call it a tie. Scores that differ by at most epsilon are a tie, and each metric
has its best epsilon (``answersim.stats.ties``). The accuracy is averaged by item.

The test exchanges results of pairs between two metrics, not scores, so neither epsilon has to be found again.
Only pairs on which one metric alone is correct can change the result. All pairs of an item have the same weight, so
their exchanges are drawn together, by one binomial number per item.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.types import FloatArray

_TOGETHER = 5_000_000  # binomial numbers in memory at a time
_NEAR = 1e-12  # sums in another order differ in the last places


class ItemPairs(NamedTuple):
    """All pairs of rows of one item."""

    first: NDArray[np.intp]  # the position of the first row of each pair, shape (p,)
    second: NDArray[np.intp]  # the position of the second row
    # the number of the item of each pair, from 0, ascending; items without a pair have no number
    item: NDArray[np.intp]
    sizes: NDArray[np.intp]  # how many pairs each item has, shape (items,)


class Calibrated(NamedTuple):
    """The accuracy averaged by item, that of each item, and the largest difference of two scores that is a tie."""

    accuracy: float
    by_item: FloatArray
    epsilon: float


class PairsTest(NamedTuple):
    """The difference of two metrics in the accuracy averaged by item."""

    difference: float  # the first minus the second
    p: float  # two-sided: (c + 1) / (permutations + 1) for c differences that are at least as far from 0
    # one-sided, as the official implementation counts it: the share of the permutations whose difference is at least as
    # large. It can be 0.
    p_greater: float
    deciding: int  # the number of pairs on which only one of the two metrics is correct


def item_pairs(items: Any) -> ItemPairs:
    """Return the pairs of rows that share an item.

    ``items``: the number of the item of each row, shape (n,). Equal numbers for all rows give all pairs.

    >>> pairs = item_pairs([0, 1, 0, 0, 2])
    >>> pairs.first.tolist(), pairs.second.tolist(), pairs.sizes.tolist()
    ([0, 0, 2], [2, 3, 3], [3])
    """
    numbers = np.asarray(items)
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=numbers[order][:1] - 1)) if len(order) else order
    members = [rows for rows in np.split(order, starts[1:]) if len(rows) > 1]
    if not members:
        nothing = np.empty(0, dtype=np.intp)
        return ItemPairs(nothing, nothing, nothing, nothing)
    places = [np.triu_indices(len(rows), 1) for rows in members]
    sizes = np.array([len(one) for one, _ in places], dtype=np.intp)
    return ItemPairs(
        np.concatenate([rows[one] for rows, (one, _) in zip(members, places, strict=True)]),
        np.concatenate([rows[other] for rows, (_, other) in zip(members, places, strict=True)]),
        np.repeat(np.arange(len(members)), sizes),
        sizes,
    )


def correct_pairs(scores: Any, labels: Any, pairs: ItemPairs, epsilon: float) -> NDArray[np.bool_]:
    """Return whether each pair is ordered, or tied, as the labels do, shape (p,).

    ``epsilon``: two scores that differ by at most this are a tie; at least 0.
    """
    gaps, truth = _gaps(scores, pairs), _gaps(labels, pairs)
    signs = np.where(np.abs(gaps) <= epsilon, 0.0, np.sign(gaps))
    return np.asarray(signs == np.sign(truth))


def calibrated_by_item(scores: Any, labels: Any, pairs: ItemPairs) -> Calibrated:
    """Return the accuracy averaged by item with the best epsilon, the smallest one if several are best.

    The result is nan, an empty array and nan if there are no pairs.

    >>> pairs = item_pairs([0, 0, 1, 1])
    >>> calibrated_by_item([0.1, 0.2, 0.5, 0.9], [1, 1, 0, 1], pairs)
    Calibrated(accuracy=1.0, by_item=array([1., 1.]), epsilon=0.1)

    Source: Deutsch, Foster & Freitag 2023, "Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie
    calibration"; ``KendallWithTiesOpt`` of mt-metrics-eval with ``avg_by='item'``.
    """
    if not len(pairs.sizes):
        return Calibrated(float("nan"), np.empty(0), float("nan"))
    gaps, truth = _gaps(scores, pairs), np.sign(_gaps(labels, pairs))
    weight = 1 / pairs.sizes[pairs.item]
    # As a growing epsilon makes a pair a tie, it becomes correct or wrong.
    gain = weight * ((truth == 0).astype(float) - (np.sign(gaps) == truth))
    sizes = np.abs(gaps)
    values, place = np.unique(sizes, return_inverse=True)
    gains = np.cumsum(np.bincount(place, weights=gain))
    best = int(np.flatnonzero(gains >= gains.max() - _NEAR * len(pairs.sizes))[0])
    # Without any new tie, epsilon is 0, with which equal scores are tied.
    epsilon = float(values[best]) if gains[best] > _NEAR * len(pairs.sizes) else 0.0
    by_item = _by_item(correct_pairs(scores, labels, pairs, epsilon).astype(np.float64), pairs)
    return Calibrated(float(by_item.mean()), by_item, epsilon)


def pairs_permutation(
    first: Any, second: Any, pairs: ItemPairs, *, rng: np.random.Generator, permutations: int = 1000
) -> PairsTest:
    """Test whether two metrics differ in their accuracy, by exchanging their results of pairs.

    ``first``: whether the first metric is correct on each pair, shape (p,). See ``correct_pairs``. The result is nan if
    there are no pairs.

    >>> pairs = item_pairs(np.repeat(np.arange(10), 2))
    >>> rng = np.random.default_rng(0)
    >>> found = pairs_permutation([True] * 8 + [False] * 2, [False] * 10, pairs, rng=rng, permutations=100_000)
    >>> found.difference, found.deciding, round(found.p, 3)  # 8 of 8 coins: 2 / 256
    (0.8, 8, 0.008)

    Source: mt-metrics-eval, ``PairwisePermutationSigDiff``: the significance test of the WMT metrics task since 2023.
    """
    if not len(pairs.sizes):
        return PairsTest(float("nan"), float("nan"), float("nan"), 0)
    one, other = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    deciding = np.bincount(pairs.item[one != other], minlength=len(pairs.sizes))
    difference = float(_by_item(one.astype(np.float64) - other, pairs).mean())
    at = np.flatnonzero(deciding)
    counts, weight = deciding[at], 1 / (pairs.sizes[at] * len(pairs.sizes))
    drawn = []
    step = max(1, _TOGETHER // max(1, len(at)))
    for start in range(0, permutations, step):
        size = (min(step, permutations - start), len(at))
        drawn.append((2.0 * rng.binomial(counts, 0.5, size) - counts) @ weight)
    differences = np.concatenate(drawn)
    larger = int((differences >= difference - _NEAR).sum())
    further = int((np.abs(differences) >= abs(difference) - _NEAR).sum())
    return PairsTest(difference, (further + 1) / (permutations + 1), larger / permutations, int(deciding.sum()))


def _gaps(values: Any, pairs: ItemPairs) -> FloatArray:
    column = np.asarray(values, dtype=np.float64)
    return column[pairs.first] - column[pairs.second]


def _by_item(values: FloatArray, pairs: ItemPairs) -> FloatArray:
    """Return the mean over the pairs of each item, shape (items,)."""
    return np.bincount(pairs.item, weights=values, minlength=len(pairs.sizes)) / pairs.sizes
