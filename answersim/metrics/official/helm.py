"""The reference metrics of HELM, each at its best gold answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from answersim.metrics.official.squad_rules import PUNCTUATION, Number, best, normalize

_NUMBER = re.compile(r"-?[\d,]+(?:.\d+)?")  # the dot is not escaped: "3 4" is one number


def helm(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as ``compute_reference_metrics`` of HELM. An empty prediction scores 0.

    Source: ``evaluate_reference_metrics.py`` (Liang et al. 2022).
    """
    return {name: best(score, golds, pred.strip()) for name, score in _METRICS.items()}


def _exact(gold: str, pred: str) -> int:
    return int(bool(pred) and gold.strip() == pred.strip())


def _quasi(gold: str, pred: str) -> int:
    return int(bool(pred) and normalize(gold) == normalize(pred))


def _quasi_with_articles(gold: str, pred: str) -> int:
    theirs, ours = (" ".join(text.lower().translate(PUNCTUATION).split()) for text in (gold, pred))
    return int(bool(pred) and theirs == ours)


def _prefix(gold: str, pred: str) -> int:
    return int(bool(pred) and pred.strip().startswith(gold.strip()))


def _quasi_prefix(gold: str, pred: str) -> int:
    return int(bool(pred) and normalize(pred).startswith(normalize(gold)))


def _f1(gold: str, pred: str) -> Number:
    """Return the F-measure of NLTK on sets of tokens; 0 if one of them is empty."""
    theirs, ours = set(normalize(gold).split()), set(normalize(pred).split())
    common = len(theirs & ours)
    if not theirs or not ours or not common:
        return 0
    return 1.0 / (0.5 / (common / len(ours)) + 0.5 / (common / len(theirs)))


def _indicator(gold: str, pred: str) -> int:
    return _exact(gold.split(" ")[-1].strip(), pred.split(" ")[-1].strip())


def _final_number(gold: str, pred: str) -> int:
    return _exact(_last_number(gold), _last_number(pred))


def _last_number(text: str) -> str:
    numbers = _NUMBER.findall(text)
    return numbers[-1].replace(",", "") if numbers else ""


_METRICS: dict[str, Callable[[str, str], Any]] = {
    "exact_match": _exact,
    "quasi_exact_match": _quasi,
    "quasi_leave_articles_exact_match": _quasi_with_articles,
    "prefix_exact_match": _prefix,
    "quasi_prefix_exact_match": _quasi_prefix,
    "f1_score": _f1,
    "exact_match_indicator": _indicator,
    "final_number_exact_match": _final_number,
}
