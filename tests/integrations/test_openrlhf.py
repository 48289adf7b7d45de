"""The contract of ``reward_func`` of OpenRLHF: queries, prompts and labels in; a dictionary of tensors out."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from answersim import Reward
from answersim.integrations.openrlhf import remote, reward_func

torch: Any = pytest.importorskip("torch", reason="needs torch")
ROWS = {"queries": ["2 + 3? 5", "2 + 4? 5", "5? 5"], "prompts": ["2 + 3? ", "2 + 4? ", "5? "], "labels": ["5", "6", ""]}


def test_rewards_scores_and_logs_are_tensors_of_one_number_each() -> None:
    found = reward_func(**ROWS, metric="rules")
    assert found["rewards"].tolist() == found["scores"].tolist() == [1.0, 0.0, 0.0]
    assert found["extra_logs"]["unscored"].tolist() == [0.0, 0.0, 1.0]
    assert found["rewards"].dtype == torch.float32


def test_scores_are_from_0_to_1_also_if_a_reward_is_not() -> None:
    found = reward_func(**ROWS, metric="rules", unreadable=-1.0)
    assert found["rewards"].tolist() == [1.0, 0.0, -1.0]
    assert found["scores"].tolist() == [1.0, 0.0, 0.0]


def test_the_prompt_is_no_answer() -> None:
    assert reward_func(["The answer is 5. 6"], ["The answer is 5. "], ["5"], metric="rules")["rewards"].tolist() == [
        0.0
    ]


def test_batches_of_one_in_threads() -> None:
    async def rows() -> list[dict[str, Any]]:
        calls = (asyncio.to_thread(reward_func, [f"?{i}"], ["?"], [str(i)], metric="rules") for i in range(20))
        return await asyncio.gather(*calls)

    assert [found["rewards"].tolist() for found in asyncio.run(rows())] == [[1.0]] * 20


def test_arguments_of_other_rewards_are_left_out() -> None:
    assert reward_func(**ROWS, metric="rules", experience=object())["rewards"].shape == (3,)


def test_special_tokens_around_the_prompt_and_the_completion_are_left_out() -> None:
    query = "<|begin_of_text|>The answer is 5. What is it?6<|eot_id|>"
    found = reward_func([query], ["The answer is 5. What is it?"], ["6"], metric="rules")
    assert found["rewards"].tolist() == [1.0]


def test_the_remote_form_has_lists_for_json() -> None:
    body = {"query": ROWS["queries"], "prompts": ROWS["prompts"], "labels": ROWS["labels"]}
    found = asyncio.run(remote(body, Reward("rules")))
    assert found == {
        "rewards": [1.0, 0.0, 0.0],
        "scores": [1.0, 0.0, 0.0],
        "extra_logs": {"right": [1.0, 0.0, 0.0], "unscored": [0.0, 0.0, 1.0]},
    }
    with pytest.raises(LookupError, match="labels"):
        asyncio.run(remote({"query": ["5"], "prompts": [""]}, Reward("rules")))
    with pytest.raises(ValueError, match="'labels' has 1 rows"):
        asyncio.run(remote({"query": ["5", "6"], "prompts": ["", ""], "labels": ["5"]}, Reward("rules")))
