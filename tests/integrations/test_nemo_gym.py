"""The contract of ``/verify`` of NeMo Gym: the request comes back with ``reward``, and with a mask of the sample."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from answersim import Reward
from answersim.integrations.nemo_gym import verify

REWARD = Reward("rules")
BODY: dict[str, Any] = {
    "responses_create_params": {"input": [{"role": "user", "content": "What is the capital of Italy?"}]},
    "response": {
        "id": "1",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Oslo"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is Rome."}]},
            {"type": "function_call", "name": "end", "arguments": "{}"},
        ],
    },
    "expected_answer": ["Rome", "Roma"],
}


def verified(**changes: Any) -> dict[str, Any]:
    return asyncio.run(verify({**BODY, **changes}, REWARD))


def test_the_last_message_is_scored_and_the_request_comes_back() -> None:
    found = verified()
    assert (found["reward"], found["mask_sample"], found["failure_reason"]) == (1.0, False, None)
    assert BODY.items() <= found.items()
    assert verified(expected_answer="Oslo")["reward"] == 0.0


def test_a_row_without_a_reward_is_masked_and_its_reason_is_given() -> None:
    found = verified(expected_answer=None)
    assert (found["reward"], found["mask_sample"]) == (0.0, True)
    assert "gold answer" in found["failure_reason"]
    assert verified(response={"output": []})["mask_sample"] is True


def test_reasoning_without_an_answer_is_wrong_as_a_text_that_only_thinks_is() -> None:
    for output in ([{"type": "reasoning", "content": "5"}], [{"type": "message", "content": [{"text": "<think> 5"}]}]):
        found = verified(response={"output": output})
        assert (found["reward"], found["mask_sample"], found["verdict"]) == (0.0, False, "wrong")


def test_the_gold_answer_may_be_in_the_metadata_and_has_to_be_somewhere() -> None:
    body = {name: value for name, value in BODY.items() if name != "expected_answer"}
    body["verifier_metadata"] = {"expected_answer": "Rome"}
    assert asyncio.run(verify(body, REWARD))["reward"] == 1.0
    with pytest.raises(LookupError, match="expected_answer"):
        asyncio.run(verify({**body, "verifier_metadata": None}, REWARD))


def test_a_question_that_is_repeated_is_no_answer() -> None:
    echo = [{"type": "message", "role": "assistant", "content": [{"text": "What is the capital of Italy?"}]}]
    assert verified(response={"output": echo})["reward"] == 0.0
