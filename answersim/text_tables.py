"""Tables of text for the terminal, Markdown, LaTeX and HTML: how numbers, names and texts of users are written."""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
_BIDI = "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_NUMBER = re.compile(r"-$|[-+]?[\d.]")  # the beginning of a number, or of one with its interval
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}


class TextTable(NamedTuple):
    """A title, the names of the columns, the rows, and the lines below them."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def json_values(value: Any) -> Any:
    """Return a value as JSON has it: dictionaries with names, lists, and None for nan and infinity.

    >>> json_values({1: (math.nan, np.int64(2))})
    {'1': [None, 2]}
    """
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(key): json_values(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_values(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def number(value: float) -> str:
    """Format a number with three decimals and without the leading 0, or "-" for nan.

    >>> number(0.5), number(-0.0314), number(1.0), number(float("nan"))
    ('.500', '-.031', '1.000', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 0.9995 else f"{value:.3f}"


def interval(low: float, high: float) -> str:
    """Format both ends of an interval, or return an empty text if it has none.

    >>> interval(0.1, 0.25)
    '.100 to .250'
    """
    return "" if math.isnan(low) else f"{number(low)} to {number(high)}"


def counted(n: int, noun: str) -> str:
    """Return a count with its noun, in the singular for 1.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def percent(share: float) -> str:
    """Format a share in whole percent, or "-" for nan.

    >>> percent(0.517)
    '52 %'
    """
    return "-" if math.isnan(share) else f"{share:.0%}".replace("%", " %")


def printable(text: str) -> str:
    r"""Return a text on one line: each control character, line end or bidirectional control as an escape sequence.

    Names of columns come from files, and a terminal executes control characters.

    >>> print(printable("a\nb"), printable("\x1b[31mred"), printable("naïve 名前"))
    a\nb \x1b[31mred naïve 名前
    """
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in _UNPRINTABLE or character in _BIDI
        else character
        for character in text
    )


def escaped(text: str) -> str:
    """Escape a text for one line of Markdown, so that nothing in it is a tag, a link or emphasis."""
    plain = re.sub(r"([\\`*\[\]])", r"\\\1", printable(text)).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", plain)


def table_line(cells: Sequence[str]) -> str:
    """Return a row of a table in Markdown, with every cell escaped."""
    return "| " + " | ".join(escaped(cell).replace("|", "\\|") for cell in cells) + " |"


def markdown_table(table: TextTable) -> list[str]:
    """Return the lines of a table in Markdown, with its title as a heading if it has one."""
    lines = [f"## {escaped(table.title)}", ""] if table.title else []
    lines += [table_line(table.header), table_line(["---"] * len(table.header)), *map(table_line, table.rows), ""]
    return lines + ([*(f"- {escaped(note)}" for note in table.notes), ""] if table.notes else [])


def latex_escaped(text: str) -> str:
    r"""Escape a text for LaTeX.

    >>> print(latex_escaped("50 % of A_1 & {B}"))
    50 \% of A\_1 \& \{B\}
    """
    return "".join(_LATEX.get(character, character) for character in printable(text))


def latex_table(table: TextTable) -> list[str]:
    """Return the lines of a table in LaTeX, for the package booktabs. Columns of numbers are aligned to the right."""
    lines = [rf"\paragraph{{{latex_escaped(table.title)}}}"] if table.title else []
    rows = [" & ".join(map(latex_escaped, row)) + r" \\" for row in (table.header, *table.rows)]
    columns = zip(*table.rows, strict=True) if table.rows else [("",) for _ in table.header]
    alignment = "".join("r" if all(map(_NUMBER.match, column)) else "l" for column in columns)
    lines += [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", rows[0], r"\midrule", *rows[1:]]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return [*lines, *(latex_escaped(note) + r"\\" for note in table.notes), ""]


def html_table(table: TextTable, *, aligned: bool = False) -> str:
    """Return a table in HTML, in which every text is escaped.

    Args:
        table: The table.
        aligned: Whether the cells have a style: columns of numbers to the right, others to the left. A page with a
            style sheet needs none. A notebook aligns all cells to the right otherwise.
    """
    columns = zip(*table.rows, strict=True) if table.rows else [("",) for _ in table.header]
    sides = ["right" if all(map(_NUMBER.match, column)) else "left" for column in columns]

    def row(cells: Sequence[str], tag: str) -> str:
        styles = [f' style="text-align: {side}"' if aligned else "" for side in sides]
        return (
            "<tr>"
            + "".join(
                f"<{tag}{style}>{html.escape(printable(cell))}</{tag}>"
                for cell, style in zip(cells, styles, strict=True)
            )
            + "</tr>"
        )

    title = f"<caption>{html.escape(printable(table.title))}</caption>" if table.title else ""
    body = "".join(row(cells, "td") for cells in table.rows)
    notes = "".join(f"<p>{html.escape(printable(note))}</p>" for note in table.notes)
    return f"<table>{title}<thead>{row(table.header, 'th')}</thead><tbody>{body}</tbody></table>{notes}"


def html_result(sentences: Sequence[str], tables: Iterable[TextTable] = (), closing: Sequence[str] = ()) -> str:
    """Return a result for a notebook: sentences, tables and closing lines as HTML.

    Every text is escaped, and nothing is loaded from elsewhere: no script, style sheet, image or font.

    Args:
        sentences: The statements of the result, in bold.
        tables: The tables.
        closing: The lines below the tables, such as signatures.

    >>> html_result(["1 of 2 right"], closing=["f1 <b>"])
    '<p><b>1 of 2 right</b></p><p>f1 &lt;b&gt;</p>'
    """
    head = "".join(f"<p><b>{html.escape(printable(line))}</b></p>" for line in sentences)
    body = "".join(html_table(table, aligned=True) for table in tables)
    return head + body + "".join(f"<p>{html.escape(printable(line))}</p>" for line in closing)
