"""The printed form of all numbers: tables as text, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from answersim._base.errors import unknown
from answersim._base.io.output_files import atomic_write
from answersim._base.text_tables import json_values, number

Cell: TypeAlias = str | int | float | None


class Format(str, Enum):
    """The format of tables."""

    text = "text"
    markdown = "markdown"
    csv = "csv"
    json = "json"


class Column(NamedTuple):
    """The name of a column, and the group of adjacent columns that it belongs to."""

    name: str
    group: str = ""


@dataclass(frozen=True)
class Table:
    """The content of a table. Its appearance depends on the format."""

    title: str  # one line
    columns: tuple[Column, ...]  # from left to right. Adjacent columns of the same group share a heading.
    # one cell per column: unchanged text, whole integers, floats with three decimal places, None for nothing
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()  # lines below the table, such as the signatures of its numbers

    @classmethod
    def of(cls, title: str, names: Iterable[str], rows: Iterable[tuple[Cell, ...]], notes: Iterable[str] = ()) -> Table:
        """Return a table whose columns have these names and no groups."""
        return cls(title, tuple(map(Column, names)), tuple(rows), tuple(notes))

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.title}: a row of {len(row)} cells for {len(self.columns)} columns: {row}")


def cell(value: Cell) -> str:
    """Format a cell.

    >>> [cell(value) for value in ("f1", 942, 0.49719, -0.0001, float("nan"), None)]
    ['f1', '942', '0.497', '0.000', 'nan', '']
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else number(value)
    return str(value)


def interval(low: float, high: float) -> str:
    """Format both ends of an interval, or return "" if it is not defined.

    >>> interval(0.17904, 0.2371), interval(-0.0001, 0.04), interval(float("nan"), float("nan"))
    ('[0.179, 0.237]', '[0.000, 0.040]', '')
    """
    return "" if math.isnan(low) or math.isnan(high) else f"[{cell(low)}, {cell(high)}]"


def signed(value: float) -> str:
    """Format a difference of two coefficients with its sign.

    >>> signed(0.05), signed(-0.0001), signed(float("nan"))
    ('+0.050', '0.000', 'nan')
    """
    shown = f"{value:+.3f}"
    return cell(value) if math.isnan(value) or shown in ("+0.000", "-0.000") else shown


def difference(value: float) -> str:
    """Format a small difference.

    >>> difference(0.0), difference(2.2204e-16)
    ('0', '2.2e-16')
    """
    return f"{value:.1e}" if value else "0"


def render(tables: Sequence[Table], records: Sequence[Mapping[str, Any]], form: str) -> str:
    """Render the tables in this format, with a final line break. JSON has their records instead, unrounded.

    Raise LookupError if the format is not one of ``text``, ``markdown``, ``csv``, ``json``.
    """
    choices = [choice.value for choice in Format]
    if form not in choices:
        raise unknown("format", form, choices)
    if form == "json":
        return to_json(records)
    if form == "csv":
        return to_csv(tables)
    one = {"text": text, "markdown": markdown}[form]
    return "\n".join(one(table) for table in tables)


def text(table: Table) -> str:
    """Render the table for a terminal, as wide as necessary."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable

    drawn = RichTable(box=box.ASCII2, show_edge=False, pad_edge=False)
    for i, column in enumerate(table.columns):
        head = column.name.replace("-", "-\n") if len(column.name) > 9 else column.name
        if _grouped(table):
            head = f"{column.group if _opens(table, i) else ''}\n{head}"
        drawn.add_column(head, justify="right" if _numeric(table, i) else "left", no_wrap=True)
    for row in table.rows:
        drawn.add_row(*(_plain(cell(value)) for value in row))
    page = io.StringIO()
    console = Console(file=page, width=10_000, color_system=None, legacy_windows=False)
    console.print(drawn)
    lines = [table.title, "", *(line.rstrip() for line in page.getvalue().splitlines())]
    return "\n".join(lines + [""] * bool(table.notes) + [f"  {note}" for note in table.notes]) + "\n"


def _plain(shown: str) -> Any:
    from rich.text import Text

    return Text(shown)  # not str, in which rich would interpret markup


def markdown(table: Table) -> str:
    """Render the table for a README. Groups precede the column names."""
    names = [f"{column.group} {column.name}".strip() for column in table.columns]
    rule = ["---:" if _numeric(table, i) else "---" for i in range(len(names))]
    body = [[cell(value).replace("|", "\\|") for value in row] for row in table.rows]
    lines = [f"| {' | '.join(line)} |" for line in (names, rule, *body)]
    notes = ["", *(f"- `{note}`" for note in table.notes)] if table.notes else []
    return "\n".join([f"**{table.title}**", "", *lines, *notes]) + "\n"


def to_csv(tables: Sequence[Table]) -> str:
    """Return all tables as one CSV, with the columns of each of them.

    The first column has the title of the table, and the last one, ``note``, its notes, each in a row of its own. A cell
    of a column that the table does not have is empty. Numbers are as in the printed tables. The second column of a
    table with the same name has a number behind it.
    """
    named = [(table, _distinct_names(table)) for table in tables]
    names = dict.fromkeys(name for _, of_table in named for name in of_table)
    text = io.StringIO()
    writer = csv.DictWriter(text, ["table", *names, "note"], restval="", lineterminator="\n")
    writer.writeheader()
    for table, of_table in named:
        for row in table.rows:
            writer.writerow({"table": table.title, **dict(zip(of_table, map(cell, row), strict=True))})
        writer.writerows({"table": table.title, "note": note} for note in table.notes)
    return text.getvalue()


def _distinct_names(table: Table) -> list[str]:
    names = [f"{column.group} {column.name}".strip() for column in table.columns]
    seen = [names[:i].count(name) for i, name in enumerate(names)]
    return [f"{name} {before + 1}" if before else name for name, before in zip(names, seen, strict=True)]


def to_json(records: Sequence[Mapping[str, Any]]) -> str:
    """Return a JSON list of objects with unrounded numbers. nan and infinity, which JSON does not have, are null."""
    return json.dumps(json_values(records), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def records(table: Table) -> list[dict[str, Cell]]:
    """Return the rows of a table by the names of its columns, for JSON."""
    names = _distinct_names(table)
    return [{"table": table.title, **dict(zip(names, row, strict=True))} for row in table.rows]


def rounded(value: Any, digits: int = 6) -> Any:
    """Return a value as JSON has it, with this number of decimal places.

    >>> rounded({"tau": (0.12345678, float("nan"))})
    {'tau': [0.123457, None]}
    """
    if isinstance(value, Mapping):
        return {key: rounded(item, digits) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(item, digits) for item in value]
    return json_values(round(value, digits) if isinstance(value, float) else value)


def save(shown: str, path: Path) -> None:
    """Write this text to a file atomically: the file is complete or unchanged."""
    with atomic_write(path) as draft:
        draft.write_text(shown, encoding="utf-8", newline="\n")


def _numeric(table: Table, i: int) -> bool:
    return any(isinstance(row[i], (int, float)) for row in table.rows)


def _grouped(table: Table) -> bool:
    return any(column.group for column in table.columns)


def _opens(table: Table, i: int) -> bool:
    """Return whether this column is the first of its group."""
    return i == 0 or table.columns[i].group != table.columns[i - 1].group
