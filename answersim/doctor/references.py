"""Several gold answers for one prediction: does the best one count, in any order?"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from answersim.doctor.subject import Subject
from answersim.testing.properties import Finding
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
    promise = "with several gold answers, the best one counts"
    if subject.references is False:
        return Finding("references, best", promise, None, detail=_NONE)
    cases = [*CASES, *(((golds[0],), pred) for golds, pred in CASES)]
    try:
        together = subject.scores([list(golds) for golds, _ in cases], [pred for _, pred in cases])
    except Exception as error:  # a function may refuse a list in any way
        if subject.references:
            raise
        return Finding("references, best", promise, None, detail=f"{_NONE} ({type(error).__name__})")
    single = [float(subject([Pair(gold, pred) for gold in golds]).max()) for golds, pred in cases]
    differences = np.abs(together - single)
    worst = int(differences.argmax())
    golds, pred = cases[worst]
    broken = int((differences > tolerance).sum())
    detail = f"{list(golds)} and {pred!r} have {together[worst]:.4g}, the best gold answer alone {single[worst]:.4g}"
    return Finding(
        *("references, best", promise, not broken, len(cases), broken, float(differences.max())),
        detail if broken else "",
    )


def order(subject: Subject, tolerance: float) -> Finding:
    """Check that the order of several gold answers does not matter."""
    promise = "the order of several gold answers does not matter"
    if subject.references is False:
        return Finding("references, order", promise, None, detail=_NONE)
    cases = [(list(golds), pred) for listed, pred in CASES for golds in permutations(listed)]
    try:
        numbers = subject.scores([golds for golds, _ in cases], [pred for _, pred in cases])
    except Exception as error:
        if subject.references:
            raise
        return Finding("references, order", promise, None, detail=f"{_NONE} ({type(error).__name__})")
    differences, details = [], []
    for _, pred in CASES:
        same = [number for number, (_, other) in zip(numbers, cases, strict=True) if other == pred]
        differences.append(max(same) - min(same))
        details.append(f"{pred!r} has {min(same):.4g} to {max(same):.4g} over the orders of its gold answers")
    worst = int(np.argmax(differences))
    broken = int(np.sum(np.array(differences) > tolerance))
    return Finding(
        *("references, order", promise, not broken, len(CASES), broken, float(max(differences))),
        details[worst] if broken else "",
    )
