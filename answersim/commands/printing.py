"""What commands print, and the files that they write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from answersim.errors import unknown
from answersim.io import files
from answersim.text_tables import printable

if TYPE_CHECKING:
    from answersim.commands.options import Result as ResultOptions
    from answersim.text_tables import Result

FORMATS = {"text": "", "markdown": ".md", "json": ".json", "latex": ".tex"}  # the suffix of a file in each format


def print_table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table. Without a terminal, it is as wide as necessary and lines have no white space at the end."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(*header, box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for row in lines:
        table.add_row(*row)
    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_terminal:
        console.print(table)
        return
    console = Console(highlight=False, markup=False, emoji=False, width=200)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        typer.echo(line.rstrip())


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
            print_lines([part.title] if part.title else [])
            print_table([*map(printable, part.header)], [[*map(printable, row)] for row in part.rows])
        else:
            print_lines([part])
        before = part


def print_tables(tables: Iterable[Any]) -> None:
    """Print the tables of a result, each with its title and its notes."""
    for table in tables:
        print_lines([table.title] if table.title else [])
        print_table([*map(printable, table.header)], [[*map(printable, row)] for row in table.rows])
        print_lines(getattr(table, "notes", ()))
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


def forms_of(found: Result) -> dict[str, Callable[[], str]]:
    """Return the functions that return the text of a result, by suffix."""
    return {".json": found.to_json, ".md": found.to_markdown, ".tex": found.to_latex}


def write_by_suffix(found: Result, output: Path) -> None:
    """Write a result in the format that the suffix of the file names: .json, .csv, .md or .tex."""
    if output.suffix.lower() == ".csv":
        write_records(found.records(), output)
    else:
        write_result(output, lambda suffix: forms_of(found)[suffix]())


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
