"""Completions and columns of training libraries."""

from __future__ import annotations

from typing import Any

import pytest

from answersim import Reward
from answersim.integrations.completions import column, completion_text, question_text, reward_of
from tests.cases import every


class Message:
    """A message of pydantic."""

    def model_dump(self) -> dict[str, str]:
        return {"role": "assistant", "content": "5"}


@every(
    ("completion", "text"),
    [
        ("5", "5"),
        (None, None),
        ({"role": "assistant", "content": "5"}, "5"),
        ([{"role": "assistant", "content": "4"}, {"role": "user", "content": "?"}, {"content": "5"}], "5"),
        ([{"role": "assistant", "content": [{"type": "text", "text": "5"}, {"type": "image"}]}], "5"),
        ([{"role": "user", "content": "5"}], None),
        ([], None),
        ([Message()], "5"),
        (7, None),
    ],
)
def test_the_text_of_a_completion(completion: Any, text: str | None) -> None:
    assert completion_text(completion) == text


def test_a_column_that_is_missing_or_short_is_an_error() -> None:
    with pytest.raises(LookupError, match="solution"):
        column({"solutions": ["5"]}, "solution", 1)
    with pytest.raises(ValueError, match="has 1 rows, but there are 2"):
        column({"solution": ["5"]}, "solution", 2)


def test_the_question_is_the_last_message_of_the_user() -> None:
    assert question_text([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]) == "b"
    assert question_text("a") == "a"
    assert question_text(None) == question_text([]) == ""


def test_a_reward_is_built_once_for_its_settings() -> None:
    assert reward_of(None, {"metric": "em"}) is reward_of(None, {"metric": "em"})
    with pytest.raises(TypeError, match="have no effect"):
        reward_of(Reward("em"), {"limit": 3})
