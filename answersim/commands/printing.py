"""What commands print, and the files that they write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from answersim.errors import unknown
from answersim.io import files
from answersim.runtime.terminal import text_table
from answersim.text_tables import TextTable, printable

if TYPE_CHECKING:
    from answersim.commands.options import Result as ResultOptions
    from answersim.text_tables import Result

DOCUMENTS = (".json", ".md", ".tex")  # the suffixes of files that contain a result; tables contain its rows
FORMATS = {"text": "", "markdown": ".md", "json": ".json", "latex": ".tex"}  # the suffix of a file in each format


def print_table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table in the width of the terminal."""
    print_text(TextTable("", tuple(header), tuple(map(tuple, lines))))


def print_text(table: TextTable) -> None:
    """Print a table with its title and notes in the width of the terminal."""
    for line in text_table(table):
        typer.echo(line)


def print_lines(lines: Iterable[str]) -> None:
    """Print texts of users, with characters that a terminal cannot show as escapes."""
    for line in lines:
        typer.echo(printable(line))


def print_parts(parts: Iterable[Any]) -> None:
    """Print lines and tables, with an empty line before and after each table."""
    before: Any = None
    for part in parts:
        is_table = not isinstance(part, str)
        if before is not None and (is_table or not isinstance(before, str)):
            typer.echo()
        if is_table:
            print_text(part)
        else:
            print_lines([part])
        before = part


def print_tables(tables: Iterable[Any]) -> None:
    """Print the tables of a result, each with its title and its notes."""
    for table in tables:
        print_text(table)
        typer.echo()


def check_format(name: str) -> None:
    """Raise LookupError if this is no format."""
    if name not in FORMATS:
        raise unknown("format", name, tuple(FORMATS))


def check_output(output: Path | None, more: Sequence[str] = ()) -> None:
    """Check before any work that ``write_output`` can write this file. Errors are those of ``files.check_place``.

    ``more``: suffixes of further documents, such as ".html".
    """
    if output is None:
        return
    files.check_place(output, (*DOCUMENTS, *more))
    if not is_document(output, more):
        files.check_writable(output, files.Table(("row",), []))


def is_document(output: Path | None, more: Sequence[str] = ()) -> bool:
    """Return whether the suffix of a file names a document, which contains the result, and not a table of rows."""
    return output is not None and output.suffix.lower() in (*DOCUMENTS, *more)


def documents(found: Result) -> dict[str, Callable[[], str]]:
    """Return the functions that return a result as a document, by suffix."""
    return dict(zip(DOCUMENTS, (found.to_json, found.to_markdown, found.to_latex), strict=True))


def write_output(
    output: Path, forms: Mapping[str, Callable[[], str]], rows: Callable[[], Sequence[Mapping[str, Any]]]
) -> None:
    """Write a result to a file: a document by its suffix, or else a table of rows."""
    if form := forms.get(output.suffix.lower()):
        with files.atomic_write(output) as draft:
            draft.write_text(form(), encoding="utf-8")
        return
    records = rows()
    files.write(
        files.Table(tuple(dict.fromkeys(name for row in records for name in row)), [*map(dict, records)]), output
    )


def show(
    forms: Mapping[str, Callable[[], str]],
    rows: Callable[[], Sequence[Mapping[str, Any]]],
    result: ResultOptions,
    tables: Iterable[Any],
    lines: Iterable[str],
) -> None:
    """Write and print a result. ``forms``: what returns its documents, by suffix; ``rows``: the rows of a table."""
    if result.output is not None:
        write_output(result.output, forms, rows)
    if suffix := FORMATS[result.format]:
        typer.echo(forms[suffix](), nl=False)
    else:
        print_tables(tables)
        print_lines(lines)
