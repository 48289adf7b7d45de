"""The contract of functions of a rubric of verifiers: arguments by name, awaited, one float."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from answersim.integrations.verifiers import AnswerReward


def test_the_arguments_have_the_names_of_a_rubric() -> None:
    names = set(inspect.signature(AnswerReward(metric="rules")).parameters)
    assert names <= {"prompt", "completion", "answer", "state", "parser", "info", "task"}
    assert AnswerReward(metric="rules").__name__ == "answersim"


def test_rollouts_at_the_same_time_have_their_own_rewards() -> None:
    reward = AnswerReward(metric="rules")

    async def rollouts() -> list[float]:
        calls = (reward([{"role": "assistant", "content": str(i % 3)}], "2") for i in range(30))
        return await asyncio.gather(*calls)

    assert asyncio.run(rollouts()) == [0.0, 0.0, 1.0] * 10


def test_a_rubric_needs_numbers() -> None:
    assert asyncio.run(AnswerReward(metric="rules")("5", None)) == 0.0
    with pytest.raises(ValueError, match="unreadable is None"):
        AnswerReward(metric="rules", unreadable=None)
