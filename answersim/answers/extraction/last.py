"""The last line and the last number of a text."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(?<![\w.,])(?:(?<![)\]])[-+−])?[$€£]?(?:\d+(?:[.,]\d+)*|\.\d+)(?: ?\\?%)?")

_TAIL = 256  # characters at the end in which a number is searched first


def last_line(text: str) -> tuple[int, int] | None:
    r"""Return the place of the last line with text; None if there is none.

    >>> text = "Let us see.\n\nRome\n"
    >>> start, end = last_line(text)
    >>> text[start:end]
    'Rome'
    """
    end = len(text.rstrip())
    return (text.rfind("\n", 0, end) + 1, end) if end else None


def last_number(text: str) -> tuple[int, int] | None:
    r"""Return the place of the last number: digits with separators, a sign before them, a currency or a percent sign.

    >>> text = "10 - 4 = 6, so -1,234.5 in all"
    >>> start, end = last_number(text)
    >>> text[start:end]
    '-1,234.5'
    """
    for begin in dict.fromkeys((max(0, len(text) - _TAIL), 0)):
        spans = [match.span() for match in _NUMBER.finditer(text, begin)]
        if spans and (spans[-1][0] > begin or not begin):
            return spans[-1]
    return None
