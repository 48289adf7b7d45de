"""What the benchmark commands share: options, names between commas, and how the result is printed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import typer

from answersim._base.errors import unknown
from benchmarks.tables import Format, Table, render, save

FORM: Format = typer.Option(Format.text, "--format", help="The format of the tables.")
OUTPUT: Path | None = typer.Option(None, "-o", "--output", help="A file to write to, instead of the terminal.")
FOLDER: Path | None = typer.Option(None, help="The folder that contains sas/; the default is $ANSWERSIM_DATA.")


def program(main: Callable[..., None] | None = None, description: str | None = None) -> typer.Typer:
    """Return a program with this one command, or without commands."""
    app = typer.Typer(help=description, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    if main is not None:
        app.command()(main)
    return app


def run_program(main: Callable[..., None]) -> None:
    """Run the one command of a module that was started by ``python -m``."""
    module = main.__globals__["__spec__"].name.removesuffix(".__main__")
    program(main)(prog_name=f"python -m {module}")


def chosen(kind: str, names: str, known: Collection[str]) -> list[str]:
    """Return the names in a list with commas, each once, in order. Raise LookupError if a name is not known.

    >>> chosen("metric", "f1, em,f1", ("em", "f1"))
    ['f1', 'em']
    """
    found = list(dict.fromkeys(name.strip() for name in names.split(",")))
    for name in found:
        if name not in known:
            raise unknown(kind, name, known)
    return found


def names_in(text: str) -> list[str]:
    """Return the names between commas, each once, in order.

    >>> names_in("f1, em,,f1")
    ['f1', 'em']
    """
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def check_folder(path: Path | None, option: str = "--output") -> None:
    """Raise FileNotFoundError if there is no folder to write this file into."""
    if path is not None and not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"{option} is {path}, but there is no folder {path.absolute().parent}")


def write_out(shown: str, output: Path | None) -> None:
    """Write a text to this file, or print it if there is none."""
    if output is None:
        sys.stdout.write(shown)
    else:
        save(shown, output)


def show(tables: Sequence[Table], rows: Sequence[Any], form: Format, output: Path | None) -> None:
    """Write or print the tables in this format. JSON has the rows instead, which are named tuples."""
    write_out(render(tables, [row._asdict() for row in rows], form.value), output)
