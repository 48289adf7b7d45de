"""What commands print, and the files that they write."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from answersim._base.errors import unknown
from answersim._base.io import files, output_files
from answersim._base.runtime.option_groups import flag_of, is_given
from answersim._base.runtime.terminal import text_table
from answersim._base.text_tables import json_text, latex_escaped, printable
from answersim.evaluation.report.page import check_page, write_report
from answersim.metrics.checkpoints.search import sha256

if TYPE_CHECKING:
    from answersim._base.text_tables import Result
    from answersim.commands.options import Result as ResultOptions
    from answersim.evaluation.comparison.gating import Decision

DOCUMENTS = (".json", ".md", ".tex")  # the suffixes of files that contain a result; tables contain its rows
FORMATS = {"text": "", "markdown": ".md", "json": ".json", "latex": ".tex"}  # the suffix of a file in each format


def print_lines(lines: Iterable[str]) -> None:
    """Print texts of users, with characters that a terminal cannot show as escapes."""
    for line in lines:
        typer.echo(printable(line))


def print_parts(parts: Iterable[Any]) -> None:
    """Print lines, and tables in the width of the terminal, with an empty line before and after each table."""
    before: Any = None
    for piece in parts:
        is_table = not isinstance(piece, str)
        if before is not None and (is_table or not isinstance(before, str)):
            typer.echo()
        if is_table:
            typer.echo("\n".join(text_table(piece)))
        else:
            print_lines([piece])
        before = piece


def check_output(result: ResultOptions) -> None:
    """Check before any work that ``show`` and ``write_page`` can use a result."""
    if result.format not in FORMATS:
        raise unknown("format", result.format, tuple(FORMATS))
    if result.report is not None:
        check_page(result.report)
    if result.output is None:
        return
    output_files.check_place(result.output, DOCUMENTS)
    if not is_document(result.output):
        files.check_writable(result.output, files.Table(("row",), []))


def write_page(outcome: Result, context: typer.Context, result: ResultOptions, files_read: Sequence[Path] = ()) -> None:
    """Write a result as an HTML page if ``--report`` names one, with the command line and the SHA-256 of the files."""
    if result.report is None:
        return
    hashes = {f"SHA-256 of {path.name}": sha256(path) for path in files_read}
    typer.echo(write_report(outcome, result.report, command=_command_line(context), metadata=hashes), err=True)


def _command_line(context: typer.Context) -> str:
    """Return the command line for the same page, without places of this machine and options that have their default."""
    paths = context.params.get("paths") or context.params.get("metrics") or ()
    words = ["answersim", str(context.info_name), *map(str, paths)]
    for parameter in context.command.params:
        name, value = str(parameter.name), context.params.get(str(parameter.name))
        if parameter.param_type_name != "option" or name in _OF_MACHINE or not is_given(context, name):
            continue
        if isinstance(value, bool):
            words.append(flag_of(context, name) if value else parameter.secondary_opts[0])
        else:
            values = value if isinstance(value, (list, tuple)) else [value]
            words += [word for item in values for word in (flag_of(context, name), str(item))]
    return shlex.join(words)


_OF_MACHINE = ("output", "cache", "progress", "base_url", "record", "encoding", "delimiter")


def is_document(output: Path | None) -> bool:
    """Return whether the suffix of a file names a document, which contains the result, and not a table of rows."""
    return output is not None and output.suffix.lower() in DOCUMENTS


def show(
    outcome: Result,
    result: ResultOptions,
    parts: Iterable[Any],
    forms: Mapping[str, Callable[[], str]] | None = None,
    rows: Callable[[], Sequence[Mapping[str, Any]]] | None = None,
    decision: Decision | None = None,
) -> None:
    """Write a result if a file is named, a document or a table of rows, and print it as lines and tables or a document.

    ``forms``: functions that return other documents than those of the result, by suffix. ``rows``: the rows of a table,
    if they are not its records. ``decision``: that of a gate, which is on top of each document.
    """
    documents, output = _documents(outcome, forms, decision), result.output
    if output is not None and (form := documents.get(output.suffix.lower())):
        with output_files.atomic_write(output) as draft:
            draft.write_text(form(), encoding="utf-8")
    elif output is not None:
        records = (rows or outcome.records)()
        names = tuple(dict.fromkeys(name for row in records for name in row))
        files.write(files.Table(names, [*map(dict, records)]), output)
    if suffix := FORMATS[result.format]:
        typer.echo(documents[suffix](), nl=False)
    else:
        print_parts(parts)


def _documents(
    outcome: Result, forms: Mapping[str, Callable[[], str]] | None, decision: Decision | None
) -> dict[str, Callable[[], str]]:
    documents = dict(zip(DOCUMENTS, (outcome.to_json, outcome.to_markdown, outcome.to_latex), strict=True))
    documents |= forms or {}
    if decision is None:
        return documents
    short = {name: value for name, value in decision.to_dict().items() if name != "comparison"}
    return documents | {
        ".json": lambda: json_text(json.loads(documents[".json"]()) | {"gate": short}),
        ".md": lambda: f"{decision.headline()}\n{documents['.md']()}",
        ".tex": lambda: f"{latex_escaped(str(decision))}\\\\\n\n{documents['.tex']()}",
    }


def end_with(decision: Decision | None, result: ResultOptions) -> None:
    """Print the decision of a gate below a text, and end the command with its exit status."""
    if decision is not None:
        if result.format == "text":
            print_parts(["", f"gate {decision}"])
        raise typer.Exit(decision.status)
