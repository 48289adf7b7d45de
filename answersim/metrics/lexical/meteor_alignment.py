"""How METEOR aligns two answers, word by word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import compress, pairwise
from typing import TypeAlias

Synonyms: TypeAlias = Callable[[str], AbstractSet[str]]

NONE = -2  # the position of a word without a partner, which is adjacent to no other


def counts(
    gold: Sequence[str], pred: Sequence[str], *, stem: Callable[[str], str], synonyms: Synonyms
) -> tuple[int, int]:
    """Return how many predicted words have a partner, and how many runs of neighbors in order they make."""
    matched = partners(gold, pred, stem=stem, synonyms=synonyms)
    runs = [j for i, j in pairwise([NONE, *matched]) if j - i != 1 and j != NONE]
    return (len(matched) - matched.count(NONE), len(runs))


def partners(gold: Sequence[str], pred: Sequence[str], *, stem: Callable[[str], str], synonyms: Synonyms) -> list[int]:
    """Return for each predicted word the position of its gold word, or ``NONE``. No gold word has two partners.

    There are three stages, each on the unmatched words of the one before: equal words, equal stems, and a gold stem
    among the synonyms of a predicted stem. Each stage iterates over the predicted words from the right and takes the
    rightmost free gold word.
    """
    left, right = [*map(str.lower, pred)], [*map(str.lower, gold)]
    matched, free = _equal(left, right)
    over = _alone(matched)
    if not over or not free:
        return matched
    left, right = [stem(left[i]) for i in over], [stem(right[j]) for j in free]
    by_stem, still = _equal(left, right)
    last = _alone(by_stem)
    if last and still:
        for i, j in _near([left[i] for i in last], [right[j] for j in still], synonyms):
            by_stem[last[i]] = still[j]
    for i, j in zip(over, by_stem, strict=True):
        if j != NONE:
            matched[i] = free[j]
    return matched


def _equal(left: Sequence[str], right: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return for each word on the left the position of an equal one on the right, or none, and the unmatched words."""
    rightmost: dict[str, int] = {}  # of the free ones of a word
    before: list[int] = []  # for each position that of the same word before it
    position_of = rightmost.get
    for j, word in enumerate(right):
        before.append(position_of(word, NONE))
        rightmost[word] = j
    partners = [NONE] * len(left)
    free = bytearray(b"\1") * len(right)
    for i in range(len(left) - 1, -1, -1):
        j = position_of(word := left[i], NONE)
        if j != NONE:
            partners[i] = j
            free[j] = 0
            rightmost[word] = before[j]
    return partners, [*compress(range(len(right)), free)]


def _alone(matched: list[int]) -> list[int]:
    return [i for i, j in enumerate(matched) if j == NONE]


def _near(left: Sequence[str], right: Sequence[str], synonyms: Synonyms) -> Iterator[tuple[int, int]]:
    """Yield the positions of words on the left and right of which the right one is a synonym of the left one."""
    free: dict[str, list[int]] = {}  # each word -> the stack of its positions, the rightmost on top
    for j, word in enumerate(right):
        free.setdefault(word, []).append(j)
    # The smaller one of two sets is iterated over, so many free words take no time. NLTK adds the word itself to its
    # synonyms, which changes nothing: equal stems are matched already.
    are_none = free.keys().isdisjoint
    for i in range(len(left) - 1, -1, -1):
        may = synonyms(left[i])
        if may and not are_none(may):
            best = max(free.keys() & may, key=lambda candidate: free[candidate][-1])
            yield i, free[best].pop()
            if not free[best]:
                del free[best]
