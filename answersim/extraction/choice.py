"""The letter of a choice: "(B)", "B.", "**B**", "option B", "B) Paris"; never the pronoun "I" or the article "a"."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ARABIC = {"أ": "A", "ا": "A", "ب": "B", "ج": "C", "د": "D", "ه": "E", "هـ": "E", "و": "F"}
_WIDE = {chr(0xFF21 + i): chr(65 + i) for i in range(26)} | {chr(0xFF41 + i): chr(65 + i) for i in range(26)}
_CIRCLED = {chr(0x24B6 + i): chr(65 + i) for i in range(26)}
_LATIN = {**_ARABIC, **_WIDE, **_CIRCLED}
_OTHER = "".join(key for key in _LATIN if len(key) == 1)
_UPPER, _ANY = f"A-Z{_OTHER}", f"A-Za-z{_OTHER}"
_MARKS = r"[*_`$\s]*"
_ALONE = re.compile(
    rf"{_MARKS}(?:\\boxed\s*\{{)?(?:\\text(?:bf)?\s*\{{)?{_MARKS}[(\[（]?{_MARKS}([{_ANY}])"
    rf"{_MARKS}[)\]）.:]?{_MARKS}\}}*{_MARKS}\.?{_MARKS}"
)
# "option B", "choice (b)", "answer is B", "Answer: **B**". A bare lower-case letter is no choice: "answer is a city".
_NAMED = re.compile(
    r"(?:\boption|\bchoice|\bletter|\bantwort(?:möglichkeit)?|\boption|\banswers?(?:\s+choice)?(?:\s+(?:is|"
    r"would be|must be|ist|lautet))?)"
    rf"(?:\s*[:：]|\s+is\b|\s+ist\b)?{_MARKS}(?:\\boxed\s*\{{)?(?:\\text(?:bf)?\s*\{{)?{_MARKS}"
    rf"(?:[(\[（]\s*([{_ANY}])\s*[)\]）]|([{_UPPER}])(?![\w'’+#]))",
    re.IGNORECASE,
)
_FIRST = re.compile(rf"\s*{_MARKS}(?:[(\[（]\s*([{_ANY}])\s*[)\]）]|([{_ANY}])[).:、．]){_MARKS}(?=\s|\Z|\*)")
_BRACKETED = re.compile(rf"(?<!\w)(?:[(（]\s*([{_UPPER}])\s*[)）]|\*\*\s*[(（]?([{_UPPER}])[)）.]?\s*\*\*)(?!\w)")
_BOXED = re.compile(rf"\\boxed\s*\{{\s*(?:\\text(?:bf)?\s*\{{)?\s*[(]?([{_ANY}])[)]?\s*\}}")


def choice(text: str) -> tuple[int, int] | None:
    """Return the place of the letter that a text chooses; None if it chooses none.

    In order: the whole text is a letter with marks; the last box that contains a letter; the last "option B" or
    "answer is B"; a letter with a delimiter at the start; the last letter in brackets or bold. A bare capital letter in
    running text is none, so that "I" and "A" are never taken for options.

    >>> [letter(text) for text in ("(B)", "**b**", "I think it is option C.", "B) Paris", "I see a cat", "A cat sat")]
    ['B', 'B', 'C', 'B', None, None]
    """
    if alone := _ALONE.fullmatch(text.strip()):
        shift = len(text) - len(text.lstrip())
        start, end = alone.span(1)
        return start + shift, end + shift
    for pattern in (_BOXED, _NAMED):
        places = [_place(match) for match in pattern.finditer(text)]
        if places := [place for place in places if not _is_pronoun(text, place)]:
            return places[-1]
    if (first := _FIRST.match(text)) is not None:
        return _place(first)
    bracketed = [_place(match) for match in _BRACKETED.finditer(text)]
    return bracketed[-1] if bracketed else None


def letter(text: str) -> str | None:
    """Return the letter that a text chooses, in upper case and Latin; None if it chooses none."""
    place = choice(text)
    return None if place is None else latin(text[place[0] : place[1]])


def latin(character: str) -> str:
    """Return a letter of a choice in upper case and Latin.

    >>> latin("b"), latin("Ｃ"), latin("د")
    ('B', 'C', 'D')
    """
    return _LATIN.get(character, character.upper())


def chosen(text: str, options: Sequence[str]) -> int | None:
    """Return which option a text chooses, from 0: by its letter, or because it is the text of exactly one option.

    Args:
        text: The answer.
        options: The texts of the options A, B, ... of the question.

    >>> chosen("(B)", ["Rome", "Oslo"]), chosen("oslo", ["Rome", "Oslo"]), chosen("Bern", ["Rome", "Oslo"])
    (1, 1, None)
    """
    same = [i for i, option in enumerate(options) if _plain(option) == _plain(text)]
    if len(same) == 1:
        return same[0]
    found = letter(text)
    if found is not None:
        i = ord(found) - ord("A")
        return i if i < len(options) else None
    words = f" {_plain(text)} "
    inside = [i for i, option in enumerate(options) if _plain(option) and f" {_plain(option)} " in words]
    longest = [i for i in inside if not any(i != j and _plain(options[i]) in _plain(options[j]) for j in inside)]
    return longest[0] if len(longest) == 1 else None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[\w%°+#/-]+", text.casefold()))


def _place(match: re.Match[str]) -> tuple[int, int]:
    """Return the place of the only group that matched."""
    return next(match.span(i) for i in range(1, (match.lastindex or 1) + 1) if match.group(i) is not None)


def _is_pronoun(text: str, place: tuple[int, int]) -> bool:
    """Return whether the letter is a word: "I think", "A city", or a lower-case letter that is not in brackets."""
    start, end = place
    if start and text[start - 1] in "([{（*":
        return False
    if text[start].islower():
        return True
    return text[start] in "AI" and bool(re.match(r"\s+[a-z]", text[end : end + 4]))
