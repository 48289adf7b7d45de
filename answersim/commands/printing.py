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
    from answersim.commands.options import ResultOptions
    from answersim.text_tables import Result

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


def check_result(output: Path | None, suffixes: Sequence[str]) -> None:
    """Check before any work that a result can be written to this file. ValueError or FileNotFoundError if not."""
    if output is None:
        return
    if output.suffix.lower() not in suffixes:
        raise ValueError(f"{output} has the suffix {output.suffix!r}; a result is written as: {', '.join(suffixes)}")
    if output.is_dir() or not output.resolve().parent.is_dir():
        raise FileNotFoundError(f"{output} cannot be written: it is a folder, or there is no folder to write it in")


def write_result(output: Path, form: Callable[[str], str]) -> None:
    """Write a result to a file. The function returns its text in the form of a suffix, such as ".md"."""
    with files.atomic_write(output) as draft:
        draft.write_text(form(output.suffix.lower()), encoding="utf-8")


def write_by_suffix(found: Result, output: Path) -> None:
    """Write a result in the format that the suffix of the file names: .json, .csv, .md or .tex."""
    forms = {".json": found.to_json, ".md": found.to_markdown, ".tex": found.to_latex}
    if output.suffix.lower() == ".csv":
        write_records(found.records(), output)
    else:
        write_result(output, lambda suffix: forms[suffix]())


def write_records(records: Sequence[dict[str, Any]], output: Path) -> None:
    """Write records with the same keys as a table."""
    files.write(files.Table(tuple(records[0]), list(records)), output)


def show(
    forms: Mapping[str, Callable[[], str]], result: ResultOptions, tables: Iterable[Any], lines: Iterable[str]
) -> None:
    """Write and print a result. ``forms``: the functions that return its text, by suffix."""
    if result.output is not None:
        write_result(result.output, lambda suffix: forms[suffix]())
    if suffix := FORMATS[result.format]:
        typer.echo(forms[suffix](), nl=False)
    else:
        print_tables(tables)
        print_lines(lines)
