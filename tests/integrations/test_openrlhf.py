"""The contract of ``reward_func`` of OpenRLHF: queries, prompts and labels in; a dictionary of tensors out."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from answersim import Reward
from answersim.integrations.openrlhf import PromptNotFoundWarning, remote, reward_func

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


PROMPT = "<s>[INST]Put the answer in \\boxed{}. E.g. 2+2 gives \\boxed{4}. What is 1+3?[/INST]"


@pytest.mark.parametrize(
    ("query", "prompt"),
    [
        (f"{PROMPT} I refuse to do this.", PROMPT.replace("What is", "What  is")),  # two blanks
        (f"{PROMPT} \\boxed{{4}}", f"{PROMPT}\n"),
        ("4", "What is 1+3?"),
        ("", "What is 1+3?"),
        ("x" * 101 + "What is 1+3? 4", "What is 1+3?"),  # not at the start
    ],
)
def test_a_prompt_that_is_not_in_its_query_is_a_row_without_a_reward(query: str, prompt: str) -> None:
    with pytest.warns(PromptNotFoundWarning, match=r"1 of 2 queries .* \(the first is row 1\)"):
        found = reward_func(["1+3? 4", query], ["1+3? ", prompt], ["4", "4"], metric="rules")
    assert found["rewards"].tolist() == [1.0, 0.0]
    assert {name: log.tolist() for name, log in found["extra_logs"].items()} == {
        "right": [1.0, 0.0],
        "unscored": [0.0, 1.0],
        "prompt_not_found": [0.0, 1.0],
    }


def test_a_prompt_or_query_that_is_no_text_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"prompts\[0\] is None"):
        reward_func(["5"], [None], ["5"], metric="rules")  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"queries\[0\] is 5"):
        reward_func([5], ["5"], ["5"], metric="rules")  # type: ignore[list-item]


def test_the_remote_form_has_lists_for_json() -> None:
    body = {"query": ROWS["queries"], "prompts": ROWS["prompts"], "labels": ROWS["labels"]}
    found = asyncio.run(remote(body, Reward("rules")))
    assert found == {
        "rewards": [1.0, 0.0, 0.0],
        "scores": [1.0, 0.0, 0.0],
        "extra_logs": {"right": [1.0, 0.0, 0.0], "unscored": [0.0, 0.0, 1.0], "prompt_not_found": [0.0] * 3},
    }
    with pytest.raises(LookupError, match="labels"):
        asyncio.run(remote({"query": ["5"], "prompts": [""]}, Reward("rules")))
    with pytest.raises(ValueError, match="'labels' has 1 rows"):
        asyncio.run(remote({"query": ["5", "6"], "prompts": ["", ""], "labels": ["5"]}, Reward("rules")))
