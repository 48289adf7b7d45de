"""The reward inside a task of version 1 of verifiers, which scores traces with it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from answersim.integrations.rewards.verifiers import AnswerReward
from tests.cases import cases_of

vf: Any = pytest.importorskip("verifiers.v1", reason="needs verifiers, see tests/integrations/hosts/table.py")
REWARD = AnswerReward(metric="rules")


async def plugged(task: Any, trace: Any) -> float:
    """As a configuration names it: ``rewards = {"answersim": {"fn": "module:plugged"}}``."""
    return await REWARD(task=task, trace=trace)


class Capital(vf.TaskData):
    """A row with its gold answer."""

    answer: str | list[str] | None = None


class Method(vf.Task[Capital]):
    """A task whose method calls the reward."""

    @vf.reward(weight=0.5)
    async def correct(self, task: Any, trace: Any) -> float:
        return await REWARD(task=task, trace=trace)


def scored(task: Any, reply: str) -> Any:
    from verifiers.v1.configs.agent import AgentConfig
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, Trace, TraceTask
    from verifiers.v1.types import AssistantMessage

    trace = Trace(
        task=TraceTask(type="Capital", data=task.data),
        agent=AgentInfo(config=AgentConfig()),
        nodes=[MessageNode(message=AssistantMessage(content=reply), sampled=True)],
    )
    asyncio.run(task.score(trace))
    return trace


@pytest.mark.parametrize(("gold", "reply", "reward", "mask"), cases_of(__file__)["a_method_of_a_task_scores_a_trace"])
def test_a_method_of_a_task_scores_a_trace(gold: Any, reply: str, reward: float, mask: float) -> None:
    trace = scored(Method(Capital(prompt="What is the capital of Italy?", answer=gold)), reply)
    assert trace.reward == 0.5 * reward
    assert trace.rewards["correct"].weight == 0.5
    assert trace.metrics == {"answersim_scored": mask}
    assert trace.info["answersim"]["reason"]


def test_a_configuration_names_a_function() -> None:
    config = vf.TaskConfig(rewards={"answersim": {"fn": f"{__name__}:plugged", "weight": 2.0}})
    trace = scored(vf.Task(Capital(prompt="?", answer="Rome"), config), "Rome")
    assert trace.reward == 2.0
