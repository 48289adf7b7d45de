"""Words as numbers, with their stems and synonyms, which METEOR of long answers looks up and keeps between calls."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np

from answersim.lexical.meteor_alignment import NONE, Stem, Synonyms
from answersim.lexical.shared_grams import Integers, Numbered

Key = TypeVar("Key", str, int)

_MOST = 1 << 19  # characters of pieces beyond which a vocabulary is not kept: some tens of megabytes


class Lists(NamedTuple):
    """Some lists of numbers, one after the other, and how many numbers each has."""

    numbers: Integers
    sizes: Integers


class Vocabulary:
    """Numbers for the words of answers, with the stems and synonyms of these words.

    ``pieces``: splits an answer into pieces, many of which recur in other answers. ``parted``: returns the words of a
    piece, which do not depend on its context.

    Attributes:
        words: The words, in lower case.
        stems: The requested stems, and the requested synonyms.
        synonyms: As above.
    """

    def __init__(
        self,
        pieces: Callable[[str], Sequence[str]],
        parted: Callable[[str], Sequence[str]],
        stem: Stem,
        synonyms: Synonyms,
    ) -> None:
        self.words = _Numbers()
        self.stems = _Numbers()
        self.synonyms = synonyms
        self._pieces = pieces
        self._parted = parted
        self._stem = stem
        self._characters = 0
        self._words_of = _Found(self._words)
        self._near_of = _Found(self._near)
        self._stem_of = np.zeros(0, dtype=np.int64)  # of each word

    @property
    def is_large(self) -> bool:
        """Whether it takes more memory than should be kept."""
        return self._characters > _MOST

    def numbered(self, answers: Sequence[str]) -> Numbered:
        """Return the words of these answers in lower case, as numbers. Each distinct answer is tokenized once."""
        distinct = _Numbers()
        which = np.fromiter(map(distinct.__getitem__, answers), np.int64, len(answers))
        many = array("q")
        # One answer after the other, because pieces are looked up fast while they are in the CPU cache.
        pieces = chain.from_iterable(self._each(distinct.names, many))
        places = np.fromiter(map(self._words_of.__getitem__, pieces), np.int64)
        if len(distinct) < len(answers):
            sizes = np.array(many, dtype=np.int64)[which]
            places = places[runs(edges(np.array(many, dtype=np.int64))[which], sizes)]
        else:
            sizes = np.array(many, dtype=np.int64)
        words = self._words_of.lists(places)
        return Numbered(words.numbers, np.diff(edges(words.sizes)[edges(sizes)]))

    def stemmed(self, words: Integers) -> Integers:
        """Return the numbers of the stems of these words. Other words are not stemmed, because stemming is slow."""
        new = np.full(len(self.words) - len(self._stem_of), NONE, dtype=np.int64)
        self._stem_of = np.concatenate([self._stem_of, new])
        for word in np.unique(words[self._stem_of[words] == NONE]).tolist():
            self._stem_of[word] = self.stems[self._stem(self.words.names[word])]
        return self._stem_of[words]

    def near(self, stems: Integers) -> Lists:
        """Return the numbers of the synonyms of each of these stems."""
        return self._near_of.lists(np.fromiter(map(self._near_of.__getitem__, stems.tolist()), np.int64, len(stems)))

    def _each(self, answers: Iterable[str], many: array[int]) -> Iterator[Sequence[str]]:
        for answer in answers:
            pieces = self._pieces(answer)
            many.append(len(pieces))
            yield pieces

    def _words(self, piece: str) -> list[int]:
        self._characters += len(piece)
        return [self.words[word.lower()] for word in self._parted(piece)]

    def _near(self, stem: int) -> list[int]:
        return [self.stems[name] for name in self.synonyms(self.stems.names[stem])]


class _Numbers(dict[str, int]):
    """Text -> its number, assigned on first use. ``names`` is the inverse."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __missing__(self, name: str) -> int:
        self[name] = number = len(self)
        self.names.append(name)
        return number


class _Found(dict[Key, int]):
    """Key -> the place of its list of numbers, which is computed on first use."""

    def __init__(self, make: Callable[[Key], list[int]]) -> None:
        super().__init__()
        self._make: Callable[[Key], list[int]] = make
        self._numbers = array("q")
        self._ends = array("q", [0])

    def __missing__(self, key: Key) -> int:
        self._numbers.extend(self._make(key))
        self._ends.append(len(self._numbers))
        self[key] = place = len(self)
        return place

    def lists(self, places: Integers) -> Lists:
        """Return the lists at these places."""
        ends = np.array(self._ends, dtype=np.int64)
        starts = ends[places]
        sizes = ends[places + 1] - starts
        return Lists(np.array(self._numbers, dtype=np.int64)[runs(starts, sizes)], sizes)


class Vocabularies:
    """Vocabularies that are kept from call to call, and used by one thread at a time."""

    def __init__(self, new: Callable[[], Vocabulary]) -> None:
        self._new = new
        self._idle: list[Vocabulary] = []

    @contextmanager
    def lent(self) -> Iterator[Vocabulary]:
        """Lend a vocabulary exclusively. It is kept unless it has grown large or an error left it incomplete."""
        try:
            vocabulary = self._idle.pop()
        except IndexError:
            vocabulary = self._new()
        yield vocabulary
        if not vocabulary.is_large:
            self._idle.append(vocabulary)


def runs(starts: Integers, sizes: Integers) -> Integers:
    """Return this many consecutive numbers from each start, one run after the other.

    >>> runs(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = edges(sizes)
    return np.arange(ends[-1]) + np.repeat(starts - ends[:-1], sizes.astype(np.intp, copy=False))


def edges(sizes: Integers) -> Integers:
    """Return where runs of these sizes begin, and where the last one ends.

    >>> edges(np.array([2, 3])).tolist()
    [0, 2, 5]
    """
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
