"""Remove what a model writes before its answer: closed blocks of reasoning, and an unfinished one."""

from __future__ import annotations

import re

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|seed:think"
# After the first character, one alternative per kind of bracket: XML-like tags, Magistral, Kimi, and tokens of other
# models. That character stands apart so that the search skips all others.
_OPEN = rf"(?:{_NAMES})(?:\s[^<>]*)?>|THINK\]|think▷|\|begin_of_thought\|>|unused94>(?:thought)?"
_CLOSE = rf"/(?:{_NAMES})\s*>|/THINK\]|/think▷|\|end_of_thought\|>|unused95>"
_TAG = re.compile(rf"[<\[◁](?:(?P<open>{_OPEN})|(?P<close>{_CLOSE}))", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s{0,99}final\b[^<]{0,999}<\|message\|>|<\|begin_of_solution\|>", re.IGNORECASE)
_END = re.compile(r"<\|(?:end|return|im_end|eot_id|end_of_solution)\|>|</s>", re.IGNORECASE)


def has_reasoning(text: str) -> bool:
    """Return whether a text contains a tag of a reasoning model.

    >>> has_reasoning("<think>Paris?</think>Rome"), has_reasoning("I think so")
    (True, False)
    """
    return begins_tag(text) and bool(_TAG.search(text) or _CHANNEL.search(text))


def begins_tag(text: str) -> bool:
    """Return whether a text has a bracket that a tag begins with."""
    return "<" in text or "[" in text or "◁" in text


def without_reasoning(text: str) -> tuple[int, str]:
    """Return the text without its reasoning, and the position in the text after which it is unchanged.

    Closed blocks are removed. A closing tag without an opening one ends reasoning that began at the start of the text,
    as some servers send it. An opening tag without a closing one begins reasoning that was cut off, so that nothing
    after it is an answer. Of a text with channels, the message of the channel "final" is left. The result is the
    position from which on the rest of the text is the same, or -1 if blocks were removed from inside the text; and the
    text that is left.

    >>> without_reasoning("<think>Oslo? No.</think> Rome")
    (24, ' Rome')
    >>> without_reasoning("Maybe Oslo.</think>Rome"), without_reasoning("Rome. <think>Or is it")
    ((19, 'Rome'), (-1, 'Rome. '))
    """
    if not begins_tag(text):
        return (0, text) if text.strip() else (len(text), "")
    channels = list(_CHANNEL.finditer(text))
    if channels:
        start = channels[-1].end()
        end = _END.search(text, start)
        return (start, text[start:]) if end is None else (-1, text[start : end.start()])
    blocks: list[tuple[int, int]] = []
    depth = at = 0
    for tag in _TAG.finditer(text):
        if tag.lastgroup == "open":
            if depth == 0:
                blocks.append((at, tag.start()))
            depth += 1
        else:
            if depth == 0:
                blocks.clear()
            depth = max(depth - 1, 0)
            at = tag.end()
    if depth == 0:
        blocks.append((at, len(text)))
    pieces = [(start, end) for start, end in blocks if text[start:end].strip()]
    if not pieces:
        return len(text), ""
    if len(pieces) == 1 and pieces[0][1] == len(text):
        return pieces[0][0], text[pieces[0][0] :]
    return -1, "".join(text[start:end] for start, end in pieces)
