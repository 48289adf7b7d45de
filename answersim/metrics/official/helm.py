"""The reference metrics of HELM, each at its best gold answer."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from operator import eq
from typing import Any

from answersim.metrics.official.squad_rules import PUNCTUATION, Number, best, normalize

_NUMBER = re.compile(r"-?[\d,]+(?:.\d+)?")  # the dot is not escaped: "3 4" is one number


def helm(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as ``compute_reference_metrics`` of HELM. An empty prediction scores 0.

    Source: ``evaluate_reference_metrics.py`` (Liang et al. 2022).
    """
    return {name: best(score, golds, pred.strip()) for name, score in _METRICS.items()}


def _compared(form: Callable[[str], Any], compare: Callable[[Any, Any], bool] = eq) -> Callable[[str, str], int]:
    """Return the metric that is 1 if a prediction, which is not empty, and a gold answer compare in this form."""
    return lambda gold, pred: int(bool(pred) and compare(form(pred), form(gold)))


def _bare(text: str) -> str:
    return " ".join(text.lower().translate(PUNCTUATION).split())


def _f1(gold: str, pred: str) -> Number:
    """Return the F-measure of NLTK on sets of tokens; 0 if one of them is empty."""
    theirs, ours = set(normalize(gold).split()), set(normalize(pred).split())
    common = len(theirs & ours)
    if not theirs or not ours or not common:
        return 0
    return 1.0 / (0.5 / (common / len(ours)) + 0.5 / (common / len(theirs)))


def _last_word(text: str) -> str:
    return text.split(" ")[-1].strip()


def _last_number(text: str) -> str | float:
    """Return the last number as text; without one nan, which equals nothing."""
    numbers = _NUMBER.findall(text)
    return (numbers[-1].replace(",", "") if numbers else "").strip() or math.nan


_METRICS: dict[str, Callable[[str, str], Any]] = {
    "exact_match": _compared(str.strip),
    "quasi_exact_match": _compared(normalize),
    "quasi_leave_articles_exact_match": _compared(_bare),
    "prefix_exact_match": _compared(str.strip, str.startswith),
    "quasi_prefix_exact_match": _compared(normalize, str.startswith),
    "f1_score": _f1,
    "exact_match_indicator": _compared(_last_word),
    "final_number_exact_match": _compared(_last_number),
}
