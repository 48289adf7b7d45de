"""All property checks of one metric: none stops the others, and an error is a finding too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.errors import deferred_warnings
from answersim.evaluation.data.minimal_pairs import MinimalPair
from answersim.evaluation.doctor.attacks import TABLE
from answersim.evaluation.doctor.subject import Subject
from answersim.metrics.testing import properties
from answersim.metrics.testing.properties import Finding
from answersim.types import Pair

SAMPLE = 12  # minimal pairs whose answers are used beside the pairs of ``properties``
NAMES = (
    *("no pairs", "determinism", "batch", "order", "empty question", "question batch", "threads"),
    *("identity", "symmetry", "white space", "scripts", "references, best", "references, order", "odd input", "range"),
)
"""The properties, in the order of tables."""


def findings(
    subject: Subject, sample: Sequence[MinimalPair], seen: FloatArray, tolerance: float
) -> tuple[Finding, ...]:
    """Return the finding for each property.

    ``seen``: scores of the metric that are already known, for the range and the highest score; shape (n,).
    ``tolerance``: the largest difference between two scores that count as equal.
    """
    usual = [Pair(pair.gold, answer) for pair in sample for answer in (pair.same, pair.different)]
    pairs = _usable(subject, [*properties.PAIRS, *usual])
    texts = list(dict.fromkeys(pair.gold for pair in usual if pair.gold.strip()))
    questions = None
    if subject.reads_questions:
        known = {Pair(pair.gold, answer): pair.question for pair in sample for answer in (pair.same, pair.different)}
        invented = [properties.QUESTIONS[i % len(properties.QUESTIONS)] for i in range(len(pairs))]
        questions = [known.get(pair, question) for pair, question in zip(pairs, invented, strict=True)]

    with_itself = [*(Pair(gold, gold) for gold in dict.fromkeys(pair.gold for pair in usual)), *usual]
    promises = properties.promises(subject, pairs, questions, tolerance)
    checks = [
        *zip(NAMES[: 4 if questions is None else 6], promises, strict=True),
        ("threads", lambda: properties.threads(subject, pairs, questions, tolerance)),
        ("identity", lambda: properties.identity(subject, texts, seen)),
        ("symmetry", lambda: properties.symmetry(subject, usual, tolerance)),
        ("white space", lambda: properties.white_space(subject, with_itself, tolerance)),
        ("scripts", lambda: properties.scripts(subject)),
        ("references, best", lambda: best_reference(subject, tolerance)),
        ("references, order", lambda: order_of_references(subject, tolerance)),
        ("odd input", lambda: properties.odd_input(subject)),
        ("range", lambda: properties.bounds(seen)),
    ]
    with deferred_warnings():  # of long texts, which are given on purpose
        return tuple(_attempted(name, check) for name, check in checks)


def _usable(subject: Subject, pairs: list[Pair]) -> list[Pair]:
    """Return the pairs with a score, so that one that fails does not fail every check: "odd input" reports it."""

    def has_scores(tried: list[Pair]) -> bool:
        try:
            return len(properties.scores(subject, tried)) == len(tried)
        except Exception:  # any metric may be given
            return False

    return pairs if has_scores(pairs) else [pair for pair in pairs if has_scores([pair])]


def _attempted(name: str, check: Callable[[], Finding]) -> Finding:
    """Return the finding of a check. A check that raises an error is broken."""
    try:
        return check()
    except AssertionError as error:  # a broken promise about the form of the result
        return Finding(name, "", False, 1, 1, 0.0, str(error))
    except Exception as error:  # any metric may be given, and its errors are what is reported
        return Finding(name, "", False, 1, 1, 0.0, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")


# Several gold answers that are all accepted, and a prediction.
REFERENCES = tuple((tuple(golds), pred) for golds, pred in TABLE["references"])
_ONE_REFERENCE = "it accepts one gold answer only"


def best_reference(subject: Subject, tolerance: float) -> Finding:
    """Check that the score with several gold answers is that of the best one.

    A harness that turns a partial score into 1 as soon as there are several gold answers breaks this.
    """
    named = "references, best", "with several gold answers, the best one counts"
    cases = [*REFERENCES, *((golds[:1], pred) for golds, pred in REFERENCES)]
    together, why = _of_references(subject, cases)
    if together is None:
        return Finding(*named, None, detail=why)
    single = [float(subject([Pair(gold, pred) for gold in golds]).max()) for golds, pred in cases]
    differences = np.abs(together - single)
    worst = int(differences.argmax())
    golds, pred = cases[worst]
    detail = f"{list(golds)} and {pred!r} have {together[worst]:.4g}, the best gold answer alone {single[worst]:.4g}"
    return properties.finding(*named, differences, tolerance, detail)


def order_of_references(subject: Subject, tolerance: float) -> Finding:
    """Check that the order of several gold answers does not matter."""
    named = "references, order", "the order of several gold answers does not matter"
    cases = [(golds, pred) for listed, pred in REFERENCES for golds in permutations(listed)]
    numbers, why = _of_references(subject, cases)
    if numbers is None:
        return Finding(*named, None, detail=why)
    differences, details = [], []
    for _, pred in REFERENCES:
        same = [number for number, (_, prediction) in zip(numbers, cases, strict=True) if prediction == pred]
        differences.append(max(same) - min(same))
        details.append(f"{pred!r} has {min(same):.4g} to {max(same):.4g} over the orders of its gold answers")
    return properties.finding(*named, np.array(differences), tolerance, details[int(np.argmax(differences))])


def _of_references(subject: Subject, cases: Sequence[tuple[tuple[str, ...], str]]) -> tuple[FloatArray | None, str]:
    """Return the score of each case, or None and the reason if the metric accepts one gold answer only."""
    if subject.references is False:
        return None, _ONE_REFERENCE
    try:
        return subject.scores([list(golds) for golds, _ in cases], [pred for _, pred in cases]), ""
    except Exception as error:  # a function may refuse a list in any way
        if subject.references:
            raise
        return None, f"{_ONE_REFERENCE} ({type(error).__name__})"
