"""GSM8K: the owner's rule, and those of verl and of lm-eval."""

from __future__ import annotations

import re
from typing import Any

from answersim.metrics.official.lmeval import exact_match

_partition = str.partition  # raises TypeError if it is no text, as the owner's pattern does
_OFFICIAL = re.compile(r"#### (\-?[0-9\.\,]+)")
_NUMBERS = re.compile(r"(\-?[0-9\.\,]+)")
_FLEXIBLE = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
_IGNORED = (",", r"\$", r"(?s).*#### ", r"\.$")
_INVALID = "[invalid]"
_READ = 300  # characters at the end of the output that verl reads


def gsm8k(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as the owner: the text after the first ``#### `` as a string, without commas.

    "72." and "72.00" therefore differ from "72", and "#### $72" has no answer.

    Source: ``grade_school_math/dataset.py`` (Cobbe et al. 2021).
    """
    answer, gold = _first(pred), _first(golds[0])
    correct: Any = {"raises": "AssertionError"} if gold == _INVALID else answer == gold
    return {"pred_answer": answer, "gold_answer": gold, "correct": correct}


def _first(text: str) -> str:
    _, mark, end = _partition(text, "#### ")
    if end.isdigit() and end.isascii():  # the usual end, which needs no pattern
        return end
    match = _OFFICIAL.search(text) if mark else None
    return match[1].replace(",", "") if match else _INVALID


def verl(golds: list[str], pred: str, *, format_score: float = 0.0) -> dict[str, Any]:
    """Score as verl: the last 300 characters, by the last ``#### `` (strict) or the last number (flexible).

    ``golds``: the number, as text. ``format_score``: the score of a wrong number. No number scores 0.
    """
    end = pred[-_READ:]
    marked = _OFFICIAL.findall(end)
    strict = marked[-1].replace(",", "").replace("$", "") if marked else None
    numbers = _NUMBERS.findall(end)
    flexible = next(
        (number for number in reversed(numbers) if number not in ("", ".")), numbers[0] if numbers else None
    )
    result: dict[str, Any] = {}
    for name, answer in (("strict", strict), ("flexible", flexible)):
        score = 0.0 if answer is None else 1.0 if answer == golds[0] else format_score
        result |= {f"{name}_answer": answer, f"{name}_score": score}
    return result


def lmeval(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as lm-eval: the first ``#### `` (strict) or the last number (flexible), compared after four deletions.

    The gold is the whole solution. Everything up to ``#### ``, commas, "$" and a final point are deleted on both sides,
    so that "72." equals "72" here.
    """
    match = _OFFICIAL.search(pred)
    strict = match.group(1).strip() if match else _INVALID
    numbers = _FLEXIBLE.findall(pred)
    flexible = next(group for group in numbers[-1] if group).strip() if numbers else _INVALID
    return {
        "strict_answer": strict,
        "strict_score": exact_match(golds, strict, regexes=_IGNORED),
        "flexible_answer": flexible,
        "flexible_score": exact_match(golds, flexible, regexes=_IGNORED),
    }
