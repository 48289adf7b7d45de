"""The alignment of METEOR for many pairs of long answers at once, with arrays of numbered words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from answersim.lexical.meteor_alignment import NONE, Counts, near
from answersim.lexical.meteor_vocabulary import Vocabulary, edges, runs
from answersim.lexical.shared_grams import Integers

Flags = NDArray[np.bool_]

_INTEGER_BITS = 63


def many_counts(gold: Sequence[str], pred: Sequence[str], vocabulary: Vocabulary) -> list[Counts] | None:
    """Return ``meteor_alignment.counts`` of each pair, or None if that needs more than 63 bits.

    >>> known = Vocabulary(str.split, lambda word: [word], str, lambda stem: set())
    >>> many_counts(["on the mat sat", "x"], ["the mat sat on", ""], known)
    [Counts(matches=4, chunks=2, gold=4, pred=4), Counts(matches=0, chunks=0, gold=1, pred=0)]
    """
    pairs = len(gold)
    words, lengths = vocabulary.numbered([*gold, *pred])
    kinds = len(vocabulary.words) + len(vocabulary.stems)
    if sum(most.bit_length() for most in (pairs, kinds, len(words))) > _INTEGER_BITS:
        return None
    partner = _partners(words, lengths, vocabulary)[int(lengths[:pairs].sum()) :]
    ends = edges(lengths[pairs:])
    before = np.concatenate([[NONE], partner])
    before[ends] = NONE  # as a chunk ends with its answer
    matched = partner != NONE
    begins = matched & (partner != before[:-1] + 1)
    matches, chunks = (np.diff(edges(flags)[ends]) for flags in (matched, begins))
    columns = (matches, chunks, lengths[:pairs], lengths[pairs:])
    return [Counts(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _partners(words: Integers, lengths: Integers, vocabulary: Vocabulary) -> Integers:
    """Return for the place of each word that of its partner, or none. Gold answers precede predictions."""
    pairs = len(lengths) // 2
    golds = int(lengths[:pairs].sum())
    pair = np.repeat(np.arange(2 * pairs, dtype=np.int64) % max(pairs, 1), lengths.astype(np.intp, copy=False))
    partner = np.full(len(words), NONE, dtype=np.int64)
    _match(partner, np.arange(len(words)), pair, words, golds)
    over = np.flatnonzero(partner == NONE)
    left, right = (np.bincount(pair[side], minlength=pairs) > 0 for side in (over[over >= golds], over[over < golds]))
    over = over[(left & right)[pair[over]]]  # so that only words without an equal partner are stemmed
    stems = vocabulary.stemmed(words[over])
    _match(partner, over, pair[over], stems, golds)
    still = partner[over] == NONE
    over, stems = over[still], stems[still]
    _match_near(partner, over, pair[over], stems, golds, vocabulary)
    return partner


def _match(partner: Integers, places: Integers, pair: Integers, kinds: Integers, golds: int) -> None:
    """Match places of one pair and kind: the rightmost on each side, then the next ones, until one side is used up.

    The result is the same as if each predicted word, from the right, took the rightmost free gold word of its kind.
    """
    if not len(places):
        return
    last = len(partner) - 1
    bits = last.bit_length()
    keys = ((pair << int(kinds.max()).bit_length() | kinds) << bits) | (last - places)
    keys.sort()
    places = last - (keys & ((1 << bits) - 1))  # of each pair and kind: the predicted ones first, each from the right
    kinds = keys >> bits
    sides = places < golds
    starts = np.flatnonzero(np.concatenate([[True], (kinds[1:] != kinds[:-1]) | (sides[1:] != sides[:-1])]))
    sizes = np.diff(starts, append=len(keys))
    met = np.flatnonzero(kinds[starts[1:]] == kinds[starts[:-1]])
    many = np.minimum(sizes[met], sizes[met + 1])
    left, right = places[runs(starts[met], many)], places[runs(starts[met + 1], many)]
    partner[left], partner[right] = right, left


def _match_near(
    partner: Integers, over: Integers, pair: Integers, stems: Integers, golds: int, vocabulary: Vocabulary
) -> None:
    """Match synonyms among the remaining words, by a loop over the few that have candidates."""
    met = _with_synonym(pair, stems, over >= golds, vocabulary)
    over, pair, stems = over[met], pair[met], stems[met]
    names = [vocabulary.stems.names[stem] for stem in stems.tolist()]
    for one in np.unique(pair).tolist():
        right, left = (np.flatnonzero((pair == one) & side).tolist() for side in (over < golds, over >= golds))
        for i, j in near([names[i] for i in left], [names[j] for j in right], vocabulary.synonyms):
            partner[over[left[i]]] = over[right[j]]


def _with_synonym(pair: Integers, stems: Integers, is_left: Flags, vocabulary: Vocabulary) -> Flags:
    """Return which stems on the left have a synonym on the right of their pair, and which on the right are one."""
    left = np.flatnonzero(is_left)
    others, sizes = vocabulary.near(stems[left])
    is_right = np.zeros(len(vocabulary.stems), dtype=np.bool_)
    is_right[stems[~is_left]] = True
    matching = np.flatnonzero(is_right[others])  # the few that are on the right of any pair
    left, others = np.repeat(left, sizes.astype(np.intp, copy=False))[matching], others[matching]
    bits = len(vocabulary.stems).bit_length()
    theirs = pair << bits | stems
    wanted = pair[left] << bits | others
    met = ~is_left & np.isin(theirs, wanted)
    met[left[np.isin(wanted, theirs[met])]] = True
    return met
