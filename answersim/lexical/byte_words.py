"""Count the words that two long texts share from their bytes. No word becomes a Python object, which would be slow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.lexical.shared_grams import Integers, Shared

ARTICLES = (b"a", b"an", b"the")
_HEAD = 7  # bytes of a word that make one integer, together with the number of its pair
_NEAR = _HEAD + 8  # bytes of a word that are read at once
_LONGEST = 256  # bytes of a word beyond which words are not looked up
_PAIRS = 256  # the maximum number of pairs: the number of its pair is in one byte of the head of a word
_ROUNDS = 8
_SLOTS = 4  # the minimum number of slots per word
# Odd, without a pattern in its bits: 2 ** 64 by the golden ratio (Knuth, volume 3, section 6.4).
_MULTIPLIER = 0x9E3779B97F4A7C15
_EIGHT_BYTES = np.uint64((1 << 64) - 1)


def shared_words(gold: Sequence[bytes], pred: Sequence[bytes], without: Sequence[bytes] = ARTICLES) -> Shared | None:
    """Return how many words each gold text shares with its prediction, and how many words both have.

    ``gold``: texts in which only spaces separate the words. ``without``: words of up to seven bytes that are left out.
    The result is None if a word has more than 256 bytes or a byte 0, there are more than 256 pairs, or the words fit
    the hash table badly. The caller then counts with a loop.

    >>> shared_words([b"the cat"], [b" a cat sat"])
    Shared(matched=array([[1]]), gold=array([1]), pred=array([2]))
    """
    answers = [*gold, *pred]
    text = b" ".join([*answers, b""])  # so it ends with a space
    if 0 in text or len(gold) > _PAIRS:
        return None
    words = _words(text, np.fromiter(map(len, answers), np.int64, len(answers)) + 1)
    kept = np.ones(len(words.starts), dtype=np.bool_)
    for word in without:
        kept &= words.head != int.from_bytes(word, "little")
    matched = _matched(words, kept, len(gold))
    if matched is None:
        return None
    lengths = np.bincount(words.answer[kept], minlength=len(answers))
    return Shared(matched[np.newaxis], lengths[: len(gold)], lengths[len(gold) :])


class _Words(NamedTuple):
    """Some words of some answers."""

    eights: NDArray[np.uint64]  # the eight bytes from every byte of the text on, as one integer
    starts: Integers  # where each word starts
    lengths: Integers  # how many bytes it has
    head: NDArray[np.uint64]  # the first seven of them and a zero; no word has a byte 0, so zeros mark where one ends
    next: NDArray[np.uint64]  # the eight after those, with zeros behind
    answer: Integers  # the answer that contains it; ascending

    def chosen(self, indices: Integers) -> _Words:
        """Return the words at these indices."""
        return _Words(self.eights, *(column[indices] for column in self[1:]))  # type: ignore[arg-type]

    def slots(self, multiplier: int, bits: int) -> Integers:
        """Return a slot number of this many bits for each word, by a hash of its bytes."""
        by = np.uint64(multiplier)
        hashes = (self.head * by ^ self.next) * by
        longer = np.flatnonzero(self.lengths > _NEAR)
        for at in range(_NEAR, _LONGEST, 8):
            if not len(longer):
                break
            hashes[longer] = (hashes[longer] ^ self._part(longer, at)) * by
            longer = longer[self.lengths[longer] > at + 8]
        return (hashes >> np.uint64(64 - bits)).astype(np.int64)

    def are(self, others: Integers) -> NDArray[np.bool_]:
        """Return whether each word equals the word at the same index of ``others`` in every byte."""
        same = (self.head == self.head[others]) & (self.next == self.next[others])
        longer = np.flatnonzero(self.lengths >= _NEAR)  # one that ends here may be the beginning of the other one
        for at in range(_NEAR, _LONGEST, 8):
            longer = longer[same[longer] & (self.lengths[longer] >= at)]
            if not len(longer):
                break
            same[longer] = self._part(longer, at) == self._part(others[longer], at)
        return same

    def _part(self, indices: Integers, at: int) -> NDArray[np.uint64]:
        """Return up to eight bytes of these words from this one on, padded with zeros."""
        return _up_to(np.maximum(self.lengths[indices] - at, 0), self.eights[self.starts[indices] + at])


def _words(text: bytes, sizes: Integers) -> _Words:
    """Split a text that consists of answers of these sizes, each followed by a space, into words."""
    letters = np.frombuffer(text, np.uint8) != ord(" ")
    edges = np.flatnonzero(letters[1:] != letters[:-1]) + 1
    if letters[:1].any():
        edges = np.concatenate([[0], edges])
    starts, ends = edges[::2].copy(), edges[1::2]
    lengths = ends - starts
    eights = np.ndarray(len(text), np.dtype("<u8"), text + bytes(8), strides=(1,))
    head = _up_to(np.minimum(lengths, _HEAD), eights[starts])
    following = np.zeros(len(starts), dtype=np.uint64)
    longer = np.flatnonzero(lengths > _HEAD)
    following[longer] = _up_to(lengths[longer] - _HEAD, eights[starts[longer] + _HEAD])
    counts = np.diff(np.searchsorted(starts, np.cumsum(sizes)), prepend=0)
    answer = np.repeat(np.arange(len(sizes)), counts.astype(np.intp, copy=False))
    return _Words(eights, starts, lengths, head, following, answer)


def _up_to(lengths: Integers, eights: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Keep the first so many of each eight bytes, padded with zeros (a shift by all 64 bits is 0 in numpy)."""
    return eights & (_EIGHT_BYTES >> (64 - 8 * np.minimum(lengths, 8)).astype(np.uint64))


def _matched(words: _Words, kept: NDArray[np.bool_], pairs: int) -> Integers | None:
    """Return how many of the kept words each pair shares, with multiplicity, or None after too many rounds.

    A word of a pair is looked up by its hash in a table of one word per slot, and is counted for the slot if it is the
    word in that slot, and of that pair. The few others are processed in the next round, with other hashes.
    """
    matched = np.zeros(pairs, dtype=np.int64)
    if words.lengths.max(initial=0) > _LONGEST:
        return None
    pair = words.answer - pairs * (words.answer >= pairs)
    words = words._replace(head=words.head | pair.astype(np.uint64) << np.uint64(8 * _HEAD))
    for round_ in range(_ROUNDS):
        every = np.arange(len(words.starts))
        bits = (_SLOTS * len(every)).bit_length()
        slots = words.slots(_MULTIPLIER + 2 * round_, bits)
        table = np.empty(1 << bits, dtype=np.int64)
        table[slots] = every
        there = table[slots]
        same = words.are(there)
        golds = int(np.searchsorted(words.answer, pairs))
        counted = same & kept
        sides = (slots[members][counted[members]] for members in (slice(golds), slice(golds, None)))
        gold, pred = (np.bincount(side, minlength=len(table)) for side in sides)
        seen = np.flatnonzero(there == every)
        both = np.minimum(gold[slots[seen]], pred[slots[seen]])
        matched += np.bincount(words.answer[seen] % pairs, weights=both, minlength=pairs).astype(np.int64)
        rest = np.flatnonzero(~same & kept)
        if not len(rest):
            return matched
        words, kept = words.chosen(rest), kept[rest]
    return None
