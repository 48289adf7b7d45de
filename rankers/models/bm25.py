"""BM25: the weighted number of words of the question that a candidate has, normalized by the length of the candidate.

The formulas and the tokenizer are those of the library bm25s, whose index scores a fixed set of documents; here only
the word counts are fixed, so that a score depends on question and candidate alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.errors import MissingExtraError
from answersim._base.runtime.concurrency import importing
from rankers.types import FloatArray


@dataclass(frozen=True)
class WordCounts:
    """The word counts of a corpus that BM25 needs."""

    fingerprint: str = field(init=False)  # a hash of all these counts, twelve hexadecimal digits
    documents: int = field(compare=False)  # the number of documents, at least 1
    average: float = field(compare=False)  # the mean number of words per document
    # the number of documents that contain each word; 0 for a word that is not listed
    containing: Mapping[str, int] = field(compare=False, repr=False)

    def __post_init__(self) -> None:
        """Compute the fingerprint of the counts. Raise ValueError if there are no documents."""
        if self.documents < 1:
            raise ValueError("BM25 counts words in texts, but there are none; give it the training candidates")
        stated = json.dumps([self.documents, self.average, sorted(self.containing.items())])
        object.__setattr__(self, "fingerprint", sha256(stated.encode()).hexdigest()[:12])


@dataclass(frozen=True)
class Bm25:
    """BM25 (Robertson & Zaragoza 2009) with the word counts of a fixed corpus, in the form of Lucene.

    A word that occurs in no text of the corpus has the idf of a document frequency of 0.
    """

    counts: WordCounts  # the word counts, from ``Bm25.fit``
    k1: float = 1.5  # the saturation of the term frequency; 0 means that only the presence of a word counts
    b: float = 0.75  # the penalty of long candidates: 0 for none, 1 for a penalty in proportion to the length
    stem: bool = True  # whether words are stemmed (the algorithm of Porter)

    def __post_init__(self) -> None:
        """Check the settings."""
        if any(isinstance(value, bool) or not isinstance(value, int | float) for value in (self.k1, self.b)):
            raise TypeError(f"k1 is {self.k1!r} and b is {self.b!r}, but both must be numbers")
        if not 0 <= self.k1 < inf or not 0 <= self.b <= 1:
            raise ValueError(f"k1 is {self.k1} and b is {self.b}, but k1 must be at least 0 and b between 0 and 1")

    @classmethod
    def fit(cls, texts: Iterable[str], *, k1: float = 1.5, b: float = 0.75, stem: bool = True) -> Bm25:
        """Return BM25 with the word counts of the distinct texts among these.

        Raise ValueError if there are no texts.
        """
        counted = _count(list(dict.fromkeys(texts)), stem)
        corpus = counted.corpus(np.arange(len(counted.lengths)))
        containing = dict(zip(counted.words, corpus.containing.tolist(), strict=True))
        return cls(WordCounts(corpus.documents, corpus.average, containing), k1, b, stem)

    @property
    def signature(self) -> str:
        """The signature, for example ``bm25|counts:3f...|k1:1.5|b:0.75|variant:lucene|stem:yes|stop_words:none``."""
        return (
            f"bm25|counts:{self.counts.fingerprint}|k1:{self.k1}|b:{self.b}|variant:lucene"
            f"|stem:{'yes' if self.stem else 'no'}|stop_words:none"
        )

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        counted, rows = _count_all(questions, candidates, self.stem)
        containing = np.array([self.counts.containing.get(word, 0) for word in counted.words], dtype=np.float64)
        corpus = _Corpus(self.counts.documents, self.counts.average, containing)
        return [counted.scores(question, pool, corpus, self.k1, self.b) for question, pool in rows]


class _Corpus(NamedTuple):
    """The number of documents, their mean number of words, and how many contain each word, (words,)."""

    documents: int
    average: float
    containing: FloatArray | NDArray[np.int64]


class _Counted(NamedTuple):
    """The words of texts, and how often each text has each of its words."""

    # the distinct words, sorted, so that the sum over the words of a pair has the same order in every call
    words: list[str]
    starts: NDArray[np.int64]  # where the words of each text start in the two arrays below, and their end, (texts + 1,)
    columns: NDArray[np.int64]  # the word in ``words``, those of a text in ascending order
    counts: NDArray[np.int64]  # how often the text has it
    lengths: NDArray[np.int64]  # the number of words of each text, (texts,)

    def corpus(self, rows: NDArray[np.int64]) -> _Corpus:
        """Return the counts of these texts as a corpus."""
        at, _ = self._entries(rows)
        containing = np.bincount(self.columns[at], minlength=len(self.words))
        return _Corpus(len(rows), int(self.lengths[rows].sum()) / max(1, len(rows)), containing)

    def scores(self, question: int, pool: NDArray[np.int64], corpus: _Corpus, k1: float, b: float) -> FloatArray:
        """Return the scores of these texts for the question, which is a text too, (pool,)."""
        here = slice(self.starts[question], self.starts[question + 1])
        asked = self.columns[here]
        containing = corpus.containing[asked]
        weights = np.zeros(len(self.words))
        weights[asked] = self.counts[here] * np.log(1 + (corpus.documents - containing + 0.5) / (containing + 0.5))
        at, place = self._entries(pool)
        counts, average = self.counts[at], corpus.average or 1.0  # a corpus of empty texts has no lengths
        limits = k1 * ((1 - b) + b * self.lengths[pool] / average)  # (pool,)
        found = weights[self.columns[at]] * (counts / (limits[place] + counts))
        scores: FloatArray = np.bincount(place, weights=found, minlength=len(pool)).astype(np.float64, copy=False)
        return scores

    def _entries(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the places of the words of these texts, and the position in ``rows`` of each."""
        sizes = self.starts[rows + 1] - self.starts[rows]
        before = np.cumsum(sizes) - sizes
        place = np.repeat(np.arange(len(rows)), sizes)
        return (self.starts[rows] - before)[place] + np.arange(len(place)), place


def _count(texts: list[str], stem: bool) -> _Counted:
    """Count words as the tokenizer of bm25s finds them: at least two word characters, in lowercase."""
    try:
        from bm25s import tokenize
    except ImportError as error:
        raise MissingExtraError("bm25", "rankers", error.name or "bm25s") from error
    ids, vocabulary = tokenize(texts, stopwords=None, stemmer=_stems if stem else None, show_progress=False)
    words = sorted(vocabulary)
    column = np.empty(len(words), dtype=np.int64)  # of each id
    column[[vocabulary[word] for word in words]] = np.arange(len(words))
    lengths = np.array([len(row) for row in ids], dtype=np.int64)
    flat = np.fromiter(chain.from_iterable(ids), dtype=np.int64, count=int(lengths.sum()))
    keys = np.repeat(np.arange(len(texts)), lengths) * len(words) + column[flat]
    keys, counts = np.unique(keys, return_counts=True)
    starts = np.searchsorted(keys, np.arange(len(texts) + 1) * len(words))
    return _Counted(words, starts, keys % max(1, len(words)), counts, lengths)


def _count_all(
    questions: Sequence[str], candidates: Sequence[Sequence[str]], stem: bool
) -> tuple[_Counted, list[tuple[int, NDArray[np.int64]]]]:
    """Count the words of all texts, and return the row of each question with the rows of its candidates."""
    places: dict[str, int] = {}
    rows = [
        (
            places.setdefault(question, len(places)),
            np.array([places.setdefault(text, len(places)) for text in pool], dtype=np.int64),
        )
        for question, pool in zip(questions, candidates, strict=True)
    ]
    return _count(list(places), stem), rows


def _stems(words: Sequence[str]) -> list[str]:
    stem = _stemmer()
    return [stem(word) for word in words]


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    with importing("nltk.stem"):
        from nltk.stem import PorterStemmer

    return lru_cache(maxsize=100_000)(PorterStemmer().stem)


@dataclass(frozen=True)
class PoolBm25:
    """BM25 whose word counts are those of the candidates of the same question.

    A word is rare if few of these candidates contain it. So the score of a candidate depends on the others, which
    violates the contract of a ``Ranker``. Use ``Bm25.fit`` for scores that are compared between pools.
    """

    k1: float = 1.5  # as for ``Bm25``
    b: float = 0.75  # as for ``Bm25``

    @property
    def signature(self) -> str:
        """The signature, for example ``bm25-pool|k1:1.5|b:0.75|variant:lucene|stem:yes``."""
        return f"bm25-pool|k1:{self.k1}|b:{self.b}|variant:lucene|stem:yes"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        counted, rows = _count_all(questions, candidates, stem=True)
        return [
            counted.scores(question, pool, counted.corpus(np.unique(pool)), self.k1, self.b) for question, pool in rows
        ]
