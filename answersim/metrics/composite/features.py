"""Features of two answers without a model: what rules say, whether numbers agree, how long the prediction is."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.answers.relation import Relation

OF_RELATIONS = ("near", "not different", "error", "not reordered")
_NUMBER = re.compile(r"\d[\d,.]*")
_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
}


def numbers(gold: str, pred: str) -> float:
    """Return 1 if both answers have the same numbers or none, 0 if each has numbers that the other lacks, else .5.

    Numbers are digits, with any thousands separator, and the English words from zero to twenty.

    >>> numbers("11 people", "eleven"), numbers("1,000", "1000"), numbers("1984", "1985"), numbers("May 1984", "May")
    (1.0, 1.0, 0.0, 0.5)
    """
    of_gold, of_pred = _numbers(gold), _numbers(pred)
    if of_gold == of_pred:
        return 1.0
    return 0.0 if of_gold - of_pred and of_pred - of_gold else 0.5


def sentence(gold: str, pred: str) -> float:
    """Return how much longer the prediction is: 0 for up to two words more than the gold answer, 1 from ten on.

    >>> sentence("Paris", "in Paris"), sentence("Paris", "Emma was born in Paris, in the spring of 1910.")
    (0.0, 0.875)
    """
    more = len(pred.split()) - len(gold.split())
    return min(max((more - 2) / 8, 0.0), 1.0)


def of_relations(related: Sequence[Relation]) -> dict[str, FloatArray]:
    """Return the features of relations by name, each of shape (n,). Higher means more similar.

    "near" is 1 for near answers. "not different" is -1 for different ones. "error" is minus the difference of two
    numbers as a share of the gold answer, at least -1, and 0 if no numbers were compared. "not reordered" is -1 for the
    same words in another order. All are 0 for other pairs.
    """
    values = [
        (
            float(relation.relation == "near"),
            -float(relation.relation == "different"),
            0.0 if math.isnan(relation.error) else -min(relation.error, 1.0),
            -float(relation.relation == "none" and relation.rule == "order"),
        )
        for relation in related
    ]
    columns = np.array(values, dtype=np.float64).reshape(len(related), len(OF_RELATIONS)).T
    return dict(zip(OF_RELATIONS, columns, strict=True))


def _numbers(text: str) -> set[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    digits = {re.sub(r"[,.](?=\d{3}(?:\D|$))", "", number).rstrip(".,") for number in _NUMBER.findall(folded)}
    return digits | {_WORDS[word] for word in re.findall(r"[a-z]+", folded) if word in _WORDS}
