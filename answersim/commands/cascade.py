"""``answersim cascade``: choose the cuts of a cascade from labels, with a stated risk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.catalog import lookup
from answersim.commands import options
from answersim.commands.printing import check_output, show
from answersim.runtime.option_groups import Use, command


@command
def cascade(
    paths: Annotated[list[Path], "A table of answers with human labels, or one per system."],
    reading: Annotated[options.Reading, options.systems(question="Questions are groups, too.")],
    scoring: Annotated[options.Scoring, Use(without="metric", option="Such as stages=NAMES of the cascade.")],
    labels: Annotated[
        options.Labels,
        Use(
            "label",
            several="label",
            label=f"0 or 1. By default, the verdicts of the last stage count as labels. {options.OF_SYSTEMS}",
        ),
    ],
    result: Annotated[options.Result, Use("output", output=options.written("a row per tested cut"))],
    risk: Annotated[float, "The largest share of errors that the cascade may add."] = 0.01,
    confidence: Annotated[float, "The confidence that the cascade adds no more errors."] = 0.95,
    exact: Annotated[bool, "Count each group as one answer, so that the bound is not an approximation."] = False,
) -> None:
    """Choose from labels where the stages of a cascade decide. The fast stages then add few errors to the last one."""
    from answersim.evaluation.cascades import fit_cascade

    check_output(result)
    answers = reading.read(paths, result.output)
    settings = scoring.settings([lookup.CASCADE])
    if fixed := [name for name in ("low", "high") if name in settings]:
        raise ValueError(f"--option {fixed[0]} is given, but this command chooses it; leave it out")
    how = scoring.of_one(lookup.CASCADE)
    fit = fit_cascade(
        how.pop("metric")[lookup.CASCADE],
        answers,
        labels.label or None,
        risk=risk,
        confidence=confidence,
        exact=exact,
        **how,
    )
    show(fit, result, [*fit.tables(), *fit.summary(), f"signature: {fit.metric.signature}"])
    given = settings | {"low": fit.chosen.low, "high": fit.chosen.high}
    words = " ".join(f"--option {name}={value}" for name, value in given.items())
    for name, value in (scoring.of_judge | scoring.extraction).items():
        words += f" --{name.replace('_', '-')}" + ("" if value is True else f" {value}")
    typer.echo(f"to score with these cuts: answersim score FILE -m cascade {words}")
