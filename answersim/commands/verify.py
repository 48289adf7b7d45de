"""``answersim verify``: score a file again with the metric of a signature, and report whether the numbers are equal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.commands.judging import PromptName
from answersim.commands.shared import Delimiter, Encoding, setting
from answersim.io import files
from answersim.io.detection import read_options
from answersim.runtime.cli_errors import user_errors


def verify(
    signature: Annotated[str, typer.Argument(metavar="SIGNATURE", help="The line that answersim score prints.")],
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table with gold answers, predictions and scores.")],
    score: Annotated[
        str | None, typer.Option(help="The column of scores; by default, the name at the start of the signature.")
    ] = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Annotated[str, typer.Option(help="The column of predictions.")] = "pred",
    question: Annotated[str | None, typer.Option(help="The column of questions, if the metric read them.")] = None,
    split_gold: Annotated[
        str | None, typer.Option(help="A separator between several references in one gold value.")
    ] = None,
    lang: Annotated[str | None, typer.Option(help="The language, if the signature does not contain it.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", help="A setting NAME=VALUE that a signature does not contain: model, adapter, baseline."
        ),
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="For a judge: the record of its replies, which are replayed.")
    ] = None,
    prompt: PromptName = None,
    tolerance: Annotated[float, typer.Option(help="The largest difference that counts as equal.")] = 1e-5,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    progress: Annotated[bool, typer.Option(help="Show progress bars on a terminal.")] = True,
) -> None:
    """Verify recorded scores by computing them again.

    The exit status is 0 if they are reproduced, 1 if they differ, and 2 if they could not be computed.
    """
    with user_errors(), read_options(encoding, delimiter):
        path = files.buffer_stdin(path)
        from answersim.scoring import verification

        files.check_distinct_columns(**{"--gold": gold, "--pred": pred, "--question": question})
        if split_gold == "":
            raise ValueError("--split-gold is empty; give the text that separates references, such as '|'")
        opens, _ = verification.parts(signature)
        table = files.read(path)
        golds, preds = table.answers(gold, path, several=True), table.answers(pred, path)
        golds = files.split_references(golds, split_gold, path)
        column = score or opens
        if column not in table.columns:
            columns = ", ".join(table.columns)
            raise LookupError(
                f"{path} has no column {column!r}; name the column of the scores with --score. Known: {columns}"
            )
        recorded = [_number(row.get(column), column, path, i) for i, row in enumerate(table.rows, start=1)]
        result = verification.verify(
            signature,
            golds,
            preds,
            recorded,
            question=None if question is None else table.answers(question, path),
            tolerance=tolerance,
            lang=lang,
            progress=progress,
            **dict(setting(item) for item in option or []),
            **({} if record is None else {"record": str(record)}),
            **({} if prompt is None else {"prompt": prompt}),
        )
        for line in result.summary():
            typer.echo(line)
    if not result.equal:
        raise typer.Exit(1)


def _number(value: object, column: str, path: Path, row: int) -> float:
    try:
        return float(value)  # type: ignore[arg-type] # the error is reported below
    except (TypeError, ValueError):
        raise ValueError(f"{path}, row {row}: {column} is {value!r}, but a recorded score is a number") from None
