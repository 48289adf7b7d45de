"""The common parts of the readers of logs: the row of an answer, the texts of messages, errors with file and sample."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from answersim._base.arguments import shown


def row(sample: Any, question: Any, golds: Iterable[Any], pred: Any, **more: Any) -> dict[str, Any]:
    """Return the row of one recorded answer.

    ``golds``: the gold answers as recorded. They are a list in the table, also a single one; none is null. ``pred``:
    the answer of the model; None if it gave none. ``more``: further columns, left out if they are None.
    """
    texts = [as_text(gold) for gold in golds if gold is not None]
    extra = {name: value for name, value in more.items() if value is not None}
    question_text, answer = as_text(question or ""), as_text(pred)
    return {"id": as_text(sample), **extra, "question": question_text, "gold": texts or None, "pred": answer}


def as_text(value: Any) -> str | None:
    """Return a recorded value as text: a text itself, a number as Python prints it, lists and objects as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict, bool)) else str(value)


def message_text(content: Any) -> str:
    """Return the text of a chat message, whose content is a text or a list of parts; parts are joined by line ends."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [block.get("text") for block in parts if isinstance(block, Mapping) and block.get("type", "text") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def last_user_text(messages: Any) -> str:
    """Return the text of the last message of a user; the text itself if there are no messages."""
    if isinstance(messages, str):
        return messages
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, Mapping) and message.get("role", message.get("type")) in ("user", "human"):
            return message_text(message.get("content"))
    return ""


def field(record: Any, name: str, path: Path, where: str) -> Any:
    """Return a field that every sample has. Raise ValueError with file and sample if this one lacks it."""
    if not isinstance(record, Mapping) or name not in record:
        content = f"one with the fields {', '.join(map(str, record))}" if isinstance(record, Mapping) else shown(record)
        raise ValueError(f"{path}, {where}: there must be an object with the field {name!r}, but there is {content}")
    return record[name]


def parsed(text: str | bytes, path: Path, where: str) -> Any:
    """Return the value of this JSON. Raise ValueError with the file and the place if it is malformed."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}, {where}: not JSON ({error})") from error
