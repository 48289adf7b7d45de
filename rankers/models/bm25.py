"""BM25: the weighted number of words of the question that a candidate has, normalized by the length of the candidate.

The formulas and the tokenizer are those of the library bm25s, whose index scores a fixed set of documents; here only
the word counts are fixed, so that a score depends on question and candidate alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from answersim.checkpoints.search import read_json
from answersim.errors import MissingExtraError
from answersim.io.files import atomic_write
from answersim.runtime.concurrency import importing
from rankers.types import FloatArray


@dataclass(frozen=True)
class WordCounts:
    """The word counts of a corpus that BM25 needs.

    Attributes:
        documents: The number of documents, at least 1.
        average: The mean number of words per document.
        containing: The number of documents that contain each word; 0 for a word that is not listed.
        fingerprint: A hash of all these counts, twelve hexadecimal digits.
    """

    fingerprint: str = field(init=False)
    documents: int = field(compare=False)
    average: float = field(compare=False)
    containing: Mapping[str, int] = field(compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check the counts and compute their fingerprint."""
        if type(self.documents) is not int or not isinstance(self.containing, Mapping):
            raise TypeError("documents must be a whole number, and containing must map each word to a number")
        if self.documents < 1:
            raise ValueError("BM25 counts words in texts, but there are none; give it the training candidates")
        if isinstance(self.average, bool) or not isinstance(self.average, int | float) or not 0 <= self.average < inf:
            raise ValueError(f"average is {self.average!r}, but it must be a finite number of words, 0 or more")
        for word, often in self.containing.items():
            if type(often) is not int or not 0 <= often <= self.documents or not isinstance(word, str):
                raise ValueError(f"{often!r} of {self.documents} texts have the word {word!r}, but at most all can")
        stated = json.dumps([self.documents, self.average, sorted(self.containing.items())])
        object.__setattr__(self, "fingerprint", sha256(stated.encode()).hexdigest()[:12])


@dataclass(frozen=True)
class Bm25:
    """BM25 (Robertson & Zaragoza 2009) with the word counts of a fixed corpus, in the form of Lucene.

    Attributes:
        counts: The word counts, from ``Bm25.fit``.
        k1: The saturation of the term frequency; 0 means that only the presence of a word counts.
        b: The penalty of long candidates: 0 for none, 1 for a penalty in proportion to the length.
        stem: Whether words are stemmed (the algorithm of Porter).

    A word that occurs in no text of the corpus has the idf of a document frequency of 0.
    """

    counts: WordCounts
    k1: float = 1.5
    b: float = 0.75
    stem: bool = True

    def __post_init__(self) -> None:
        """Check the settings."""
        if any(isinstance(value, bool) or not isinstance(value, int | float) for value in (self.k1, self.b)):
            raise TypeError(f"k1 is {self.k1!r} and b is {self.b!r}, but both must be numbers")
        if not 0 <= self.k1 < inf or not 0 <= self.b <= 1:
            raise ValueError(f"k1 is {self.k1} and b is {self.b}, but k1 must be at least 0 and b between 0 and 1")

    @classmethod
    def fit(cls, texts: Iterable[str], *, k1: float = 1.5, b: float = 0.75, stem: bool = True) -> Bm25:
        """Return BM25 with the word counts of the distinct texts among these.

        Raises:
            ValueError: If there are no texts.
        """
        unique = list(dict.fromkeys(texts))
        words = _tokenize(unique, stem)
        containing = Counter(word for document in words for word in set(document))
        average = sum(map(len, words)) / max(1, len(words))
        return cls(WordCounts(len(unique), average, containing), k1, b, stem)

    @property
    def signature(self) -> str:
        """The signature, for example ``bm25|counts:3f...|k1:1.5|b:0.75|variant:lucene|stem:yes|stop_words:none``."""
        return (
            f"bm25|counts:{self.counts.fingerprint}|k1:{self.k1}|b:{self.b}|variant:lucene"
            f"|stem:{'yes' if self.stem else 'no'}|stop_words:none"
        )

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        texts = list(dict.fromkeys([*questions, *(candidate for pool in candidates for candidate in pool)]))
        words = dict(zip(texts, map(Counter, _tokenize(texts, self.stem)), strict=True))
        scores = []
        for question, pool in zip(questions, candidates, strict=True):
            weights = {word: often * self._idf(word) for word, often in words[question].items()}
            scores.append(np.array([self._score(weights, words[candidate]) for candidate in pool], dtype=np.float64))
        return scores

    def _score(self, weights: Mapping[str, float], counts: Counter[str]) -> float:
        """Return the sum over the words of the question that occur, of weight and term frequency component."""
        from bm25s.scoring import _select_tfc_scorer

        shared = [word for word in weights if word in counts]
        if not shared:
            return 0.0
        component = _select_tfc_scorer("lucene")(
            np.array([counts[word] for word in shared], dtype=np.float64),
            l_d=counts.total(),
            l_avg=self.counts.average or 1.0,  # a corpus of empty texts has no lengths
            k1=self.k1,
            b=self.b,
            delta=None,
        )
        return float(np.dot([weights[word] for word in shared], component))

    def _idf(self, word: str) -> float:
        from bm25s.scoring import _select_idf_scorer

        return float(_select_idf_scorer("lucene")(self.counts.containing.get(word, 0), N=self.counts.documents))

    def save(self, path: Path) -> None:
        """Write the settings and the word counts to this JSON file, completely or not at all."""
        stated: dict[str, Any] = {"k1": self.k1, "b": self.b, "stem": self.stem}
        counts = {"documents": self.counts.documents, "average": self.counts.average}
        stated["counts"] = counts | {"containing": dict(sorted(self.counts.containing.items()))}
        with atomic_write(path) as draft:
            draft.write_text(json.dumps(stated, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Bm25:
        """Return the ranker that ``save`` wrote.

        Raises:
            ValueError: If the file has other content. The message names it.
        """
        stated = read_json(path)
        try:
            return cls(WordCounts(**stated.pop("counts")), **stated)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"{path} is not a file of Bm25.save: {error}; train it again, or copy it again") from error


def _tokenize(texts: list[str], stem: bool) -> list[list[str]]:
    """Return the words of each text by the tokenizer of bm25s: at least two word characters, in lowercase."""
    try:
        from bm25s import tokenize
    except ImportError as error:
        raise MissingExtraError("bm25", "rankers", error.name or "bm25s") from error
    if not texts:
        return []
    return tokenize(
        texts,
        stopwords=None,
        stemmer=_stems if stem else None,
        return_ids=False,
        show_progress=False,
        allow_empty=True,
    )


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

    Attributes:
        k1: As for ``Bm25``.
        b: As for ``Bm25``.
    """

    k1: float = 1.5
    b: float = 0.75

    @property
    def signature(self) -> str:
        """The signature, for example ``bm25-pool|k1:1.5|b:0.75|variant:lucene|stem:yes``."""
        return f"bm25-pool|k1:{self.k1}|b:{self.b}|variant:lucene|stem:yes"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        return [
            Bm25.fit(pool, k1=self.k1, b=self.b).score([question], [pool])[0] if len(pool) else np.empty(0)
            for question, pool in zip(questions, candidates, strict=True)
        ]
