"""GAIA: quasi exact match of numbers, lists and texts."""

from __future__ import annotations

import re
from typing import Any

from answersim.metrics.official.drop import is_number
from answersim.metrics.official.raised import or_raises
from answersim.metrics.official.squad_rules import PUNCTUATION

_SEPARATOR = re.compile("[,;]")


def gaia(golds: list[str], pred: str | None) -> dict[str, Any]:
    """Score as the leaderboard of GAIA.

    A numeric gold is compared as a number, a gold with "," or ";" as a list in order, any other as text without
    white space, punctuation and case. "1,000" is therefore a list of two numbers, and a text that is no number counts
    as infinity against the gold "inf". None against a gold that is no number raises TypeError.

    Source: ``question_scorer`` (Mialon et al. 2023).
    """
    return {"correct": or_raises(lambda: _correct(golds[0], pred))}


def _correct(gold: str, pred: str | None) -> bool:
    if is_number(gold):
        return _number(str(pred)) == float(gold)
    if pred is None:
        raise TypeError("the prediction is None, and the gold answer is no number")
    if "," in gold or ";" in gold:
        golds, preds = _SEPARATOR.split(gold), _SEPARATOR.split(pred)
        return len(golds) == len(preds) and all(map(_equal, golds, preds))
    return _bare(gold).translate(PUNCTUATION).lower() == _bare(pred).translate(PUNCTUATION).lower()


def _equal(gold: str, pred: str) -> bool:
    return _number(pred) == float(gold) if is_number(gold) else _bare(gold).lower() == _bare(pred).lower()


def _number(text: str) -> float:
    for sign in "$%,":
        text = text.replace(sign, "")
    return float(text) if is_number(text) else float("inf")


def _bare(text: str) -> str:
    return re.sub(r"\s", "", text)
