"""The reply of a server: from the bytes of a chat completion to its text, its model and its tokens."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

_HALF = re.compile("[\ud800-\udfff]")


class Reply(NamedTuple):
    """A chat completion. U+FFFD is in place of each half of a surrogate pair, which no file and no terminal takes."""

    # the text of the choice; "" if there is none. No request asks for several choices; if there are, their texts follow
    # each other, so that two verdicts that differ are no verdict.
    text: str
    model: str = ""  # the name of the model as the server returned it; "" if it named none
    complete: bool = True  # whether the text was not truncated by a length limit or a filter
    refusal: str = ""  # the refusal of the model, or ""
    input_tokens: int | None = None  # the tokens of the request as the server counted them; None if it did not
    output_tokens: int | None = None  # the tokens of the reply as the server counted them; None if it did not


def read_reply(raw: str) -> Reply:
    """Return the chat completion in the body of a response.

    Words such as NaN, and a key with two different values, are not JSON here.

    >>> read_reply('{"model": "m", "choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}').text
    'yes'
    """
    body = read_json(raw)
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = _message(choice)
    if not isinstance(choices, list) or choice is None or message is None:
        raise ValueError("the body is not a chat completion: it has no choices[0].message")
    stated = body.get("usage")
    usage = stated if isinstance(stated, dict) else {}
    model, refusal = body.get("model"), message.get("refusal")
    return Reply(
        _whole(
            "\n\n".join(dict.fromkeys(_text((_message(other_choice) or {}).get("content")) for other_choice in choices))
        ),
        _whole(model) if isinstance(model, str) else "",
        choice.get("finish_reason") not in ("length", "content_filter"),
        _whole(refusal) if isinstance(refusal, str) else "",
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
    )


def read_json(raw: str) -> Any:
    """Return the content of strict JSON. Raise ValueError for anything else, see ``read_reply``."""
    try:
        return json.loads(raw, object_pairs_hook=_members, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the body is nested too deeply") from None
    except json.JSONDecodeError:
        raise ValueError("the body is not JSON") from None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if members.setdefault(key, value) != value:
            raise ValueError(f"the body is not JSON: the key {key[:40]!r} has two values")
    return members


def _refuse(constant: str) -> Any:
    raise ValueError(f"the body is not JSON: it contains {constant}")


def _message(choice: Any) -> dict[str, Any] | None:
    message = choice.get("message") if isinstance(choice, dict) else None
    return message if isinstance(message, dict) else None


def _text(content: Any) -> str:
    """Return the content of a message, which some servers return as a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(block["text"] for block in parts if isinstance(block, dict) and isinstance(block.get("text"), str))


def _whole(text: str) -> str:
    return text if text.isascii() else _HALF.sub("\ufffd", text)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
