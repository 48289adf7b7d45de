"""TAT-QA: numbers with a scale, spans, and sets of spans in tables and text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from answersim.metrics.official.drop import aligned_f1, em, plain, spans_in
from answersim.metrics.official.squad_rules import Results, Rows

_CLEANED = str.maketrans("", "", "'\"\\$€£¥%(),[]")
_SCALES = (("hundred", 100), ("thousand", 1000), ("million", 1_000_000), ("billion", 1_000_000_000), ("percent", 0.01))
_NUMBER = re.compile(r"([+-]?\d+(\.\d+)?)|([+-]?\.\d+)")
_SCALED = re.compile(r"[\d.]+\s?[a-zA-Z]+")
_NEGATIVE = re.compile(r"\([\d.\s]+\)")
_PERCENT = re.compile(r"[\d.\s]%")


def tatqa(
    golds: list[Any], pred: Any, *, pred_scale: Any = "", scale: str = "", answer_type: str = ""
) -> dict[str, Any]:
    """Score as the owner.

    Args:
        golds: One element, the answer of the annotation: a text, a number, or the list of its spans.
        pred: A text, a number, a list, or None.
        pred_scale: The predicted scale.
        scale: The gold scale: "", "thousand", "million", "billion" or "percent".
        answer_type: "span", "multi-span", "count" or "arithmetic".

    Raises:
        ValueError, AssertionError, TypeError, AttributeError: Where the code of the owner raises them.

    Source: ``tatqa_metric.py``, ``tatqa_utils.py`` (Zhu et al. 2021).
    """
    gold = golds[0]
    if not pred:
        return {"em": 0.0, "f1": 0.0, "scale": 0.0}
    answers = _gold_answers(gold, answer_type)
    reference = answer_text(answers, scale)
    exact, f1 = max(_compared(reference, text) for text in _predictions(pred, pred_scale))
    if answer_type in ("arithmetic", "count"):
        f1 = exact
    return {"em": exact, "f1": f1, "scale": float(pred_scale == scale and bool(answers))}


def _gold_answers(gold: Any, answer_type: str) -> list[Any]:
    if answer_type in ("span", "multi-span"):
        if not isinstance(gold, list):
            raise AssertionError(f"the gold answer of the type {answer_type} is {gold!r}, but it must be a list")
        return gold
    return [str(int(gold))] if answer_type == "count" else [str(gold)]


def _predictions(pred: Any, scale: Any) -> list[str]:
    answers = pred if isinstance(pred, list) else [pred]
    texts = [answer_text(answers, scale)]
    if len(answers) == 1:
        only = str(answers[0])
        number = to_number(only) if is_number(only) and "%" not in only and not scale else None
        if number is not None:
            texts.append(f"{number:.4f}")
    return texts


def _compared(gold: str, pred: str) -> tuple[float, float]:
    gold_bags, pred_bags = spans_in(gold, normalized), spans_in(pred, normalized)
    return em(gold_bags, pred_bags), float(round(np.mean(aligned_f1(gold_bags, pred_bags, numbers=False)), 2))


def answer_text(answers: Sequence[Any], scale: Any) -> str:
    """Return the answers of one side as one text: sorted, numbers with four digits and multiplied by the scale."""
    parts = []
    for answer in sorted(answers):
        text = str(answer)
        number = to_number(text) if is_number(text) else None
        if number is None:
            parts.append(f"{text} {scale}" if scale else text)
        elif "%" in text:
            parts.append(f"{number:.4f}")
        else:
            parts.append(f"{round(number, 2) * scale_of(scale):.4f}")
    return " ".join(parts)


def scale_of(text: str) -> float:
    """Return the factor of the first scale word that the text contains; 1 without one."""
    lowered = text.lower()
    return next((factor for word, factor in _SCALES if word in lowered), 1)


def is_number(text: str) -> bool:
    """Return whether a text is a number, alone or with a scale word after it."""
    words = " ".join(word.translate(_CLEANED) for word in text.split()).split()
    if not words:
        return False
    try:
        value = float(words[0])
    except ValueError:
        return False
    return not np.isnan(value) and (len(words) < 2 or scale_of(words[1]) != 1)


def to_number(text: str) -> float | None:
    """Return the value of a number with its sign, scale word and percent, rounded to four digits; None for ".5"."""
    match = _NUMBER.search(text.translate(_CLEANED))
    if match is None or match.group(1) is None:
        return None
    digits = match.group(1)
    value: float = float(digits) if "." in digits else int(digits)
    scaled = _SCALED.search(text)
    factor = scale_of(scaled.group(0)) if scaled else 1
    sign = -1 if _NEGATIVE.search(text) else 1
    percent = 0.01 if _PERCENT.search(text) else 1
    return round(value * factor * sign * percent, 4)


def normalized(text: str) -> str:
    """Return an answer as DROP does, but split at blanks only, and with the numbers of TAT-QA."""
    parts = (plain(token, is_number, to_number) for token in text.split(" "))
    return " ".join(word for word in parts if word.strip()).strip()


def tatqa_table(rows: Rows, results: Results) -> dict[str, Any]:
    """Return the means over all questions."""
    columns = {key: [result[key] if result else 0.0 for result in results] for key in ("em", "f1", "scale")}
    return {key: float(np.mean(values)) for key, values in columns.items()}
