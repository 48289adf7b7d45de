"""Verdicts that another tool recorded in the cells of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from answersim.metrics.judge.parsing import Outcome, offered, parse, unparsed

_WORDS: tuple[dict[str, float], ...] = (  # families of words; the first one that finds a verdict in a text applies
    {"yes": 1.0, "no": 0.0},
    {"correct": 1.0, "incorrect": 0.0, "not attempted": 0.0},
    {"true": 1.0, "false": 0.0},
    {"right": 1.0, "wrong": 0.0},
    {"equivalent": 1.0, "not equivalent": 0.0, "different": 0.0},
)


def read_verdict(value: Any, pred: str = "", others: Sequence[str] = ()) -> Outcome:
    """Return the outcome of a cell: a number, a word, or free text, which is read as a reply: see ``parsing.parse``.

    ``others``: the gold answers and the question.

    >>> read_verdict("Yes, the candidate is correct. There is no doubt.")
    Outcome(verdict='yes', score=1.0, reason='')
    >>> read_verdict(0.5).score, read_verdict("The second one.").score
    (0.5, None)
    """
    if isinstance(value, bool):
        return Outcome("yes" if value else "no", float(value))
    if isinstance(value, (int, float)):
        return _number(float(value), str(value))
    if not isinstance(value, str) or not value.strip():
        return unparsed("the verdict is empty")
    with suppress(ValueError):
        return _number(float(value), value.strip())
    for words in _WORDS:
        outcome = offered(value, words)
        if outcome.score is None:
            outcome = parse(value, words, pred, others)
        if outcome.score is not None or outcome.contradicts:
            return outcome
    return unparsed(f"the text {value[:60]!r} states no verdict")


def _number(number: float, printed: str) -> Outcome:
    if not 0 <= number <= 1 or math.isnan(number):
        return unparsed(f"the verdict is {printed}, but it must be a number from 0 to 1")
    return Outcome({1.0: "yes", 0.0: "no"}.get(number, f"{number:g}"), number)
