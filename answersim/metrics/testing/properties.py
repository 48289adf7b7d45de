"""Properties of a metric: one function per property.

``check_metric`` stops at the first broken property, and the doctor reports all. Every function takes a call, which
returns the scores of pairs and their questions, and returns a ``Finding``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.errors import shortened
from answersim.types import Pair

Call: TypeAlias = Callable[[list[Pair], Sequence[str] | None], FloatArray]

_TEXTS: dict[str, Any] = json.loads(Path(__file__).with_name("texts.json").read_text(encoding="utf-8"))
PAIRS = tuple(Pair(*texts) for texts in _TEXTS["pairs"])
"""Various answers: short, long, repeated, empty, in several scripts, punctuation only."""

QUESTIONS: tuple[str, ...] = tuple(_TEXTS["questions"])
SCRIPTS: tuple[str, ...] = tuple(_TEXTS["scripts"])
"""One place name per script."""

ODD: dict[str, str] = {
    **_TEXTS["odd"],
    "one long word": "x" * 5000,
    "very long": "the quick brown fox jumps over the lazy dog " * 1000,
}
"""Odd answers by their oddity."""

_SPACES = {"before": " {}", "after": "{} ", "before, twice": "  {}", "a line end": "{}\n", "a tab before": "\t{}"}
_THREADS = 4
_LONG = 1000  # characters
# as a share of the range of scores: how far the score of an answer and itself may be below the highest score
_SMALL = 0.05


class Finding(NamedTuple):
    """The result for one property.

    Attributes:
        property: The name of the property, such as "batch".
        promise: What was checked, in words.
        holds: Whether it holds in all cases; None if it could not be checked, for which ``detail`` gives the reason.
        cases: The number of cases.
        broken: The number of cases in which it does not hold.
        largest: The largest difference between two scores that should be equal; 0 if there is none.
        detail: The worst case, in words.
    """

    property: str
    promise: str
    holds: bool | None
    cases: int = 0
    broken: int = 0
    largest: float = 0.0
    detail: str = ""


def scores(call: Call, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
    """Return the scores of a call, checked: finite numbers, one per pair, and arguments that are not modified.

    Raise AssertionError if one of these promises is broken.
    """
    own_pairs, own_questions = list(pairs), None if questions is None else list(questions)
    numbers = call(own_pairs, own_questions)
    if own_pairs != list(pairs) or (own_questions is not None and own_questions != list(questions or ())):
        raise AssertionError("a metric must not modify the pairs, but they changed")
    array = np.asarray(numbers, dtype=np.float64)
    if array.shape != (len(pairs),):
        raise AssertionError(f"one number per pair: {len(pairs)} pairs, an array of {array.shape}")
    for pair, number in zip(pairs, array, strict=True):
        if not np.isfinite(number):
            raise AssertionError(f"every number is finite, but {_shown(pair)} has {number}")
    return array


def promises(
    call: Call, pairs: Sequence[Pair], questions: Sequence[str] | None, tolerance: float
) -> Iterator[Callable[[], Finding]]:
    """Yield one check for each promise that every metric gives, the most basic one first.

    ``questions``: one per pair, for a metric that reads questions; else None.
    """
    yield lambda: empty(call)
    yield lambda: determinism(call, pairs, tolerance=0.0)
    yield lambda: batch(call, pairs, None, tolerance)
    yield lambda: order(call, pairs, None, tolerance)
    if questions is not None:
        yield lambda: no_question(call, pairs)
        yield lambda: batch(call, pairs, questions, tolerance)


def empty(call: Call) -> Finding:
    """Check that no pairs give an empty array."""
    promise = "no pairs give an empty array"
    n = np.asarray(call([], None)).size
    return Finding("no pairs", promise, n == 0, 1, int(n > 0), 0.0, f"there are {n} numbers" if n else "")


def determinism(call: Call, pairs: Sequence[Pair], *, tolerance: float) -> Finding:
    """Check that the same input gives the same numbers."""
    promise = "the same input gives the same numbers"
    return _equal("determinism", promise, scores(call, pairs), scores(call, pairs), pairs, tolerance)


def batch(call: Call, pairs: Sequence[Pair], questions: Sequence[str] | None, tolerance: float) -> Finding:
    """Check that a pair alone, with its question if there are any, scores as in a batch."""
    name, promise = "batch", "a pair alone scores as in a batch"
    if questions is not None:
        name, promise = "question batch", "a pair with its question alone scores as in a batch"
    together, alone = scores(call, pairs, questions), _alone(call, pairs, questions)
    return _equal(name, promise, together, alone, pairs, tolerance)


def order(call: Call, pairs: Sequence[Pair], questions: Sequence[str] | None, tolerance: float) -> Finding:
    """Check that the order of the pairs does not matter."""
    forwards = scores(call, pairs, questions)
    backwards = scores(call, pairs[::-1], None if questions is None else questions[::-1])[::-1]
    return _equal("order", "the order of the pairs does not matter", forwards, backwards, pairs, tolerance)


def no_question(call: Call, pairs: Sequence[Pair]) -> Finding:
    """Check that empty questions give the same numbers as a call without questions."""
    promise = "empty questions give the very numbers of none"
    without, with_empty = scores(call, pairs), scores(call, pairs, [""] * len(pairs))
    return _equal("empty question", promise, without, with_empty, pairs, 0.0)


def identity(call: Call, answers: Sequence[str], seen: FloatArray) -> Finding:
    """Check that an answer and itself have the highest score, to within 5 % of the range of all scores.

    ``seen``: other scores of the metric, for the highest score and the range; shape (n,).
    """
    promise = "an answer and itself have about the highest score"
    pairs = [Pair(answer, answer) for answer in answers]
    numbers = scores(call, pairs)
    every = np.concatenate([numbers, seen])
    lack = every.max() - numbers
    worst = int(lack.argmax())
    detail = f"{_shown(pairs[worst])} has {numbers[worst]:.4g}, the highest score is {every.max():.4g}"
    return finding("identity", promise, lack, _SMALL * float(np.ptp(every)), detail)


def symmetry(call: Call, pairs: Sequence[Pair], tolerance: float) -> Finding:
    """Check that gold answer and prediction can be exchanged."""
    promise = "gold answer and prediction can be exchanged"
    there, back = scores(call, pairs), scores(call, [Pair(pred, gold) for gold, pred in pairs])
    return _equal("symmetry", promise, there, back, pairs, tolerance)


def white_space(call: Call, pairs: Sequence[Pair], tolerance: float) -> Finding:
    """Check that white space before or after an answer does not matter, on the gold side or that of the prediction."""
    promise = "white space before and after an answer does not matter"
    plain = scores(call, pairs)
    changed = [Pair(form.format(gold), pred) for form in _SPACES.values() for gold, pred in pairs]
    changed += [Pair(gold, form.format(pred)) for form in _SPACES.values() for gold, pred in pairs]
    expected = np.tile(plain, 2 * len(_SPACES))
    return _equal("white space", promise, expected, scores(call, changed), changed, tolerance)


def scripts(call: Call, answers: Sequence[str] = SCRIPTS) -> Finding:
    """Check in each script that an answer and itself score about as high as in Latin letters, and above another answer.

    "About" is within 5 % of the range of these scores. A tokenizer that drops all letters but a to z breaks this.
    """
    promise = "an answer and itself score alike in every script, and above another answer"
    pairs = [Pair(answer, answer) for answer in answers]
    numbers = scores(call, [*pairs, *(Pair(answer, answers[i - 1]) for i, answer in enumerate(answers))])
    same, foreign = numbers[: len(pairs)], numbers[len(pairs) :]
    spread = float(np.ptp(numbers)) or 1.0
    lack = np.where(same <= foreign, spread, np.maximum(same[0] - same, 0.0))
    bad = [i for i in range(len(answers)) if lack[i] > _SMALL * spread]
    listed = "; ".join(f"{answers[i]!r} has {same[i]:.4g} with itself" for i in bad)
    return finding("scripts", promise, lack, _SMALL * spread, f"{listed}; {answers[0]!r} has {same[0]:.4g}")


def odd_input(call: Call, answers: dict[str, str] | None = None) -> Finding:
    """Check that odd answers, as prediction and as gold answer, have one finite score and raise no error."""
    promise = "odd answers have a finite score"
    answers = ODD if answers is None else answers
    failures: dict[str, str] = {}
    for name, answer in answers.items():
        both = [Pair(answer, answer)] if len(answer) <= _LONG else []  # some metrics take the square of the length
        for pair in (Pair("Rome", answer), Pair(answer, "Rome"), *both):
            try:
                scores(call, [pair])
            except Exception as error:  # any metric may be given, and its errors are reported
                failures.setdefault(name, f"{name}: {type(error).__name__}: {shortened(' '.join(str(error).split()))}")
    detail = "; ".join(failures.values())
    return Finding("odd input", promise, not failures, len(answers), len(failures), 0.0, detail)


def threads(call: Call, pairs: Sequence[Pair], questions: Sequence[str] | None, tolerance: float) -> Finding:
    """Check that calls in several threads give the numbers of one thread."""
    promise = f"calls in {_THREADS} threads give the numbers of one thread"

    def part(i: int) -> FloatArray:
        return scores(call, pairs[i::_THREADS], None if questions is None else questions[i::_THREADS])

    numbers = list(range(min(_THREADS, len(pairs))))
    serial = [part(i) for i in numbers]
    with ThreadPoolExecutor(_THREADS) as pool:
        parallel = list(pool.map(part, [*numbers, *numbers]))
    listed = [pair for i in (*numbers, *numbers) for pair in pairs[i::_THREADS]]
    expected = np.concatenate([*serial, *serial])
    return _equal("threads", promise, expected, np.concatenate(parallel), listed, tolerance)


def bounds(numbers: FloatArray) -> Finding:
    """Check that all scores are from 0 to 1, and state the range."""
    low, high = float(numbers.min()), float(numbers.max())
    outside = np.maximum(-numbers, numbers - 1)
    of_range = finding("range", "all scores are from 0 to 1", np.maximum(outside, 0.0), 1e-6, "")
    return of_range._replace(detail=f"{low:.4g} to {high:.4g}")


def _alone(call: Call, pairs: Sequence[Pair], questions: Sequence[str] | None) -> FloatArray:
    question_lists = [None] * len(pairs) if questions is None else [[question] for question in questions]
    return np.concatenate(
        [scores(call, [pair], question_list) for pair, question_list in zip(pairs, question_lists, strict=True)]
    )


def _equal(
    name: str, promise: str, expected: FloatArray, actual: FloatArray, pairs: Sequence[Pair], tolerance: float
) -> Finding:
    differences = np.abs(actual - expected)
    worst = int(differences.argmax())
    detail = f"{_shown(pairs[worst])} has {actual[worst]:.6g} and {expected[worst]:.6g}"
    return finding(name, promise, differences, tolerance, detail)


def finding(name: str, promise: str, differences: FloatArray, tolerance: float, detail: str) -> Finding:
    """Return the finding of differences that should be at most the tolerance. ``detail``: the worst case."""
    broken = int((differences > tolerance).sum())
    largest = float(differences.max())
    return Finding(name, promise, not broken, len(differences), broken, largest, detail if broken else "")


def _shown(pair: Pair) -> str:
    return f"({shortened(repr(pair.gold))}, {shortened(repr(pair.pred))})"
