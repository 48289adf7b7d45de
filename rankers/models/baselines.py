"""The baselines that are not networks: a random order, the share of common words, BM25, and the candidate alone."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b, sha256
from math import inf, log
from typing import Any

import numpy as np

from answersim._base.errors import MissingExtraError
from answersim._base.runtime.concurrency import importing
from rankers.types import FloatArray, Questions


@dataclass(frozen=True)
class RandomOrder:
    """Pseudo-random scores in [0, 1) that depend on seed, question and candidate alone.

    Equal candidates of one question have equal scores. Nothing is drawn: the score is a hash.

    >>> RandomOrder(0).score(["Who?"], [["He.", "She."]])[0].round(4).tolist()
    [0.8331, 0.4057]
    """

    seed: int = 0  # the seed of the order

    @property
    def signature(self) -> str:
        """The signature, for example ``random|seed:0``."""
        return f"random|seed:{self.seed}"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        return [
            np.array([self._score(question, candidate) for candidate in pool], dtype=np.float64)
            for question, pool in zip(questions, candidates, strict=True)
        ]

    def _score(self, question: str, candidate: str) -> float:
        text = f"{self.seed}\0{question}\0{candidate}".encode(errors="surrogatepass")
        return (int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 11) / 2**53  # as fine as a float is


_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class WordOverlap:
    """The share of the distinct words of the question that are in the candidate, in [0, 1]; 0 if it has no words.

    Words are runs of word characters in lowercase. None is left out: on the dev set of WikiQA (clean) all words give a
    MAP of .600, but at best .572 without the words of a stop list. (With idf as weights: ``Bm25``, k1=0.)

    >>> WordOverlap().score(["Who wrote Faust?"], [["Goethe wrote it.", "Faust, who else?", ""]])[0].round(2).tolist()
    [0.33, 0.67, 0.0]
    """

    @property
    def signature(self) -> str:
        """The signature, always ``word-overlap``."""
        return "word-overlap"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        scores = []
        for question, pool in zip(questions, candidates, strict=True):
            question_words = _words(question)
            shared = [len(question_words & _words(candidate)) for candidate in pool]
            scores.append(np.array(shared, dtype=np.float64) / max(1, len(question_words)))
        return scores


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


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

    The tokenizer is that of bm25s, whose index scores a fixed set of documents. Here only the word counts are fixed, so
    that a score depends on question and candidate alone. A word that occurs in no text of the corpus has the idf of a
    document frequency of 0.
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
        return cls(WordCounts(*_corpus(_counted(list(dict.fromkeys(texts)), stem).values())), k1, b, stem)

    @property
    def signature(self) -> str:
        """The signature, for example ``bm25|counts:3f...|k1:1.5|b:0.75|variant:lucene|stem:yes|stop_words:none``."""
        return (
            f"bm25|counts:{self.counts.fingerprint}|k1:{self.k1}|b:{self.b}|variant:lucene"
            f"|stem:{'yes' if self.stem else 'no'}|stop_words:none"
        )

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        words = _counted([*questions, *(text for pool in candidates for text in pool)], self.stem)
        corpus = self.counts.documents, self.counts.average, self.counts.containing
        return [
            _scores(words[question], [words[text] for text in pool], corpus, self.k1, self.b)
            for question, pool in zip(questions, candidates, strict=True)
        ]


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
        words = _counted([*questions, *(text for pool in candidates for text in pool)], stem=True)
        scores = []
        for question, pool in zip(questions, candidates, strict=True):
            corpus = _corpus(words[text] for text in {*pool})
            scores.append(_scores(words[question], [words[text] for text in pool], corpus, self.k1, self.b))
        return scores


# The number of documents, their mean number of words, and the number of documents that contain each word
_Corpus = tuple[int, float, Mapping[str, int]]


def _counted(texts: Sequence[str], stem: bool) -> dict[str, Counter[str]]:
    """Return how often each text has each word. Words are those of bm25s: two word characters or more, in lowercase."""
    try:
        from bm25s import tokenize
    except ImportError as error:
        raise MissingExtraError("bm25", "rankers", error.name or "bm25s") from error
    distinct = list(dict.fromkeys(texts))
    stemmer = _stems if stem else None
    found = tokenize(distinct, stopwords=None, stemmer=stemmer, return_ids=False, show_progress=False)
    return dict(zip(distinct, map(Counter, found), strict=True))


def _corpus(texts: Iterable[Counter[str]]) -> _Corpus:
    """Return the counts of BM25 over these texts."""
    listed = list(texts)
    average = sum(words.total() for words in listed) / max(1, len(listed))
    return len(listed), average, Counter(word for words in listed for word in words)


def _scores(
    question: Mapping[str, int], pool: Sequence[Mapping[str, int]], corpus: _Corpus, k1: float, b: float
) -> FloatArray:
    """Return the scores of texts, (pool,). The words of the question are added in alphabetic order in every call."""
    documents, average, containing = corpus
    weights = []
    for word, times in sorted(question.items()):
        n = containing.get(word, 0)
        weights.append((word, times * log(1 + (documents - n + 0.5) / (n + 0.5))))
    scores = []
    for words in pool:
        limit = k1 * ((1 - b) + b * sum(words.values()) / (average or 1.0))  # texts without words have no lengths
        total = 0.0
        for word, weight in weights:
            if count := words.get(word, 0):
                total += weight * (count / (limit + count))
        scores.append(total)
    return np.array(scores, dtype=np.float64)


def _stems(words: Sequence[str]) -> list[str]:
    stem = _stemmer()
    return [stem(word) for word in words]


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    with importing("nltk.stem"):
        from nltk.stem import PorterStemmer

    return lru_cache(maxsize=100_000)(PorterStemmer().stem)


WORD_FEATURES = 2**16
C = 1.0  # the inverse strength of regularization; not tuned


@dataclass(frozen=True)
class AnswerOnly:
    """A logistic regression on the candidate: its words, its length, and its labels under other training questions.

    A collection whose labels this baseline predicts is not a test of a ranker: for example, if the negatives of the
    test split were negatives of the training split. The features of a training candidate count its labels under the
    other training questions only, so that no candidate predicts its own label.
    """

    fingerprint: str  # the fingerprint of the training questions
    # by text, the numbers of training questions that have it as a positive and as a negative candidate
    seen: dict[str, tuple[int, int]] = field(compare=False, repr=False)
    model: Any = field(compare=False, repr=False)  # the fitted model of scikit-learn

    @classmethod
    def fit(cls, train: Questions) -> AnswerOnly:
        """Return the baseline, fitted to these training questions.

        Raise MissingExtraError if scikit-learn is not installed. Raise ValueError if the candidates are all positive or
        all negative.
        """
        try:
            from sklearn.linear_model import LogisticRegression
        except ImportError as error:
            raise MissingExtraError("the baseline answer-only", "rankers", "scikit-learn") from error

        positives, negatives = Counter[str](), Counter[str]()
        texts, labels = [], []
        for question in train:
            for candidate in question.candidates:
                relevant = train.is_relevant(candidate)
                (positives if relevant else negatives)[candidate.text] += 1
                texts.append(candidate.text)
                labels.append(relevant)
        if len(set(labels)) < 2:
            raise ValueError(
                f"the {len(labels)} training candidates of {train.corpus} have {len(set(labels))} kinds of label, but "
                "there must be positive and negative ones; give further questions"
            )
        seen = {text: (positives[text], negatives[text]) for text in dict.fromkeys(texts)}
        others = [
            (seen[text][0] - label, seen[text][1] - (not label)) for text, label in zip(texts, labels, strict=True)
        ]
        model = LogisticRegression(C=C, class_weight="balanced", max_iter=1000)
        model.fit(_features(texts, others), labels)
        return cls(train.fingerprint, seen, model)

    @property
    def signature(self) -> str:
        """The signature, for example ``answer-only|train:3f...``."""
        return f"answer-only|train:{self.fingerprint}"

    @property
    def n_parameters(self) -> int:
        """The number of coefficients, with the intercept."""
        return int(self.model.coef_.size + self.model.intercept_.size)

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one logit per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        texts = list(dict.fromkeys(candidate for pool in candidates for candidate in pool))
        logits: dict[str, float] = {}
        if texts:
            features = _features(texts, [self.seen.get(text, (0, 0)) for text in texts])
            logits = dict(zip(texts, self.model.decision_function(features).tolist(), strict=True))
        return [
            np.array([logits[text] for text in pool], dtype=np.float64)
            for _, pool in zip(questions, candidates, strict=True)
        ]


def _features(texts: Sequence[str], seen: Sequence[tuple[int, int]]) -> Any:
    """Return hashed words, the logarithms of both counts, indicators of positive counts, and the log length."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import HashingVectorizer

    words = HashingVectorizer(n_features=WORD_FEATURES, alternate_sign=False).transform(texts)
    counts = np.array(seen, dtype=np.float64).reshape(-1, 2)
    lengths = np.log1p([len(text.split()) for text in texts]).reshape(-1, 1) / 5
    return hstack([words, csr_matrix(np.hstack([np.log1p(counts), counts > 0, lengths]))]).tocsr()
