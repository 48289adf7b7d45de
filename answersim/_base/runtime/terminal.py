"""Tables as text in the width of a terminal: texts wrap, numbers do not, and a wide table is split."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

from answersim._base.text_tables import NUMBER, TextTable, key_columns, printable

WIDTH = 76  # characters without a terminal: a table fits into 80 columns, and into the code block of a page
_TEXT, _LONGEST_NUMBER = 16, 30  # characters: the width that a column of texts keeps, and a number with its interval
_PART = re.compile(r".+?[-_/|,;:=+]+|.+")


def text_table(table: TextTable, width: int | None = None) -> list[str]:
    """Return the lines of a table as text, in this width or that of the terminal, if its columns allow that.

    Columns of texts wrap, and numbers never do. If the columns do not fit, there are several tables, each with the
    first columns that identify a row, and the notes follow the last one.
    """
    width = _terminal_width() if width is None else width
    columns = [[printable(cell) for cell in column] for column in zip(table.header, *table.rows, strict=True)]
    least, keys = [*map(_least, columns)], key_columns(table)
    first = sum(least[:keys]) + 2 * (keys - 1)
    if first > width / 2:
        first, keys = least[0], 1
    parts: list[list[int]] = [[]]
    for i in range(keys, len(columns)):
        if parts[-1] and first + sum(least[j] + 2 for j in [*parts[-1], i]) > width:
            parts.append([])
        parts[-1].append(i)
    lines: list[str] = []
    for places in parts:
        if table.title:
            lines.append(f"{printable(table.title)}{', continued' if lines else ''}")
        lines += _aligned([columns[i] for i in (*range(keys), *places)], width)
        lines += [""] if places is not parts[-1] else [*map(printable, table.notes)]
    return lines


def _terminal_width() -> int:
    """Return the width of the terminal that shows standard output, or ``WIDTH`` if none does."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or WIDTH
    except (AttributeError, OSError, ValueError):
        return WIDTH


def _wide(text: str) -> int:
    """Return the columns of a terminal that a text fills: wide characters fill two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def _least(column: Sequence[str]) -> int:
    """Return the smallest width of a column, in which no number is cut and texts are still read."""
    header, *cells = column
    widest = max(map(_wide, cells), default=0)
    if widest > _LONGEST_NUMBER or not all(not cell or NUMBER.match(cell) for cell in cells):
        return min(_TEXT, max(map(_wide, column)))
    return max(widest, min(_TEXT, max(map(_wide, header.split(" ")))))


def _aligned(columns: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return the lines of the columns, with a line below the header. The widest columns become narrower as needed."""
    widths, least = [max(map(_wide, column)) for column in columns], [*map(_least, columns)]
    gap = 3 if sum(widths) + 3 * (len(widths) - 1) <= width else 2
    while sum(widths) + gap * (len(widths) - 1) > width and widths != least:
        widths[max((at for at, most in enumerate(widths) if most > least[at]), key=widths.__getitem__)] -= 1
    lines = []
    for cells in zip(*columns, strict=True):
        wrapped = [_wrapped(cell, most) for cell, most in zip(cells, widths, strict=True)]
        for parts in zip_longest(*wrapped, fillvalue=""):
            padded = (cell + " " * (most - _wide(cell)) for cell, most in zip(parts, widths, strict=True))
            lines.append((" " * gap).join(padded).rstrip())
        if len(lines) == max(map(len, wrapped)):  # of the header
            lines.append("─" * (sum(widths) + gap * (len(widths) - 1)))
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines of this width: parted between words, else behind punctuation, else anywhere."""
    lines = [""]
    for word in text.split() if _wide(text) > width else [text]:
        glue = " " if lines != [""] else ""
        for piece in _pieces(word, width):
            if _wide(lines[-1] + glue + piece) <= width:
                lines[-1] += glue + piece
            else:
                lines.append(piece)
            glue = ""
    return lines


def _pieces(word: str, width: int) -> list[str]:
    """Return the parts of a word that is wider than this, behind punctuation or anywhere; else the word."""
    if _wide(word) <= width:
        return [word]
    pieces = []
    for piece in _PART.findall(word):
        pieces.append("")
        room = width
        for character in piece:
            room -= _wide(character)
            if room < 0 and pieces[-1]:
                pieces.append("")
                room = width - _wide(character)
            pieces[-1] += character
    return pieces
