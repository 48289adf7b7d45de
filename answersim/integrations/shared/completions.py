"""What training libraries pass to a reward: completions as texts or messages, and columns of a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from answersim._base.arguments import shown
from answersim._base.errors import unknown
from answersim.scoring.reward.reward import Reward


def completion_text(completion: Any) -> str | None:
    """Return the text of a completion: a text, a message, or the last message of an assistant in a list of messages.

    None if there is no such message, so that the row has no reward.

    >>> completion_text([{"role": "assistant", "content": "5"}, {"role": "tool", "content": "6"}])
    '5'
    """
    if completion is None or isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        content = completion.get("content")
        if isinstance(content, Sequence) and not isinstance(content, str):  # parts of a message: texts and images
            return "".join(block.get("text") or "" for block in content if isinstance(block, Mapping))
        return content if isinstance(content, str) else None
    if isinstance(completion, Sequence):
        own = [
            message
            for message in completion
            if not isinstance(message, Mapping) or message.get("role", "assistant") == "assistant"
        ]
        return completion_text(own[-1]) if own else None
    dumped = getattr(completion, "model_dump", None)  # a message of pydantic
    return None if dumped is None else completion_text(dumped())


def column(columns: Mapping[str, Any], name: str, rows: int | None = None) -> Any:
    """Return a column of the data set. It must be a list of this length, because a short one must not be repeated."""
    if name not in columns:
        raise unknown("column of the data set", name, list(columns))
    values = columns[name]
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__len__"):
        raise TypeError(f"the column {name!r} is {shown(values)}, but it must be a list with one entry per row")
    if rows is not None and len(values) != rows:
        raise ValueError(f"the column {name!r} has {len(values)} rows, but there are {rows} completions")
    return values


def question_text(prompt: Any) -> str:
    """Return the text of a prompt, or of the last message of a user; "" if there is none."""
    if isinstance(prompt, Sequence) and not isinstance(prompt, str):
        messages = [message for message in prompt if isinstance(message, Mapping) and message.get("role") == "user"]
        return completion_text(messages[-1]) or "" if messages else ""
    return prompt if isinstance(prompt, str) else ""


def reward_of(reward: Reward | None, settings: Mapping[str, Any], *, is_number: bool = False) -> Reward:
    """Return this reward, or that with the settings, built once; if it must be a number, ``unreadable`` is 0."""
    if reward is None:
        reward = _built(tuple(sorted({**({"unreadable": 0.0} if is_number else {}), **settings}.items())))
    elif settings:
        raise TypeError(f"reward is {shown(reward)}, so the settings {sorted(settings)} have no effect; leave them out")
    if is_number and reward.unreadable is None:
        raise ValueError("unreadable is None, but this library needs a number for each row; give a number")
    return reward


@lru_cache(maxsize=32)
def _built(settings: tuple[tuple[str, Any], ...]) -> Reward:
    return Reward(**dict(settings))
