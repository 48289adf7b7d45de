"""Several gold answers for one prediction: does the best one count, in any order?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.evaluation.doctor.subject import Subject
from answersim.metrics.testing.properties import Finding
from answersim.types import Pair

CASES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("National Football League", "the American league", "baseball"), "the Football League"),
    (("red and blue", "green"), "red"),
    (("eleven players", "ten", "11 men"), "eleven"),
    (("in the north of Italy", "Rome"), "northern Italy"),
    (("Paris", "London"), "Berlin"),
    (("the worst of times", "the best of times", "it was the best of times"), "best times"),
)
"""Gold answers that are all accepted, and a prediction."""

_NONE = "it accepts one gold answer only"


def best(subject: Subject, tolerance: float) -> Finding:
    """Check that the score with several gold answers is that of the best one.

    A harness that turns a partial score into 1 as soon as there are several gold answers breaks this.
    """
    named = "references, best", "with several gold answers, the best one counts"
    cases = [*CASES, *(((golds[0],), pred) for golds, pred in CASES)]
    together, why = _scores(subject, cases)
    if together is None:
        return Finding(*named, None, detail=why)
    single = [float(subject([Pair(gold, pred) for gold in golds]).max()) for golds, pred in cases]
    differences = np.abs(together - single)
    worst = int(differences.argmax())
    golds, pred = cases[worst]
    detail = f"{list(golds)} and {pred!r} have {together[worst]:.4g}, the best gold answer alone {single[worst]:.4g}"
    return _found(named, differences, tolerance, detail)


def order(subject: Subject, tolerance: float) -> Finding:
    """Check that the order of several gold answers does not matter."""
    named = "references, order", "the order of several gold answers does not matter"
    cases = [(golds, pred) for listed, pred in CASES for golds in permutations(listed)]
    numbers, why = _scores(subject, cases)
    if numbers is None:
        return Finding(*named, None, detail=why)
    differences, details = [], []
    for _, pred in CASES:
        same = [number for number, (_, prediction) in zip(numbers, cases, strict=True) if prediction == pred]
        differences.append(max(same) - min(same))
        details.append(f"{pred!r} has {min(same):.4g} to {max(same):.4g} over the orders of its gold answers")
    return _found(named, np.array(differences), tolerance, details[int(np.argmax(differences))])


def _scores(subject: Subject, cases: Sequence[tuple[tuple[str, ...], str]]) -> tuple[FloatArray | None, str]:
    """Return the score of each case, or None and the reason if the metric accepts one gold answer only."""
    if subject.references is False:
        return None, _NONE
    try:
        return subject.scores([list(golds) for golds, _ in cases], [pred for _, pred in cases]), ""
    except Exception as error:  # a function may refuse a list in any way
        if subject.references:
            raise
        return None, f"{_NONE} ({type(error).__name__})"


def _found(named: tuple[str, str], differences: FloatArray, tolerance: float, detail: str) -> Finding:
    broken = int((differences > tolerance).sum())
    largest = float(differences.max())
    return Finding(*named, not broken, len(differences), broken, largest, detail if broken else "")
