"""``answersim verify``: score a file again with the metric of a signature, and report whether the numbers are equal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.commands.expansion import Use, command
from answersim.commands.options import (
    OF_SYSTEMS,
    SYSTEMS,
    JudgeOptions,
    LabelOptions,
    MetricOptions,
    ReadingOptions,
    RunOptions,
)
from answersim.commands.printing import print_lines


@command
def verify(
    signature: Annotated[str, typer.Argument(metavar="SIGNATURE", help="The line that answersim score prints.")],
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A table with gold answers, predictions and scores, or one per system."),
    ],
    reading: Annotated[ReadingOptions, Use(without=("group",), several=SYSTEMS.several, notes=SYSTEMS.notes)],
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
        LabelOptions,
        Use(
            only=("score",),
            several=("score",),
            notes={"score": f"Default: the name at the start of the signature. {OF_SYSTEMS}"},
        ),
    ],
    judge: Annotated[JudgeOptions, Use(only=("record", "prompt"), notes={"record": "It is replayed."})],
    run: Annotated[RunOptions, Use(only=("progress",))],
    tolerance: Annotated[float, typer.Option(help="The largest difference of scores that count as equal.")] = 1e-5,
) -> None:
    """Verify recorded scores by computing them again.

    The exit status is 0 if they are reproduced, 1 if they differ, and 2 if they could not be computed.
    """
    from answersim.scoring import verification

    data = reading.received(paths)
    reading.columns()
    result = verification.verify(
        signature,
        reading.answers(data),
        labels.score or None,
        tolerance=tolerance,
        lang=metric.lang,
        progress=run.progress,
        **metric.settings([verification.parts(signature)[0]]),
        **({**judge.given, "totals": judge.totals} if judge.given else {}),
    )
    print_lines(result.summary())
    if not result.equal:
        raise typer.Exit(1)
