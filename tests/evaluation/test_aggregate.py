"""The numbers of an evaluation: those of blocks are those of the whole, whatever the blocks are."""

from __future__ import annotations

import numpy as np
import pytest

from answersim.answers.blocks import Columns
from answersim.answers.reader import Answers
from answersim.calibration.verdicts import Decided
from answersim.evaluation.aggregate import Numbers

N = 50
DATA = {
    "gold": ["g"] * N,
    "a": ["one two three" if i % 4 else "one" for i in range(N)],
    "b": ["x"] * N,
    "asked": [f"Who {i // 3}?" if i % 2 else f"How many {i // 3}?" for i in range(N)],
    "part": [i % 3 for i in range(N)],
    "size": [i * 1.5 for i in range(N)],
}
COLUMNS = Columns(preds=("a", "b"), question="asked", others=("part", "size"))
BY = ["part", "size", "length", "question"]


def numbers(at: np.ndarray) -> dict[str, Decided]:
    verdicts = (at % 3).astype(np.int8)
    return {
        system: Decided(at / N + shift, np.clip(at / N, 0, 1), verdicts) for system, shift in (("a", 0.0), ("b", 1.0))
    }


def aggregated(block: int, group: str | None, monkeypatch: pytest.MonkeyPatch) -> Numbers:
    monkeypatch.setattr("answersim.io.chunks.ROWS", block)
    found = Numbers(["a", "b"], BY, group, "en")
    for answers in Answers(DATA, COLUMNS):
        found.add(answers, numbers(np.array(answers.numbers) - 1))
    return found


@pytest.mark.parametrize("group", [None, "part"])
def test_blocks_change_nothing(group: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = aggregated(1000, group, monkeypatch), aggregated(7, group, monkeypatch)
    assert repr(list(whole.rows(0.95))) == repr(list(parts.rows(0.95)))  # nan is not equal to itself
    np.testing.assert_array_equal(whole.clusters(), parts.clusters())
    assert whole.over == ("questions" if group is None else "the values of 'part'")
