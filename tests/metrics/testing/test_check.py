"""``check_metric`` finds each broken promise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from answersim._base.arrays import FloatArray
from answersim.metrics.testing.check import check_metric
from answersim.types import Pair
from tests.cases import every


def made(numbers: Callable[[Sequence[Pair]], Any], signature: Any = "mine|v:1") -> Any:
    class Mine:
        def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
            return numbers(pairs)

    Mine.signature = signature  # type: ignore[attr-defined]
    return Mine()


def zeros(pairs: Sequence[Pair]) -> FloatArray:
    return np.zeros(len(pairs))


def test_a_metric_that_keeps_them_passes() -> None:
    check_metric(made(lambda pairs: np.array([float(len(gold) - len(pred)) for gold, pred in pairs])))


def asked(numbers: Callable[[Sequence[Pair], Sequence[str] | None], Any]) -> Any:
    class Mine:
        signature = "mine|v:1"
        reads_questions = True

        def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
            return numbers(pairs, questions)

    return Mine()


def test_a_metric_that_reads_questions_passes() -> None:
    check_metric(asked(lambda pairs, questions: np.array([float(len(q)) for q in questions or [""] * len(pairs)])))


@pytest.mark.parametrize(
    ("metric", "promise"),
    [
        (asked(lambda pairs, q: np.full(len(pairs), 0.0 if q is None else 1.0)), "very numbers of none"),
        (asked(lambda pairs, q: np.full(len(pairs), float(sum(map(len, q or []))))), "with its question alone"),
        (asked(lambda pairs, q: np.zeros(len(pairs) + bool(q and any(q)))), "one number per pair"),
    ],
)
def test_a_broken_promise_about_questions_is_named(metric: Any, promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_metric(metric)


@every(
    ("metric", "promise"),
    [
        (len, "is not a metric"),
        (made(zeros, ""), "signature must be one line"),
        (made(zeros, "a\nb"), "signature must be one line"),
        (made(lambda pairs: [0.0] * len(pairs)), "array of float64"),
        (made(lambda pairs: np.zeros(len(pairs), dtype=np.float32)), "array of float64"),
        (made(lambda pairs: np.zeros(len(pairs) + 1)), "one number per pair"),
        (made(lambda pairs: np.zeros((len(pairs), 1))), "one number per pair"),
        (made(lambda pairs: np.full(len(pairs), np.nan)), "finite"),
        (made(lambda pairs: np.full(len(pairs), float(len(pairs)))), "alone"),
        (made(lambda pairs: np.arange(len(pairs), dtype=float) if len(pairs) > 1 else zeros(pairs)), "alone|order"),
        (made(lambda pairs: np.random.default_rng().random(len(pairs))), "same numbers"),
    ],
)
def test_a_broken_promise_is_named(metric: Any, promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_metric(metric)


def test_writing_into_the_pairs_is_found_out() -> None:
    def clear(pairs: Any) -> FloatArray:
        numbers = zeros(pairs)
        pairs.clear()
        return numbers

    with pytest.raises(AssertionError, match="must not modify the pairs"):
        check_metric(made(clear))
