"""The comparison with math-verify: counts, and a page without it."""

from __future__ import annotations

import importlib.util

import pytest

from benchmarks.math_pairs import MathPair
from benchmarks.math_verify import Quality, in_a_thread, ours, per_second, quality, theirs
from tests.benchmarks.programs import invoke

PAIRS = [
    MathPair(r"\frac12", "0.5", True, "fractions"),
    MathPair(r"\frac12", "2", False, "fractions"),
    MathPair("x", "y", True, "letters"),
    MathPair("1", "2", False, "numbers"),
]


def test_decisions_are_counted() -> None:
    assert quality("answersim", PAIRS, "some", ours) == Quality("answersim", "some", 1, 2, 0, 0, 2, 1)
    always = quality("always", PAIRS, "some", lambda gold, pred: "equal")
    assert (always.accepted, always.wrong, always.right) == (2, 2, 2)
    never = quality("never", PAIRS, "some", lambda gold, pred: "different")
    assert (never.refused, never.wrong, never.right) == (2, 0, 2)


def test_speed_is_positive_and_threads_are_tried() -> None:
    assert per_second(PAIRS, ours, 1) > 0
    assert in_a_thread(ours) == "yes"

    def broken(gold: str, pred: str) -> str:
        raise ValueError("signal only works in the main thread")

    assert in_a_thread(broken) == "ValueError"


def test_the_page_has_a_row_for_each_library_and_family() -> None:
    shown = invoke("math_verify", "--seed", "1", "--each", "2", "--repetitions", "1", "--format", "markdown").stdout
    assert "| constructed | answersim |" in shown
    assert "| rational functions | 2 |" in shown
    assert "seed 1, 2 pairs of each family" in shown


@pytest.mark.skipif(importlib.util.find_spec("math_verify") is None, reason="math-verify is not installed")
def test_math_verify_decides() -> None:
    decide = theirs()
    assert (decide(r"\frac12", "0.5"), decide("1", "2")) == ("equal", "different")
