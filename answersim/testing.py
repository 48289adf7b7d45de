"""A test for authors of metrics: does a metric keep the promises of all metrics?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answersim.types import FloatArray, Metric, Pair, ReadsQuestions, reads_questions

PAIRS: tuple[Pair, ...] = (
    Pair("National Football League", "the NFL"),
    Pair("eleven", "11"),
    Pair("Der Eiffelturm", "eiffel tower"),
    Pair("北京", "Beijing"),
    Pair("National Football League", "the NFL"),
    Pair("", "something"),
    Pair("something", ""),
    Pair("", ""),
    Pair("?!", "..."),
    Pair("the The", "a"),
    Pair("  two  words ", "two words"),
    Pair("It was the best of times, it was the worst of times", "the worst of times"),
)
"""Various answers: short, long, repeated, empty, in several scripts, nothing but punctuation."""

QUESTIONS: tuple[str, ...] = ("Which league is it?", "", "How many were there, and where did they go afterwards?")


def check_metric(metric: Metric, pairs: Sequence[Pair] = PAIRS, *, tolerance: float = 1e-6) -> None:
    """Check that a metric keeps the promises of all metrics on these pairs.

    The metric has a signature, one line of text that does not change by scoring. It returns one finite float64 per
    pair, in order, and an empty array for no pairs. The same input gives the same numbers. The score of a pair does not
    depend on the other pairs (alone, in any batch, in any order) within ``tolerance``. The pairs are not modified. If a
    metric reads questions, an empty question is none, and the score of a pair with its question does not depend on the
    other pairs.

    Raises:
        AssertionError: If a promise is broken. The message names it.

    >>> from answersim.catalog import metric
    >>> check_metric(metric("f1"))
    """
    listed = [Pair(*pair) for pair in pairs]
    if not isinstance(metric, Metric):
        raise AssertionError(f"{metric!r} is no metric: it must have a signature and take pairs")
    signed = metric.signature
    _hold(isinstance(signed, str) and bool(signed) and "\n" not in signed, f"the signature is one line, not {signed!r}")
    together = _numbers(metric, listed)
    _hold(metric.signature == signed, "the signature does not change by scoring")
    _hold(_numbers(metric, []).shape == (0,), "no pairs give an empty array")
    _hold(np.array_equal(_numbers(metric, listed), together), "the same input gives the same numbers")
    alone = np.concatenate([_numbers(metric, [pair]) for pair in listed])
    _same(alone, together, listed, tolerance, "a pair alone scores as in a batch")
    backwards = _numbers(metric, listed[::-1])[::-1]
    _same(backwards, together, listed, tolerance, "the order of the pairs does not matter")
    if reads_questions(metric):
        _check_questions(metric, listed, together, tolerance)


def _check_questions(metric: ReadsQuestions, pairs: list[Pair], without: FloatArray, tolerance: float) -> None:
    questions = [QUESTIONS[i % len(QUESTIONS)] for i in range(len(pairs))]
    together = _numbers(metric, pairs, questions)
    empty = _numbers(metric, pairs, [""] * len(pairs))
    _hold(np.array_equal(empty, without), "empty questions give the very numbers of none")
    alone = np.concatenate(
        [_numbers(metric, [pair], [question]) for pair, question in zip(pairs, questions, strict=True)]
    )
    _same(alone, together, pairs, tolerance, "a pair with its question alone scores as in a batch")


def _numbers(metric: Metric, pairs: list[Pair], questions: list[str] | None = None) -> FloatArray:
    given = list(pairs)
    numbers = metric(pairs, questions) if questions is not None and reads_questions(metric) else metric(pairs)
    _hold(pairs == given, "pairs are not written into")
    _hold(isinstance(numbers, np.ndarray) and numbers.dtype == np.float64, f"an array of float64, not {type(numbers)}")
    _hold(numbers.shape == (len(pairs),), f"one number per pair: {len(pairs)} pairs, an array of {numbers.shape}")
    for pair, number in zip(pairs, numbers, strict=True):
        _hold(bool(np.isfinite(number)), f"every number is finite, but {pair} has {number}")
    return numbers


def _same(actual: FloatArray, expected: FloatArray, pairs: list[Pair], tolerance: float, promise: str) -> None:
    for pair, one, other in zip(pairs, actual, expected, strict=True):
        _hold(abs(one - other) <= tolerance, f"{promise}, but {pair} has {one} and {other}")


def _hold(kept: bool, promise: str) -> None:
    if not kept:
        raise AssertionError(promise)
