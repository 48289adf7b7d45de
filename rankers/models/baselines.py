"""The baselines that are not networks: a random order, the share of common words, and the candidate alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from answersim._base.errors import MissingExtraError
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
