"""Roman numerals."""

from __future__ import annotations

import re

_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def roman_value(text: str) -> int | None:
    """Return the value of a Roman numeral in capital letters, 1 to 3,999; None for anything else.

    >>> roman_value("XIV"), roman_value("IIX")
    (14, None)
    """
    if not text or len(text) > 15 or not _ROMAN.fullmatch(text):
        return None
    values = [_VALUES[letter] for letter in text]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
