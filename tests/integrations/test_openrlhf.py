"""The contract of ``reward_func`` of OpenRLHF: queries, prompts and labels in; a dictionary of tensors out."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from answersim.integrations.openrlhf import reward_func

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
