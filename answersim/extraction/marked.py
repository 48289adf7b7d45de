"""Answers behind a mark: ``<answer>``, ``####``, "the final answer is", "Answer:", in English and German."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)\s*(?:final[_-]?)?answer\s*>", re.IGNORECASE)
_HASH = re.compile(r"####[ \t]*([^\n]*)")
_NUMBER = re.compile(r"[-+−]?[$€£]?\s?\d[\d,.\s]*(?:%|\s?\w{1,12})?\.?")
_WORDS = ("answer", "antwort", "ergebnis", "lösung")
_WORD = re.compile("|".join(_WORDS), re.IGNORECASE)
_KINDS = "final|correct|right|best|short|exact|full|complete|my|overall|endgültige|finale|richtige|korrekte|meine|kurze"
# What follows the word: "Answer:", "answer is", "**Answer**:", "Antwort lautet".
_AFTER = re.compile(
    r"(?:s|en)?(?:[ \t]+to[ \t]+(?:the|this|your)[ \t]+question)?(?:\*\*|__)?[ \t]*"
    r"(?:(?:is|are|was|would[ \t]+be|should[ \t]+be|must[ \t]+be|ist|sind|lautet|wäre)(?!\w)[ \t]*:?|[:：=])"
    r"[ \t]*(?:\*\*|__)?",
    re.IGNORECASE,
)
# What may not precede it: "no answer is", "to answer: ...", "the wrong answer is".
_BEFORE = re.compile(
    r"(?:\b(?:no|not|cannot|to|wrong|false|incorrect|first|previous|keine|falsche)|n't)[ \t]+"
    rf"(?:(?:the|die|das)[ \t]+)?(?:(?:{_KINDS})[ \t]+){{0,2}}\Z",
    re.IGNORECASE,
)
_HEADING_BEFORE = re.compile(r"[ \t]*(?:#+[ \t]*|\*\*|__)(?:(?:final|endgültige)[ \t]+)?", re.IGNORECASE)
_HEADING_AFTER = re.compile(r"[ \t]*:?(?:\*\*|__)?[ \t]*:?[ \t]*(?=\n|\Z)")
_WINDOW = 64  # characters before the word that are read
_SENTENCE_END = re.compile(r"[.!?。！？]+[\"”’)\]*]*(?=\s+[^\s\d(]|\s*\Z)|(?<=[。！？])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Mt|Ft|Jr|Sr|Prof|Gen|Lt|Col|Capt|Rev|Hon|No|Nr|vs|etc|approx|ca|bzw|z|u|d|"
    r"e\.g|i\.e)|\.\w)\Z"
)
_LATER = re.compile(r"\b(?:because|since|as it|which is why|weil|denn|da es)\b.*\Z", re.IGNORECASE | re.DOTALL)


def answer_tag(text: str) -> tuple[int, int] | None:
    """Return the place of the content of the last ``<answer>`` that is not blank; None if there is none.

    A last tag that is not closed ends with the text, because servers cut the output at ``</answer>``.

    >>> text = "<answer>Oslo</answer> <answer> Rome </answer>"
    >>> start, end = answer_tag(text)
    >>> text[start:end]
    ' Rome '
    """
    if "answer" not in text and "ANSWER" not in text and "Answer" not in text:
        return None
    found: tuple[int, int] | None = None
    start: int | None = None
    for tag in _TAG.finditer(text):
        if not tag.group(1):
            start = tag.end()
        elif start is not None:
            if text[start : tag.start()].strip():
                found = start, tag.start()
            start = None
    if start is not None and text[start:].strip():
        found = start, len(text)
    return found


def hash_mark(text: str) -> tuple[int, int] | None:
    """Return the place of the rest of the line after the last ``####`` that is followed by text; None if there is none.

    >>> text = "2 + 3 = 5. #### 5"
    >>> start, end = hash_mark(text)
    >>> text[start:end]
    '5'
    """
    found = None
    if "####" in text:
        for match in _HASH.finditer(text):
            if match.group(1).strip(" #\t*"):
                found = match.span(1)
    return found


def hash_answer(text: str) -> tuple[int, int] | None:
    """Return the same if it is an answer and no heading: the last line of the text, or a number."""
    found = hash_mark(text)
    if found is None:
        return None
    content = text[found[0] : found[1]].strip()
    return found if not text[found[1] :].strip() or _NUMBER.fullmatch(content) else None


def final(text: str) -> tuple[int, int] | None:
    """Return the place of the answer after the last "the answer is", "Answer:" or a like heading; None without one.

    The answer ends with its line, or with its sentence. If the line is empty, the answer is the next line with text.

    >>> text = "The answer is Oslo. No, the final answer is **Rome**. It is old."
    >>> start, end = final(text)
    >>> text[start:end]
    'Rome**'
    """
    lowered = text.lower()
    if not any(word in lowered for word in _WORDS):
        return None
    for word in reversed(list(_WORD.finditer(text))):
        start = _after(text, *word.span())
        if start is not None and (place := _sentence(text, start)) is not None:
            return place
    return None


def _after(text: str, start: int, end: int) -> int | None:
    """Return where the answer begins after the word "answer" at this place; None if the word announces none."""
    before = text[max(0, start - _WINDOW) : start]
    if before and (before[-1].isalnum() or before[-1] in "_<"):
        return None
    announced = _AFTER.match(text, end)
    if announced is not None:
        return None if _BEFORE.search(before) else announced.end()
    heading = _HEADING_AFTER.match(text, end)
    line = before[before.rfind("\n") + 1 :]
    return heading.end() if heading is not None and _HEADING_BEFORE.fullmatch(line) else None


def _sentence(text: str, start: int) -> tuple[int, int] | None:
    """Return the place of the first sentence from here on, on its line or on the next line with text."""
    while start < len(text) and text[start].isspace():
        start += 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    line = text[start:end]
    if line.startswith(("\\[", "$$")) and not line[2:].strip():  # a displayed formula
        closing = text.find("\\]" if line.startswith("\\[") else "$$", start + 2)
        return (start + 2, closing) if closing > 0 else None
    for stop in _SENTENCE_END.finditer(line):
        if not _ABBREVIATION.search(line[: stop.start()]):
            end = start + stop.start()
            break
    if later := _LATER.search(text, start, end):
        end = later.start()
    content = text[start:end].strip(" \t,;:*_")
    return (start, start + len(text[start:end].rstrip(" \t,;:"))) if content else None
