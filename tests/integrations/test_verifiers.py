"""The contract of verifiers: arguments by name, awaited, one float; of a rubric, and of a task of its version 1."""

from __future__ import annotations

import asyncio
import inspect
from types import SimpleNamespace
from typing import Any

import pytest

from answersim.integrations.verifiers import AnswerReward


def test_the_arguments_have_the_names_of_a_rubric() -> None:
    names = set(inspect.signature(AnswerReward(metric="rules")).parameters)
    assert names <= {"prompt", "completion", "answer", "state", "parser", "info", "task", "trace"}
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


class Trace:
    """What a reward reads of a trace, and records in it."""

    def __init__(self, reply: str) -> None:
        self.last_reply = reply
        self.metrics: dict[str, float] = {}
        self.info: dict[str, Any] = {}

    def record_metric(self, name: str, value: float) -> None:
        self.metrics[name] = value


@pytest.mark.parametrize(("gold", "reward", "scored"), [("Rome", 1.0, 1.0), ("Oslo", 0.0, 1.0), (None, 0.0, 0.0)])
def test_a_trace_gives_its_last_reply_and_gets_the_mask_of_the_row(gold: Any, reward: float, scored: float) -> None:
    trace, task = Trace("It is Rome."), SimpleNamespace(prompt="Which city?", city=gold)
    answered = AnswerReward(metric="rules", gold="city", name="capital")
    assert asyncio.run(answered(task=task, trace=trace)) == reward
    assert trace.metrics == {"capital_scored": scored}
    assert trace.info["capital"]["answer"] == ("" if gold is None else "It is Rome.")


def test_a_task_without_the_field_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no field 'answer'"):
        asyncio.run(AnswerReward(metric="rules")(task=SimpleNamespace(prompt=""), trace=Trace("5")))
