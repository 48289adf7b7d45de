"""Texts that splits share: how a leak is measured, and splits without one, with newly drawn negatives."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from answersim._base.text_tables import Result, TextTable
from rankers.evaluation.measures import mean, measure
from rankers.evaluation.qrels import qrels_of
from rankers.types import Questions, Run

SEED = 20_191  # of the draw; part of the definition of a corpus, so that a test split never depends on an argument
_SCALE = 1_000  # idf weights are whole thousandths, so that sums are exact and ties are real
_NEAREST = 0.2  # the share of the positives that the negatives of a question are drawn from
_DRAWN = 1_000  # drawn numbers are below this


def normalize(text: str) -> str:
    """Return the words of a text in lowercase, without punctuation, separated by single spaces.

    >>> normalize("  What's THE ﬁne?")
    'what s the fine'
    """
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def count_shared(train: Questions, test: Questions) -> dict[str, int]:
    """Count the texts of questions and of candidates that both splits have, after normalization."""
    questions = [{normalize(question.text) for question in split} for split in (train, test)]
    candidates = [{normalize(c.text) for question in split for c in question.candidates} for split in (train, test)]
    return {"questions": len(set.intersection(*questions)), "candidates": len(set.intersection(*candidates))}


def negatives(questions: Sequence[str], positives: Sequence[str], n: int) -> NDArray[np.int64]:
    """Draw ``n`` negatives for each question among the positives of the others, each positive equally often.

    Each of ``n`` rounds assigns every question one positive of another question, at random and no positive twice. A
    negative is among the fifth of the positives that overlap most with its question, as far as this is possible: the
    overlap is the idf of the words that they share. No question gets the same negative twice. The draw depends on the
    texts, their order and ``SEED`` alone. Returns positions in ``positives``, (questions, n): each position occurs
    exactly ``n`` times and never in its own row.

    Source: random negatives among the best hits of a search, as in YahooQA (Tay et al. 2017), and
    ``scipy.optimize.linear_sum_assignment`` for the balance.
    """
    from scipy.optimize import linear_sum_assignment

    size = len(questions)
    if size <= n:
        raise ValueError(
            f"{size} questions, but {n} negatives of each come from other questions: give at least {n + 1}"
        )
    rng = np.random.default_rng(SEED)
    overlap = _overlap(questions, positives)
    overlap[np.arange(size), np.arange(size)] = -1
    order = np.lexsort((rng.integers(_DRAWN, size=(size, size)), -overlap), axis=1)  # ties at random
    is_near = np.zeros((size, size), dtype=bool)
    np.put_along_axis(is_near, order[:, : max(n, math.ceil(size * _NEAREST))], True, axis=1)
    value = rng.integers(_DRAWN, size=(size, size)) + is_near * float(_DRAWN * size)  # whole numbers below 2**53
    forbidden = -float(_DRAWN * size) * size
    value[np.arange(size), np.arange(size)] = forbidden
    rounds = []
    for _ in range(n):
        _, drawn = linear_sum_assignment(value, maximize=True)
        value[np.arange(size), drawn] = forbidden
        rounds.append(drawn)
    return np.stack(rounds, axis=1).astype(np.int64)


def _overlap(questions: Sequence[str], positives: Sequence[str]) -> NDArray[np.int64]:
    """Return the summed idf, in thousandths, of the words that each question shares with each positive."""
    containing: dict[str, list[int]] = {}
    for place, text in enumerate(positives):
        for word in set(normalize(text).split()):
            containing.setdefault(word, []).append(place)
    overlap = np.zeros((len(questions), len(positives)), dtype=np.int64)
    for row, text in enumerate(questions):
        for word in set(normalize(text).split()) & containing.keys():
            overlap[row, containing[word]] += round(_SCALE * math.log(len(positives) / len(containing[word])))
    return overlap


@dataclass(frozen=True)
class Leak(Result):
    """The information that the labels of train reveal about the candidates of test."""

    negatives: int  # the number of candidates of test that are not relevant
    known_negatives: int  # the number of these that are also not relevant to a question of train
    positives: int  # the number of candidates of test that are relevant
    misleading_positives: int  # the number of these that are not relevant to a question of train
    # P@1 of ranking by how often a text is right in train minus how often it is wrong (0 if it is not in train),
    # averaged over ties, over the questions with a relevant candidate. This rule does not read the question.
    by_label: float
    by_opposite: float  # P@1 of the opposite rule
    by_chance: float  # P@1 of a random order

    def summary(self) -> list[str]:
        """Return what the labels of train reveal, in a sentence."""
        return [
            f"{self.known_negatives:,} of {self.negatives:,} negatives and {self.misleading_positives:,} of "
            f"{self.positives:,} positives of test are negatives of train; by the train labels of a candidate alone "
            f"P@1 is {self.by_label:.3f}, by the opposite of them {self.by_opposite:.3f}, by chance "
            f"{self.by_chance:.3f}"
        ]

    def tables(self) -> list[TextTable]:
        """Return the table of the fields."""
        rows = tuple(
            (name, f"{value:.3f}" if isinstance(value, float) else str(value)) for name, value in asdict(self).items()
        )
        return [TextTable("", ("field", "value"), rows)]


def leak(train: Questions, test: Questions) -> Leak:
    """Measure how well the labels of train alone rank the candidates of test.

    A candidate of test is looked up in train by its text, without case and surplus white space.

    Raises:
        ValueError: If no question of test has a relevant candidate.
    """
    label: dict[str, float] = defaultdict(float)  # how often a text is right minus how often it is wrong
    wrong = set()
    for candidate in (candidate for question in train for candidate in question.candidates):
        is_right = train.is_relevant(candidate)
        label[_plain(candidate.text)] += 1 if is_right else -1
        wrong |= set() if is_right else {_plain(candidate.text)}
    is_relevant = [(_plain(c.text) in wrong, test.is_relevant(c)) for question in test for c in question.candidates]
    if not any(relevant for _, relevant in is_relevant):
        raise ValueError(f"no question of {test.corpus} {test.split} has a relevant candidate to be found")

    def first(sign: float) -> float:
        scores = {
            question.id: {c.id: sign * label.get(_plain(c.text), 0.0) for c in question.candidates}
            for question in test
            if question.candidates
        }
        return mean(measure(Run("blind", scores), qrels_of(test), ["P@1"]).tie_averaged["P@1"])

    return Leak(
        negatives=sum(not relevant for _, relevant in is_relevant),
        known_negatives=sum(is_known for is_known, relevant in is_relevant if not relevant),
        positives=sum(relevant for _, relevant in is_relevant),
        misleading_positives=sum(is_known for is_known, relevant in is_relevant if relevant),
        by_label=first(1),
        by_opposite=first(-1),
        by_chance=first(0),
    )


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
