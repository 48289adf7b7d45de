"""Results as text, Markdown, LaTeX, HTML and JSON: how tables, numbers, names and texts of users are written."""

from __future__ import annotations

import html
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from answersim._base.arrays import DataFrame
from answersim._base.errors import MissingExtraError

_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
_BIDI = "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
NUMBER = re.compile(r"-$|[-+<]?[\d.]")  # the beginning of a number, or of one with its interval
_LATEX_COLUMNS = 7  # of a table that fits on a page
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}


class TextTable(NamedTuple):
    """A title, the names of the columns, the rows, and the lines below them."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


class FigureRow(NamedTuple):
    """An estimate of a figure in its unit; nan ends if it has no interval."""

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    parts: Mapping[str, float] = MappingProxyType({})  # of a whole: the size of each outcome, such as "right"


class Figure(NamedTuple):
    """Estimates with their intervals on one scale, or wholes with their parts."""

    title: str
    rows: tuple[FigureRow, ...]
    ends: tuple[float, float]  # of the scale
    unit: str = ""
    form: str = ".3f"


def figure_row(name: str, estimate: Any, factor: float = 1.0) -> FigureRow:
    """Return the row of an estimate with ``value``, ``low`` and ``high``, times a factor."""
    return FigureRow(name, factor * estimate.value, factor * estimate.low, factor * estimate.high)


def scale(rows: Iterable[FigureRow], *needed: float) -> tuple[float, float]:
    """Return the ends of an axis that shows all of these rows, and the needed numbers."""
    numbers = [number for row in rows for number in (row.value, row.low, row.high) if math.isfinite(number)]
    low, high = min([*numbers, *needed], default=0.0), max([*numbers, *needed], default=1.0)
    room = 0.05 * (high - low) or 0.05
    return low - room, high + room


class Column(NamedTuple):
    """A column of a listing, with one value per row."""

    name: str
    values: Sequence[Any]
    # "text"; "number": nan or None is no number; "choice": one of few texts, to filter by; "gold": a gold answer, or
    # several; "pred": the words that it shares with the gold answer are marked
    kind: Literal["text", "number", "choice", "gold", "pred"] = "text"
    marks: Sequence[tuple[int, int] | None] = ()  # of texts, the part of each that is marked


class Listing(NamedTuple):
    """Rows of texts, such as answers, that a reader of a page searches, filters, sorts and downloads."""

    name: str  # of the rows, such as "answers"
    columns: tuple[Column, ...]
    caption: str  # the order of the rows


class Page(NamedTuple):
    """What a page shows of a result: the answer first, then one figure, then the rest."""

    title: str
    sentences: Sequence[str]
    figures: Sequence[Figure] = ()
    tables: Sequence[TextTable] = ()
    listing: Listing | None = None
    notes: Sequence[str] = ()


def content(record: Any) -> dict[str, Any]:
    """Return the fields of a NamedTuple or a dataclass by name."""
    if is_dataclass(record):
        return {field.name: getattr(record, field.name) for field in fields(record)}
    return dict(record._asdict())


def flat(record: Any) -> dict[str, Any]:
    """Return the fields with one value, for a row of a CSV file: an interval has three, other containers have none."""
    row: dict[str, Any] = {}
    for name, value in (record if isinstance(record, dict) else content(record)).items():
        if hasattr(value, "low") and hasattr(value, "high") and hasattr(value, "value"):
            row |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
        elif value is None or isinstance(value, (str, bool, int, float, np.generic)):
            row[name] = value
    return row


class Result:
    """A result as text, JSON, data frame, Markdown, LaTeX and HTML. A subclass states its sentences and rows.

    ``print`` shows the first sentence of ``summary``, unless the subclass has a longer text.
    """

    def summary(self) -> list[str]:
        """Return the result in sentences. The first one alone is the result in short."""
        raise NotImplementedError

    def tables(self) -> Iterable[TextTable]:
        """Return the tables of the result, if it has any."""
        return ()

    def footer(self) -> list[str]:
        """Return the lines below the tables, such as signatures."""
        return []

    def page(self) -> Page:
        """Return what ``answersim.write_report`` shows."""
        title = re.sub("(?<!^)([A-Z])", r" \1", type(self).__name__).capitalize()
        return Page(title, self.summary(), tables=list(self.tables()), notes=self.footer())

    def records(self) -> list[dict[str, Any]]:
        """Return flat records, for a CSV file or a data frame."""
        return [flat(self)]

    def __str__(self) -> str:
        return self.summary()[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the content as dictionaries, lists, numbers and strings for JSON, with None for nan."""
        return json_object({"summary": self.summary(), **content(self)})

    def to_json(self) -> str:
        """Return the content as JSON."""
        return json_text(json_values(self.to_dict()))

    def to_pandas(self) -> DataFrame:
        """Return the records as a data frame."""
        return frame(self.records(), f"{type(self).__name__}.to_pandas()")

    def to_markdown(self) -> str:
        """Return sentences and tables in Markdown."""
        lines = [*(f"{escaped(line)}  " for line in self.summary()), ""]
        return markdown_page(lines, self._shown(), self.footer())

    def to_latex(self) -> str:
        """Return the tables in LaTeX, for the package booktabs, with the sentences as comments."""
        return latex_page(self.summary(), self._shown(), self.footer())

    def _repr_html_(self) -> str:
        first, *more = self.summary()
        return html_result([first], self.tables(), [*more, *self.footer()])

    def _shown(self) -> list[TextTable]:
        """Return the tables, or one of the records."""
        return list(self.tables()) or [record_table(self.records())]


def record_table(records: Sequence[Mapping[str, Any]]) -> TextTable:
    """Return a table of flat records: one row each, or the names and values of a single one."""
    if len(records) == 1:
        return TextTable("", ("name", "value"), tuple((name, _cell(value)) for name, value in records[0].items()))
    header = tuple(dict.fromkeys(name for record in records for name in record))
    return TextTable("", header, tuple(tuple(_cell(record.get(name)) for name in header) for record in records))


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else number(value)


def json_text(values: Any) -> str:
    """Return JSON values as text with a final line end. Half a surrogate pair, which UTF-8 lacks, is escaped."""
    text = json.dumps(values, ensure_ascii=False, indent=1)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(values, indent=1)
    return text + "\n"


def frame(records: Sequence[Mapping[str, Any]] | Mapping[str, Any], content: str) -> DataFrame:
    """Return records as a data frame. Raise MissingExtraError without pandas; the message names ``content``."""
    try:
        return import_module("pandas").DataFrame(records)
    except ImportError as error:
        raise MissingExtraError(content, "tables", "pandas") from error


def json_object(record: Any) -> dict[str, Any]:
    """Return a mapping, or a record by its fields, as ``json_values`` does."""
    plain: dict[str, Any] = json_values(record)
    return plain


def json_values(value: Any, *, has_infinity: bool = False) -> Any:
    """Return a value as JSON has it: dictionaries with names, lists, and None for nan.

    ``has_infinity``: whether infinity is the text "inf" or "-inf"; else it is None, too.

    >>> json_values({1: (math.nan, np.int64(2))})
    {'1': [None, 2]}
    """
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    elif isinstance(getattr(value, "values", None), np.ndarray):
        value = value.values.tolist()  # of scores
    elif isinstance(getattr(value, "signature", None), str) and callable(value):
        value = value.signature  # of a metric
    elif hasattr(value, "_asdict") or (is_dataclass(value) and not isinstance(value, type)):
        value = content(value)
    if isinstance(value, Mapping):
        return {str(key): json_values(item, has_infinity=has_infinity) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_values(item, has_infinity=has_infinity) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value) if has_infinity and not math.isnan(value) else None
    return value


def number(value: float, decimals: int = 3) -> str:
    """Format a number, or "-" for nan. The 0 before the point is always shown.

    >>> number(0.9994), number(-0.0314), number(-0.0001), number(0.25, 1), number(float("nan"))
    ('0.999', '-0.031', '0.000', '0.2', '-')
    """
    if math.isnan(value):
        return "-"
    digits = f"{value:.{decimals}f}"
    return digits if float(digits) else digits.removeprefix("-")


def p_value(p: float, name: str = "") -> str:
    """Format a p with three decimals: alone in a table, and after its name in a sentence.

    >>> p_value(0.0213), p_value(0.0004), p_value(0.0213, "p"), p_value(0.0004, "p"), p_value(float("nan"))
    ('0.021', '<0.001', 'p = 0.021', 'p < 0.001', '-')
    """
    if p < 0.001:
        return f"{name} < 0.001" if name else "<0.001"
    return f"{name} = {number(p)}" if name else number(p)


def interval(low: float, high: float) -> str:
    """Format both ends of an interval, or return an empty text if it has none."""
    return "" if math.isnan(low) else f"{number(low)} to {number(high)}"


def with_interval(estimate: Any, form: str, factor: float = 1, unit: str = "") -> str:
    """Format an estimate and the ends of its interval alike: ``value``, ``low`` and ``high``, times a factor."""
    value, low, high = (f"{factor * number:{form}}" for number in (estimate.value, estimate.low, estimate.high))
    return f"{value}{unit} [{low}, {high}]"


def counted(n: int, noun: str) -> str:
    """Return a count with its noun, in the singular for 1."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def percent(share: float) -> str:
    """Format a share in whole percent, or "-" for nan."""
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


def markdown_page(lines: Iterable[str], tables: Iterable[TextTable], footer: Iterable[str]) -> str:
    """Return lines in Markdown, tables, and a list of closing texts."""
    below = [line for table in tables for line in markdown_table(table)]
    return "\n".join([*lines, *below, *(f"- {escaped(line)}" for line in footer)]).rstrip("\n") + "\n"


def latex_escaped(text: str) -> str:
    r"""Escape a text for LaTeX."""
    return "".join(_LATEX.get(character, character) for character in printable(text))


def key_columns(table: TextTable) -> int:
    """Return how many of the first columns identify a row; 1 if all do not."""
    return next((k for k in range(1, len(table.header)) if len({row[:k] for row in table.rows}) == len(table.rows)), 1)


def latex_table(table: TextTable) -> list[str]:
    """Return the lines of a table in LaTeX, for the package booktabs. Columns of numbers are aligned to the right.

    If there are more than ``_LATEX_COLUMNS`` columns, there are several tables, each with the first columns that
    identify a row. Notes are comments.
    """
    columns = list(zip(table.header, *table.rows, strict=True))
    keys = min(key_columns(table), _LATEX_COLUMNS - 1)
    room, lines = _LATEX_COLUMNS - keys, []
    for start in range(keys, max(len(columns), keys + 1), room):
        shown = [*columns[:keys], *columns[start : start + room]]
        head, *rows = [" & ".join(map(latex_escaped, row)) + r" \\" for row in zip(*shown, strict=True)]
        sides = ["r" if all(not cell or NUMBER.match(cell) for cell in cells) else "l" for _, *cells in shown]
        title = latex_escaped(table.title) + (", continued" if start > keys else "")
        lines += [r"\begin{table}", r"\centering", rf"\caption{{{title}}}", rf"\begin{{tabular}}{{{''.join(sides)}}}"]
        lines += [r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return [*lines, *(f"% {printable(note)}" for note in table.notes), ""]


def latex_page(sentences: Sequence[str], tables: Iterable[TextTable], footer: Iterable[str]) -> str:
    """Return tables in LaTeX, for booktabs, with the texts as comments. The first sentence is the usual caption."""
    lines = [*(f"% {printable(line)}" for line in sentences), *([""] if sentences else ())]
    caption = sentences[0] if sentences else ""
    below = [line for table in tables for line in latex_table(table._replace(title=table.title or caption))]
    return "\n".join([*lines, *below, *(f"% {printable(line)}" for line in footer)]).rstrip("\n") + "\n"


def html_table(table: TextTable) -> str:
    """Return a table in HTML, escaped, with numbers at the right: a notebook aligns all cells to the right."""
    columns = zip(*table.rows, strict=True) if table.rows else [("",) for _ in table.header]
    sides = ["right" if all(map(NUMBER.match, column)) else "left" for column in columns]

    def row(cells: Sequence[str], tag: str) -> str:
        aligned = (
            f'<{tag} style="text-align: {side}">{_html(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr>{''.join(aligned)}</tr>"

    title = f"<caption>{_html(table.title)}</caption>" if table.title else ""
    body = "".join(row(cells, "td") for cells in table.rows)
    notes = "".join(f"<p>{_html(note)}</p>" for note in table.notes)
    return f"<table>{title}<thead>{row(table.header, 'th')}</thead><tbody>{body}</tbody></table>{notes}"


def _html(text: str) -> str:
    return html.escape(printable(text))


def html_result(sentences: Sequence[str], tables: Iterable[TextTable] = (), closing: Sequence[str] = ()) -> str:
    """Return a result for a notebook, escaped: bold sentences, tables and closing lines. Nothing is loaded for it."""
    head = "".join(f"<p><b>{_html(line)}</b></p>" for line in sentences)
    body = "".join(html_table(table) for table in tables)
    return head + body + "".join(f"<p>{_html(line)}</p>" for line in closing)
