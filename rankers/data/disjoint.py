"""Splits that share no text, with newly drawn negatives, so that no candidate alone reveals its label.

Every candidate is a positive of exactly one question of its split. If each text is a negative of equally many
questions, a ranker that never reads the question is at chance level, whatever it learned from another split.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankers.types import Questions

SEED = 20_191  # of the draw; part of the definition of a corpus, so that a test split never depends on an argument
_SCALE = 1_000  # idf weights are whole thousandths, so that sums are exact and ties are real
_NEAREST = 0.2  # the share of the positives that the negatives of a question are drawn from
_DRAWN = 1_000  # drawn numbers are below this


class Shared(NamedTuple):
    """The texts that two splits have in common, after normalization."""

    questions: int  # question texts
    candidates: int  # candidate texts


def normalize(text: str) -> str:
    """Return the words of a text in lowercase, without punctuation, separated by single spaces.

    >>> normalize("  What's THE ﬁne?")
    'what s the fine'
    """
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def count_shared(one: Questions, other: Questions) -> Shared:
    """Count the question texts and the candidate texts that both splits have, after normalization."""
    questions = [{normalize(question.text) for question in split} for split in (one, other)]
    candidates = [{normalize(c.text) for question in split for c in question.candidates} for split in (one, other)]
    return Shared(len(questions[0] & questions[1]), len(candidates[0] & candidates[1]))


def find_repeated(texts: Iterable[str]) -> list[str]:
    """Return the texts that are equal to an earlier one after normalization, in order."""
    seen: set[str] = set()
    found = []
    for text in texts:
        if (plain := normalize(text)) in seen:
            found.append(text)
        seen.add(plain)
    return found


def negatives(questions: Sequence[str], positives: Sequence[str], n: int) -> NDArray[np.int64]:
    """Draw ``n`` negatives for each question among the positives of the others, each positive equally often.

    Each of ``n`` rounds assigns every question one positive of another question, at random and no positive twice. A
    negative is among the fifth of the positives that overlap most with its question, as far as this is possible: the
    overlap is the idf of the words that they share. No question gets the same negative twice. The draw depends on the
    texts, their order and ``SEED`` alone.

    Args:
        questions: The texts of the questions.
        positives: One positive per question.
        n: The number of negatives per question.

    Returns:
        Positions in ``positives``, (questions, n): each position occurs exactly ``n`` times and never in its own row.

    Raises:
        ValueError: If there are not more than ``n`` questions.

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
    asked = [set(normalize(text).split()) for text in questions]
    answered = [set(normalize(text).split()) for text in positives]
    frequency = Counter(word for words in answered for word in words)
    containing: dict[str, list[int]] = {}
    for place, words in enumerate(answered):
        for word in words:
            containing.setdefault(word, []).append(place)
    overlap = np.zeros((len(questions), len(positives)), dtype=np.int64)
    for row, words in enumerate(asked):
        for word in words:
            if word in containing:
                overlap[row, containing[word]] += round(_SCALE * math.log(len(positives) / frequency[word]))
    return overlap
