"""Made outputs of a reasoning model: their length, their answers, and that a seed decides all of them."""

from __future__ import annotations

import numpy as np
import pytest

from answersim import Reward
from benchmarks.reasoning_outputs import CHARACTERS, KINDS, ROLLOUTS, ReasoningOutput, reasoning_outputs


@pytest.fixture(scope="module")
def rows() -> list[ReasoningOutput]:
    return reasoning_outputs(60, rng=np.random.default_rng(0))


def test_each_prompt_has_its_own_gold_answer(rows: list[ReasoningOutput]) -> None:
    assert len(rows) == 60 * ROLLOUTS
    assert len({row.gold for row in rows}) == 60
    assert {row.kind for row in rows} == set(KINDS)
    assert all(abs(len(row.completion) - CHARACTERS) <= 20 for row in rows)
    assert rows == reasoning_outputs(60, rng=np.random.default_rng(0))


def test_the_rules_accept_all_right_answers_and_no_other_number(rows: list[ReasoningOutput]) -> None:
    scores = Reward("rules")([row.gold for row in rows], [row.completion for row in rows]).scores
    assert all(score == 1.0 for score, row in zip(scores, rows, strict=True) if row.answer == "right")
    others = [score for score, row in zip(scores, rows, strict=True) if row.answer == "wrong" and row.kind == "number"]
    assert set(others) == {0.0}
