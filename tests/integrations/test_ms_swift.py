"""The contract of an ORM of ms-swift: built by the trainer with its arguments; a list of floats, never None."""

from __future__ import annotations

import pytest

from answersim.integrations.ms_swift import AnswerORM
from answersim.reward.reward import UnreadableGoldError


class Rules(AnswerORM):
    """How a user names settings and the column."""

    gold = "answer"

    def __init__(self, args: object = None, **kwargs: object) -> None:
        super().__init__(args, metric="rules", **kwargs)


def test_it_returns_floats_and_never_none() -> None:
    found = Rules()(["#### 5", "6", "7", None], answer=["5", "5", None, "5"], messages=[[]] * 4)
    assert found == [1.0, 0.0, 0.0, 0.0]
    assert all(type(reward) is float for reward in found)
    with pytest.raises(ValueError, match="unreadable is None"):
        Rules(unreadable=None)


def test_the_trainer_builds_it_with_its_arguments() -> None:
    arguments = object()
    assert AnswerORM(arguments).args is arguments


def test_a_batch_of_unreadable_gold_answers_is_an_error() -> None:
    with pytest.raises(UnreadableGoldError):
        Rules()(["5"] * 20, answer=[None] * 20)
