"""All property checks of one metric: none stops the others, and an error is a finding too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from answersim._base.arrays import FloatArray
from answersim._base.errors import deferred_warnings
from answersim.evaluation.data.minimal_pairs import MinimalPair
from answersim.evaluation.doctor import references
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

    promises = properties.promises(subject, pairs, questions, tolerance)
    checks = [
        *zip(NAMES[: 4 if questions is None else 6], promises, strict=True),
        ("threads", lambda: properties.threads(subject, pairs, questions, tolerance)),
        ("identity", lambda: properties.identity(subject, texts, seen)),
        ("symmetry", lambda: properties.symmetry(subject, usual, tolerance)),
        ("white space", lambda: properties.white_space(subject, _with_itself(usual), tolerance)),
        ("scripts", lambda: properties.scripts(subject)),
        ("references, best", lambda: references.best(subject, tolerance)),
        ("references, order", lambda: references.order(subject, tolerance)),
        ("odd input", lambda: properties.odd_input(subject)),
        ("range", lambda: properties.bounds(seen)),
    ]
    with deferred_warnings():  # of long texts, which are given on purpose
        return tuple(_attempted(name, check) for name, check in checks)


def _usable(subject: Subject, pairs: list[Pair]) -> list[Pair]:
    """Return the pairs with a score, so that one that fails does not fail every check: "odd input" reports it."""
    try:
        properties.scores(subject, pairs)
    except Exception:  # any metric may be given
        return [pair for pair in pairs if _has_score(subject, pair)]
    return pairs


def _has_score(subject: Subject, pair: Pair) -> bool:
    try:
        return len(properties.scores(subject, [pair])) == 1
    except Exception:  # any metric may be given
        return False


def _with_itself(pairs: Sequence[Pair]) -> list[Pair]:
    """Return these pairs and each gold answer with itself."""
    return [*(Pair(gold, gold) for gold in dict.fromkeys(pair.gold for pair in pairs)), *pairs]


def _attempted(name: str, check: Callable[[], Finding]) -> Finding:
    """Return the finding of a check. A check that raises an error is broken."""
    try:
        return check()
    except AssertionError as error:  # a broken promise about the form of the result
        return Finding(name, "", False, 1, 1, 0.0, str(error))
    except Exception as error:  # any metric may be given, and its errors are what is reported
        return Finding(name, "", False, 1, 1, 0.0, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
