"""What the commands share: options with the same meaning, how answers are read from files, how a table is shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from answersim import files

Language = Annotated[str, typer.Option(help="Language of the answers, an ISO 639-1 code.")]
Profile = Annotated[
    str | None, typer.Option(help="Weights and words behind the names: embedded (default) or paper; squad for words.")
]


def answers(path: Path, pred_path: Path | None, gold: str, pred: str) -> tuple[files.Table, list[Any], list[Any]]:
    """The table, its gold answers and its predictions."""
    if pred_path is None:
        table = files.read(path)
        return table, table.answers(gold, path, several=True), table.answers(pred, path)
    for each in (path, pred_path):
        if each.suffix.lower() in files.READABLE:
            raise ValueError(f"{each} is a table, but two files are read as plain lines; give one table alone")
    golds, preds = files.read_lines(path), files.read_lines(pred_path)
    if len(golds) != len(preds):
        raise ValueError(f"{path} has {len(golds)} lines and {pred_path} has {len(preds)}; they must correspond")
    if gold == pred:
        raise ValueError(f"--gold and --pred are both {gold!r}, but the two files make two columns")
    rows = [{gold: one, pred: other} for one, other in zip(golds, preds, strict=True)]
    return files.Table((gold, pred), rows), golds, preds


def questions_of(table: files.Table, path: Path, pred_path: Path | None, column: str | None) -> list[str] | None:
    """The questions in this column of the table, or None where none is named."""
    if column is None:
        return None
    if pred_path is not None:
        raise ValueError("--question names a column of a table, but two files of plain lines have none; give one table")
    return table.answers(column, path)


def setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE -> the name and the value: a whole number, a decimal number, or text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ValueError(f"--option {text!r} is no setting; write NAME=VALUE, for example layer=3")
    if name in ("lang", "profile"):
        raise ValueError(f"--option {text!r} has an option of its own: --{name} {value}")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def print_table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """A table on the terminal; as wide as it needs, and without white space at its ends, where there is no terminal."""
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
