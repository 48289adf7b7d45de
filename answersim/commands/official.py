"""``answersim official``: the definitions of benchmarks side by side, or the list of all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.commands.shared import (
    Delimiter,
    Encoding,
    IdColumn,
    Preds,
    Question,
    References,
    SkipBad,
    SplitGold,
    check_result,
    listed,
    print_table,
    write_result,
)
from answersim.io import files
from answersim.runtime.cli_errors import user_errors
from answersim.text_tables import printable

LIST = "list"
SUFFIXES = (".json", ".md")


def official(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE...|list", help="A table, or one table per system; or the word list.")
    ],
    profiles: Annotated[
        list[str] | None, typer.Option(help="Profiles, separated by commas, or all. Default: the usual three words.")
    ] = None,
    pred: Preds = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    question: Question = None,
    id_column: IdColumn = None,
    references: References = None,
    split_gold: SplitGold = None,
    skip_bad: SkipBad = False,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write all numbers here: .json or .md.")] = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
) -> None:
    """Score answers as benchmarks do, side by side.

    A sentence names two definitions of one word that disagree by more than their intervals. The word 'list' in place of
    a file lists all profiles.
    """
    with user_errors():
        if [str(path) for path in paths] == [LIST]:
            _list()
            return
        from answersim.evaluation.official_tables import official_table

        check_result(output, SUFFIXES)
        read = [files.buffer_stdin(path) for path in paths]
        files.refuse_overwriting_input([*read, references], output)
        found = official_table(
            read if len(read) > 1 else read[0],
            pred=listed(pred) or "pred",
            gold=gold,
            question=question,
            id=id_column,
            references=None if references is None else files.buffer_stdin(references),
            split_gold=split_gold,
            profiles=listed(profiles) or None,
            skip_bad=skip_bad,
            encoding=encoding,
            delimiter=delimiter,
            level=level,
        )
        for line in found.summary():
            typer.echo(printable(line))
        for table in found.tables():
            typer.echo()
            typer.echo(printable(table.title))
            print_table([*map(printable, table.header)], [[*map(printable, row)] for row in table.rows])
        if output is not None:
            write_result(output, lambda suffix: found.to_json() if suffix == ".json" else found.to_markdown())


def _list() -> None:
    from answersim.official.registry import PROFILES

    print_table(
        ("profile", "benchmark", "owner", "commit", "license", "input", "numbers"),
        [
            (name, found.benchmark, found.source, found.commit, found.license, found.input, ", ".join(found.parts))
            for name, found in PROFILES.items()
        ],
    )
