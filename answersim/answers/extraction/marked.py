"""Answers at a simple place: in a box or a tag, behind ``####``, on the last line, and the last number."""

from __future__ import annotations

from typing import TypeAlias

from answersim.answers.text.patterns import Patterns

Place: TypeAlias = tuple[int, int]  # where an answer begins in a text, and where it ends

_P = Patterns("marked")
_TAIL = 256  # characters at the end in which a number is searched first


def answer_tags(text: str) -> list[Place]:
    """Return the places of the contents of all ``<answer>`` that are not blank, in order.

    A last tag that is not closed ends with the text, because servers cut the output at ``</answer>``. A tag inside
    another one, if both are closed, belongs to it.
    """
    places: list[Place] = []
    starts: list[int] = []  # of the tags that are open
    is_open = False
    for tag in _P.tag.finditer(text, text.index("<")) if "<" in text else ():
        is_open = not tag[1]
        if is_open:
            starts.append(tag.end())
        elif starts:
            start = starts.pop()
            if text[start : tag.start()].strip():
                places = [place for place in places if place[0] < start]
                places.append((start, tag.start()))
    if is_open and text[starts[-1] :].strip() and not _P.quote_ends.match(text, starts[-1]):
        places.append((starts[-1], len(text)))
    return places


def boxes(text: str) -> list[Place]:
    r"""Return the places of the contents of all ``\boxed`` and ``\fbox`` with balanced braces, in order.

    A box inside another one belongs to it. Escaped braces do not count. A box that was cut off is none.
    """
    if "\\" not in text or ("\\boxed" not in text and "\\fbox" not in text):
        return []
    first = min(place for sign in "\\{}" if (place := text.find(sign)) >= 0)
    places: list[Place] = []
    open_braces: list[tuple[int, bool]] = []
    n_open = 0  # boxes
    for token in _P.box.finditer(text, first):
        sign = token[0]
        if token["bare"] is not None:
            if not n_open:
                places.append(token.span("bare"))
        elif sign == "}":
            start, is_box = open_braces.pop() if open_braces else (0, False)
            n_open -= is_box
            if is_box and text[start : token.start()].strip(" \t\r\n.…_?"):
                while places and places[-1][0] > start:
                    places.pop()
                places.append((start, token.start()))
        elif sign[-1] == "{" and len(sign) != 2:  # not \{
            open_braces.append((token.end(), len(sign) > 2))
            n_open += len(sign) > 2
    return places


def around(text: str, place: Place) -> tuple[str, str]:
    """Return what stands before the box or the tag around this content, and behind it; "" and "" if there is none."""
    opening, closing = _P.opening.search(text[: place[0]]), _P.closing.match(text, place[1])
    return ("", "") if opening is None or closing is None else (text[: opening.start()], text[closing.end() :])


def hash_marks(text: str) -> list[Place]:
    """Return the place of the rest of the line after each ``####``, or of the next line if it is empty, in order."""
    places: list[Place] = []
    for match in _P.hash.finditer(text, text.index("####")) if "#" in text and "####" in text else ():
        start, end = match.span(1)
        if not match[1].strip(" #\t*"):
            start, end = end + 1, text.find("\n", end + 1)
            end = len(text) if end < 0 else end
        content = text[start:end]
        if content.strip(" #\t*") and not content.lstrip().startswith("#"):
            places.append((max(start, text.rfind("####", start, end) + 4), end))
    return places


def hash_answers(text: str) -> list[Place]:
    """Return the last place of ``hash_marks`` after those of all texts that "####" marks before it, in order.

    There is none if the last one is a heading: neither a number nor on the last line of the text.
    """
    for start, end in hash_marks(text)[-1:]:
        if not text[end:].strip() or _P.number.fullmatch(text[start:end].strip()):
            matches = _P.hashed.finditer(text, text.index("####"), start)
            earlier = [match.span(1) for match in matches if match[1].strip()]
            return [*(place for place in earlier if place[1] < start), (start, end)]
    return []


def last_line(text: str) -> Place | None:
    """Return the place of the last line with text; None if there is none."""
    end = len(text.rstrip())
    return (text.rfind("\n", 0, end) + 1, end) if end else None


def last_number(text: str) -> Place | None:
    """Return the place of the last number: digits with separators, a sign before them, a currency or a percent sign."""
    for begin in dict.fromkeys((max(0, len(text) - _TAIL), 0)):
        places = [match.span() for match in _P.last_number.finditer(text, begin)]
        if places and (places[-1][0] > begin or not begin):
            return places[-1]
    return None
