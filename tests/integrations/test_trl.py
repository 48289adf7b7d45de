"""The contract of GRPO reward functions of TRL: keyword columns in; floats or None out; pickles; coroutines."""

from __future__ import annotations

import asyncio
import inspect
import pickle
from typing import Any

import pytest

from answersim.integrations.trl import AnswerReward
from answersim.reward.reward import UnreadableGoldError

CALL: dict[str, Any] = {
    "prompts": ["2 + 3?", "2 + 4?", "2 + 5?"],
    "completions": ["\\boxed{5}", "5", "7"],
    "completion_ids": [[1], [2], [3]],
    "solution": ["5", "6", None],
    "trainer_state": object(),
}
MESSAGES = CALL | {"completions": [[{"role": "assistant", "content": text}] for text in CALL["completions"]]}
REWARDS = [1.0, 0.0, None]


@pytest.mark.parametrize("call", [CALL, MESSAGES])
def test_texts_and_messages_give_one_reward_each(call: dict[str, Any]) -> None:
    assert AnswerReward(metric="rules")(**call) == REWARDS


def test_it_has_a_name_and_pickles() -> None:
    reward = pickle.loads(pickle.dumps(AnswerReward(metric="rules", name="mine")))
    assert reward.__name__ == "mine"
    assert reward(**CALL) == REWARDS


def test_the_async_form_is_a_coroutine_function_that_pickles() -> None:
    function = pickle.loads(pickle.dumps(AnswerReward(metric="rules").answersim_async))
    assert inspect.iscoroutinefunction(function)
    assert function.__name__ == "answersim_async"
    assert asyncio.run(function(**CALL)) == REWARDS


def test_counters_and_answers_are_logged() -> None:
    metrics: dict[str, float] = {}
    extras: dict[str, list[Any]] = {}
    AnswerReward(metric="rules")(**CALL, log_metric=metrics.__setitem__, log_extra=extras.__setitem__)
    assert metrics["answersim/verdict/unreadable"] == pytest.approx(1 / 3)
    assert extras["answersim_answer"] == ["5", "5", ""]


def test_a_column_of_the_wrong_length_is_not_broadcast() -> None:
    with pytest.raises(ValueError, match="has 1 rows"):
        AnswerReward(metric="rules")(**CALL | {"solution": ["5"]})


def test_a_batch_of_unreadable_gold_answers_stops_the_training() -> None:
    with pytest.raises(UnreadableGoldError):
        AnswerReward(metric="rules")(completions=["5"] * 20, solution=[None] * 20)


def test_questions_are_read_from_the_prompts() -> None:
    reward = AnswerReward(metric="rules", gold="answer", question="prompts")
    prompts = [[{"role": "user", "content": "Is it Rome or Oslo?"}]]
    assert reward(prompts=prompts, completions=["Is it Rome or Oslo?"], answer=["Rome"]) == [0.0]
