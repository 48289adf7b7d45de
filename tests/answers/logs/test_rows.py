"""Rows of recorded answers: one gold answer, several, none; texts of messages."""

from pathlib import Path

import pytest

from answersim.answers.logs import rows
from tests.cases import every


@every(
    ("golds", "gold"),
    [(["a"], ["a"]), (["a", "b"], ["a", "b"]), ([], None), ([None], None), ([4, True], ["4", "true"])],
)
def test_gold_answers_are_a_list_or_null(golds, gold):
    assert rows.row("x", "q", golds, "p")["gold"] == gold


def test_answers_that_are_no_text_become_one():
    assert rows.row(3, None, ["a"], {"b": [1]}, extra=0) == {
        "id": "3",
        "extra": 0,
        "question": "",
        "gold": ["a"],
        "pred": '{"b": [1]}',
    }


@every(
    ("messages", "text"),
    [
        ("plain", "plain"),
        ([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "a"),
        ([{"type": "human", "content": "a"}, {"type": "ai", "content": "b"}], "a"),
        ([{"role": "assistant", "content": "b"}], ""),
        (None, ""),
    ],
)
def test_the_question_is_the_last_message_of_a_user(messages, text):
    assert rows.last_user_text(messages) == text


def test_a_missing_field_names_file_and_place():
    with pytest.raises(
        ValueError, match=r"x\.json, line 2: there must be an object with the field 'a', but there is .* fields b"
    ):
        rows.field({"b": 1}, "a", Path("x.json"), "line 2")
