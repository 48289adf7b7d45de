"""Remove what a model writes before its answer: closed blocks of reasoning, and an unfinished one."""

from __future__ import annotations

from answersim.answers.text.patterns import Patterns

# Tags like those of XML, and those of Magistral, Kimi and other models.
_P = Patterns("reasoning")


def has_reasoning(text: str) -> bool:
    """Return whether a text contains a tag of a reasoning model."""
    return begins_tag(text) and bool(_P.tag.search(text, _first(text)) or _P.channel.search(text, _first(text)))


def begins_tag(text: str) -> bool:
    """Return whether a text has a bracket that a tag begins with."""
    return "<" in text or "[" in text or "◁" in text


def _first(text: str) -> int:
    """Return the position of the first bracket that a tag begins with."""
    return min(place for sign in "<[◁" if (place := text.find(sign)) >= 0)


def without_reasoning(text: str) -> tuple[int, str]:
    """Return the text without its reasoning, and the position in the text after which it is unchanged.

    Closed blocks are removed. A closing tag without an opening one ends reasoning that began at the start of the text,
    as some servers send it. An opening tag without a closing one begins reasoning that was cut off, so that nothing
    after it is an answer. Of a text with channels, the message of the channel "final" is left. The result is the
    position from which on the rest of the text is the same, or -1 if blocks were removed from inside the text; and the
    text that is left.
    """
    if not begins_tag(text):
        return (0, text) if text.strip() else (len(text), "")
    first = _first(text)
    channels = list(_P.channel.finditer(text, first))
    if channels:
        start = channels[-1].end()
        end = _P.end.search(text, start)
        return (start, text[start:]) if end is None else (-1, text[start : end.start()])
    blocks: list[tuple[int, int]] = []
    depth = at = 0
    for tag in _P.tag.finditer(text, first):
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
