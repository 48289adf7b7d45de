"""Replies: what is no chat completion is an error, so that it is asked for again and never recorded."""

import json

import pytest

from answersim.metrics.judge.replies import read_reply
from tests.cases import every


def body(**message: object) -> str:
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "model": "m"})


def test_a_chat_completion_is_read():
    raw = json.dumps(
        {
            "model": "m-1",
            "choices": [{"message": {"content": "yes"}, "finish_reason": "length"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 2},
        }
    )
    assert read_reply(raw) == ("yes", "m-1", False, "", 7, 2)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": [{"type": "text", "text": "y"}, {"type": "text", "text": "es"}, {"type": "image"}]}, "yes"),
        ({"content": None}, ""),
        ({}, ""),
        ({"content": 5}, ""),
    ],
)
def test_content_may_be_parts_or_missing(message, text):
    assert read_reply(body(**message)).text == text


def test_a_refusal_and_counts_that_are_none():
    assert read_reply(body(content=None, refusal="I cannot")).refusal == "I cannot"
    raw = json.dumps(
        {"choices": [{"message": {}}], "usage": {"prompt_tokens": True, "completion_tokens": -1}, "model": 5}
    )
    assert read_reply(raw) == ("", "", True, "", None, None)


@every(
    "raw",
    [
        "",
        "no",
        "[]",
        "5",
        "{}",
        '{"choices": []}',
        '{"choices": [5]}',
        '{"choices": [{}]}',
        '{"choices": [{"mess',
        "[" * 9999,
    ],
)
def test_what_is_no_chat_completion_is_refused(raw):
    with pytest.raises(ValueError, match="the body is"):
        read_reply(raw)


def test_half_a_surrogate_pair_is_replaced_in_each_text():
    message = {"content": "yes \ud83d", "refusal": "no \ude00"}
    raw = json.dumps({"model": "m\ud800", "choices": [{"message": message, "finish_reason": "stop"}]})
    reply = read_reply(raw)
    assert (reply.text, reply.model, reply.refusal) == ("yes \ufffd", "m\ufffd", "no \ufffd")
    assert read_reply(raw.replace("ud83d", "ud83d\\ude00")).text == "yes \U0001f600"
