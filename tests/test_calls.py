"""The number of functions that the main calls run. A long path is slow for small data, and hard to follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

import answersim
from tests.tracing import calls

TWO = {"gold": ["Rome", "the Oslo fjord"], "pred": ["in Rome", "Bergen"]}
FORTY = {"gold": [f"word{i} x" for i in range(40)]}
FORTY |= {"a": [f"word{i} y" if i % 3 else f"z{i}" for i in range(40)]}
FORTY |= {"b": [f"the word{i} x" if i % 2 else "nothing" for i in range(40)]}


@pytest.mark.parametrize(
    ("most", "work"),
    [
        (20, lambda: answersim.score("the Eiffel tower", "Eiffel", "f1")),
        (110, lambda: answersim.score("the Eiffel tower", "Eiffel", "typed+f1")),
        (110, lambda: answersim.score("11 June 2020", "June 11, 2020", "typed+f1")),
        (500, lambda: answersim.evaluate(TWO, "recall")),
        (1500, lambda: answersim.compare(FORTY, "recall", pred=["a", "b"])),
    ],
)
def test_a_small_call_runs_few_functions(most: int, work: Callable[[], object]) -> None:
    work()  # what is built or read once
    made = calls(work)
    assert len(made) <= most, Counter(made).most_common(20)
