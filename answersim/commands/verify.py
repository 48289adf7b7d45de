"""``answersim verify``: score a file again with the metric of a signature, and report whether the numbers are equal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.commands.columns import answers
from answersim.commands.expansion import Use, command
from answersim.commands.options import (
    ONE_SYSTEM,
    JudgeOptions,
    LabelOptions,
    MetricOptions,
    ReadingOptions,
    RunOptions,
)
from answersim.io import files


@command
def verify(
    signature: Annotated[str, typer.Argument(metavar="SIGNATURE", help="The line that answersim score prints.")],
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table with gold answers, predictions and scores.")],
    reading: Annotated[ReadingOptions, ONE_SYSTEM],
    metric: Annotated[
        MetricOptions,
        Use(
            only=("lang", "option"),
            defaults={"lang": None},
            notes={
                "lang": "It is needed if the signature does not contain it.",
                "option": "Such as model, adapter or baseline, which a signature does not contain.",
            },
        ),
    ],
    labels: Annotated[
        LabelOptions, Use(only=("score",), notes={"score": "Default: the name at the start of the signature."})
    ],
    judge: Annotated[JudgeOptions, Use(only=("record", "prompt"), notes={"record": "It is replayed."})],
    run: Annotated[RunOptions, Use(only=("progress",))],
    tolerance: Annotated[float, typer.Option(help="The largest difference of scores that count as equal.")] = 1e-5,
) -> None:
    """Verify recorded scores by computing them again.

    The exit status is 0 if they are reproduced, 1 if they differ, and 2 if they could not be computed.
    """
    from answersim.scoring import verification

    path = files.buffer_stdin(path)
    reading.columns()
    opens, _ = verification.parts(signature)
    table = files.read(path)
    golds, preds, questions = answers(table, path, reading)
    column = labels.score[0] if labels.score else opens
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
        question=questions,
        tolerance=tolerance,
        lang=metric.lang,
        progress=run.progress,
        **metric.settings([opens]),
        **judge.given,
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
