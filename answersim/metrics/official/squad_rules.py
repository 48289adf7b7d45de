"""The normalization and the token F1 of the SQuAD scripts, which most official scorers share."""

from __future__ import annotations

import operator
import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

from answersim.answers.text.tokens import squad_words
from answersim.metrics.lexical.f1 import shared

Number = float | int
Rows = Sequence[Mapping[str, Any]]  # the questions of a table
Results = Sequence[Mapping[str, Any] | None]  # their results; None is a missing prediction
PUNCTUATION = str.maketrans("", "", string.punctuation)  # deletes it
ARTICLES = re.compile(r"\b(a|an|the)\b")


class Overlap(NamedTuple):
    """The share of the predicted tokens that are gold tokens, the share of the gold tokens, and their harmonic mean."""

    precision: float
    recall: float
    f1: float


_SHORT = 256  # characters of a text whose tokens are stored, because EM and F1 both read them


@lru_cache(maxsize=1 << 12)
def _stored(text: str) -> tuple[str, ...]:
    return tuple(squad_words(text))


def words(text: str) -> tuple[str, ...]:
    """Return the tokens of ``normalize``."""
    return _stored(text) if len(text) <= _SHORT else tuple(squad_words(text))


def normalize(text: str) -> str:
    """Return the text in lower case, without ASCII punctuation and without ``a``, ``an``, ``the``.

    Punctuation is deleted before the articles, so that "U.S.A." becomes "usa" and "a-b" becomes "ab". Curly quotes,
    dashes and currency signs beyond ASCII stay.

    >>> normalize("The U.S.A.!"), normalize("a-b")
    ('usa', 'ab')

    Source: ``normalize_answer`` of the SQuAD evaluation scripts (Rajpurkar et al. 2016, 2018).
    """
    return " ".join(words(text))


def overlap(gold: Sequence[str], pred: Sequence[str]) -> Overlap | None:
    """Return the overlap of two bags of tokens; None if they have no token in common.

    >>> overlap(["a", "b"], ["a"]).recall
    0.5
    """
    common = shared(gold, pred)
    if not common:
        return None
    precision, recall = common / len(pred), common / len(gold)
    return Overlap(precision, recall, (2 * precision * recall) / (precision + recall))


def f1_squad1(gold: str, pred: str) -> Number:
    """Return the token F1 of SQuAD 1.1. Two answers without tokens score 0, because they share no token.

    >>> f1_squad1("the", "a"), f1_squad1("red fox", "fox")
    (0, 0.6666666666666666)
    """
    shared = overlap(words(gold), words(pred))
    return 0 if shared is None else shared.f1


def f1_squad2(gold: str, pred: str) -> Number:
    """Return the token F1 of SQuAD 2.0. If one answer has no token, it is 1 if the other has none either, else 0.

    >>> f1_squad2("the", "a"), f1_squad2("", "x")
    (1, 0)
    """
    theirs, ours = words(gold), words(pred)
    if not theirs or not ours:
        return int(theirs == ours)
    shared = overlap(theirs, ours)
    return 0 if shared is None else shared.f1


def exact(gold: str, pred: str) -> bool:
    """Return whether both answers have the same tokens in the same order."""
    return words(gold) == words(pred)


def best(score: Callable[[str, str], Any], golds: Iterable[str], pred: str) -> Any:
    """Return the highest score over the gold answers. Raise ValueError if there are none, as the owners' ``max``."""
    return max(score(gold, pred) for gold in golds)


def added(values: Iterable[Number]) -> Number:
    """Return the sum of numbers, added one by one: ``sum`` does so, too, but rounds otherwise since Python 3.12."""
    return reduce(operator.add, values, 0)


def total(results: Results, key: str) -> float:
    """Return the sum of a number of all results. A missing prediction counts 0."""
    return added(float(result[key]) for result in results if result)


def harmonic(precision: Number, recall: Number) -> float:
    """Return the harmonic mean; 0 of two zeros."""
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def is_contained(golds: Iterable[str], normalized: str) -> bool:
    """Return whether a gold answer, normalized, is a substring of a text that is normalized already.

    A gold answer that normalizes to nothing is contained in every text.
    """
    return any(normalize(gold) in normalized for gold in golds)
