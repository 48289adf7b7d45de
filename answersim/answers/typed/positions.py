"""Options by their position, as letters: "the second one", "option 2", "#2", "第二个"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

from answersim.answers.extraction.frames import innermost
from answersim.answers.text.patterns import Patterns
from answersim.answers.typed.vocabulary import rows

_P = Patterns("positions")
_LONGEST = 200  # characters of a text in which positions are read


def in_letters(text: str, options: Sequence[str], agrees: Callable[[str, str], bool]) -> str:
    """Return a text with the letter B for the second option; unchanged if the options have such words themselves.

    A number is a position if a word or a sign marks it, and no option has this value. A place in an order is one
    behind an article, before a noun such as "option", or alone.
    """
    numbered, placed, place = _expressions()
    if len(text) > _LONGEST or any(map(place.search, options)):
        return text
    has_digits = any(map(str.isdigit, "".join(options)))

    def of_number(match: re.Match[str]) -> str:
        places = [_place(sign, options) for sign in (match["place"], *re.findall(r"\d", match["more"]))]
        is_value = any(
            str(at) in re.findall(r"\d+(?:[.,]\d+)*", option) or agrees(option, str(at))
            for at in places
            for option in options
        )
        if is_value or (has_digits and not match["option"]):
            return match[0]
        more = re.sub(r"\d", lambda sign: _letter(int(sign[0])), match["more"])
        return f"{match['option'] or ''} {_letter(places[0])}{more}".strip()

    def of_place(match: re.Match[str]) -> str:
        before = match[0][: match.start("place") - match.start()]
        is_marked = before or match["noun"] or _P.touches.search(match["place"])
        is_marked = is_marked or match["place"] in innermost(text).values()
        return before + _letter(_place(match["place"], options)) if is_marked else match[0]

    return placed.sub(of_place, numbered.sub(of_number, text))


def _letter(at: int) -> str:
    return chr(ord("A") + at - 1)


def _place(text: str, options: Sequence[str]) -> int:
    """Return a position, from 1."""
    at = _words("number", "ordinal", "position").get(re.sub(r"\s", "", text.casefold())) or next(
        int(value) for sign in text if (value := unicodedata.numeric(sign, 0))
    )
    return at if at > 0 else len(options)


@cache
def _words(*kinds: str) -> dict[str, int]:
    """Return the words of numbers and of places up to eight, without spaces. -1 is the last place."""
    numbered = [row for row in rows("words") if row.kind in kinds and row.meaning in ("-1", *"12345678")]
    return {word.replace(" ", ""): int(row.meaning) for row in numbered for word in row.words}


@cache
def _expressions() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return the expressions of a number with a mark, of a place with its noun, and of a place."""
    counted, ordered = (
        "|".join(word.replace("번째", r"\s?번째") for word in sorted(_words(*kinds), key=len, reverse=True))
        for kinds in (("number",), ("ordinal", "position"))
    )
    letter = _P.letter.pattern
    place = rf"(?:(?<!{letter})(?<!-)(?:{ordered})(?!{letter}|['’-])|{_P.digits.pattern}|{_P.touching.pattern})"
    return (
        re.compile(_P.numbered.pattern.replace("①", rf"(?:{counted})(?!{letter})")),
        re.compile(_P.placed.pattern.replace("①", place)),
        re.compile(place, re.IGNORECASE),
    )
