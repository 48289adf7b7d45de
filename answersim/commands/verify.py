"""``answersim verify``: score a file again with the metric of a signature, and report whether the numbers are equal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.commands import options
from answersim.commands.printing import print_lines
from answersim.runtime.option_groups import Use, command


@command
def verify(
    signature: Annotated[str, "The line that answersim score prints."],
    paths: Annotated[list[Path], "A table with gold answers, predictions and scores, or one per system."],
    reading: Annotated[options.Reading, options.systems("group")],
    scoring: Annotated[
        options.Scoring,
        Use(
            "lang option record prompt progress",
            defaults={"lang": None},
            lang="It is needed if the signature does not contain it.",
            option="Such as model, adapter or baseline, which a signature does not contain.",
            record="It is replayed.",
        ),
    ],
    labels: Annotated[
        options.Labels,
        Use("score", several="score", score=f"Default: the name at the start of the signature. {options.OF_SYSTEMS}"),
    ],
    tolerance: Annotated[float, "The largest difference of scores that count as equal."] = 1e-5,
) -> None:
    """Verify recorded scores by computing them again.

    The exit status is 0 if they are reproduced, 1 if they differ, and 2 if they could not be computed.
    """
    from answersim.scoring import verification

    result = verification.verify(
        signature,
        reading.read(paths),
        labels.score or None,
        tolerance=tolerance,
        lang=scoring.lang,
        progress=scoring.progress,
        **scoring.settings([verification.parts(signature)[0]]),
        **({**scoring.of_judge, "totals": scoring.totals} if scoring.of_judge else {}),
    )
    print_lines(result.summary())
    if not result.equal:
        raise typer.Exit(1)
