"""Count the n-grams that two answers share, for many pairs of long answers at once, without a loop over words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

_INTEGER_BITS = 63


class Numbered(NamedTuple):
    """The words of some pairs as numbers. Words are equal if and only if their numbers are."""

    words: Integers  # the words of all gold answers one after the other, then those of all predictions
    lengths: Integers  # the number of words of each answer, shape (2 * pairs,)


class Shared(NamedTuple):
    """The number of n-grams that each pair shares."""

    matched: Integers  # the n-grams that both answers have, each as often as both have it; row n - 1, shape (orders, n)
    gold: Integers  # the number of words of the gold answer, shape (n,)
    pred: Integers  # the number of words of the prediction, shape (n,)


def shared_grams(numbered: Numbered, orders: int) -> Shared | None:
    """Return how many n-grams each pair shares, for n = 1 to ``orders``, or None if that needs more than 63 bits.

    >>> shared_grams(numbered([["a", "b"], ["b", "a", "b"]]), 2).matched.tolist()
    [[2], [1]]
    """
    words, lengths = numbered
    pairs = len(lengths) // 2
    gold, pred = lengths[:pairs], lengths[pairs:]
    matched = np.zeros((orders, pairs), dtype=np.int64)
    if not len(words):
        return Shared(matched, gold, pred)
    bits = int(words.max()).bit_length()
    if bits * orders + (pairs - 1).bit_length() + 1 > _INTEGER_BITS:
        return None
    answer = np.repeat(np.arange(2 * pairs, dtype=np.int64), lengths.astype(np.intp, copy=False))
    side = (answer >= pairs).astype(np.int64)
    pair = answer - pairs * side
    grams = words
    for order in range(1, orders + 1):
        if order > 1:
            grams = grams[:-1] << bits | words[order - 1 :]
        inside = slice(None) if order == 1 else answer[: 1 - order] == answer[order - 1 :]
        start = slice(0, len(grams))
        keys = (pair[start] << (bits * order) | grams) << 1 | side[start]
        matched[order - 1] = _in_both(keys[inside], bits * order + 1, pairs)
        if not matched[order - 1].any():
            break  # if no n-gram is shared, no longer one is shared either
    return Shared(matched, gold, pred)


def _in_both(keys: Integers, bits: int, pairs: int) -> Integers:
    """Return how many keys each pair has on both sides. The last bit of a key is the side, the first bits the pair."""
    few = (pairs - 1).bit_length() + bits < 32
    keys = np.sort(keys.astype(np.int32 if few else np.int64))  # which takes half the time with half the bits
    kinds = keys >> 1
    starts = np.concatenate([[0], np.flatnonzero(kinds[1:] != kinds[:-1]) + 1, [len(keys)]])
    preds = np.diff(np.concatenate([[0], np.cumsum(keys & 1)])[starts])
    both = np.minimum(preds, np.diff(starts) - preds)
    hits = np.flatnonzero(both)
    return np.bincount(keys[starts[hits]] >> bits, weights=both[hits], minlength=pairs).astype(np.int64)


def numbered(answers: Sequence[Sequence[str]]) -> Numbered:
    """Return the words of these answers as numbers: those of the gold answers, then as many predictions."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    lengths = np.fromiter(map(len, answers), np.int64, len(answers))
    words = map(numbers.__getitem__, chain.from_iterable(answers))
    return Numbered(np.fromiter(words, np.int64, int(lengths.sum())), lengths)
