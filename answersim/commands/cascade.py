"""``answersim cascade``: choose the cuts of a cascade from labels, with a stated risk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.catalog import lookup
from answersim.commands.expansion import Use, command
from answersim.commands.options import (
    OF_SYSTEMS,
    JudgeOptions,
    LabelOptions,
    MetricOptions,
    ReadingOptions,
    ResultOptions,
    RunOptions,
    options_of,
    systems,
    written,
)
from answersim.commands.printing import check_output, documents, print_parts, write_output

if TYPE_CHECKING:
    from answersim.evaluation.cascades import CascadeFit


@command
def cascade(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="A table of answers with human labels, or one per system.")
    ],
    reading: Annotated[
        ReadingOptions,
        ResultOptions,
        systems(question="Questions are groups, too."),
    ],
    metric: Annotated[
        MetricOptions, Use(without=("metric",), notes={"option": "Such as stages=NAMES of the cascade."})
    ],
    labels: Annotated[
        LabelOptions,
        Use(
            only=("label",),
            several=("label",),
            notes={"label": f"0 or 1. By default, the verdicts of the last stage count as labels. {OF_SYSTEMS}"},
        ),
    ],
    result: Annotated[ResultOptions, Use(only=("output",), notes={"output": written("a row per tested cut")})],
    judge: JudgeOptions,
    run: RunOptions,
    risk: Annotated[float, typer.Option(help="The largest share of errors that the cascade may add.")] = 0.01,
    confidence: Annotated[float, typer.Option(help="The confidence that the cascade adds no more errors.")] = 0.95,
    exact: Annotated[
        bool, typer.Option("--exact", help="Count each group as one answer, so that the bound is not an approximation.")
    ] = False,
) -> None:
    """Choose from labels where the stages of a cascade decide. The fast stages then add few errors to the last one."""
    from answersim.evaluation.cascades import fit_cascade

    check_output(result.output)
    data, label = reading.received(paths, result.output), (labels.label[0] if labels.label else None)
    reading.columns(label=label)
    settings = metric.settings([lookup.CASCADE])
    if fixed := [name for name in ("low", "high") if name in settings]:
        raise ValueError(f"--option {fixed[0]} is given, but this command chooses it; leave it out")
    options = options_of([lookup.CASCADE], metric, run, judge)[lookup.CASCADE]
    built = lookup.metric(lookup.CASCADE, **metric.place, **options)
    fit = fit_cascade(
        built,
        reading.answers(data),
        labels.label or None,
        risk=risk,
        confidence=confidence,
        exact=exact,
        progress=run.progress,
        cache=run.store([lookup.CASCADE]),
    )
    _print(fit, settings, judge.given | metric.extraction)
    if result.output is not None:
        write_output(result.output, documents(fit), fit.records)


def _print(fit: CascadeFit, settings: dict[str, Any], options: dict[str, Any]) -> None:
    """Print the cuts that were tested, the result, and how to use it."""
    print_parts([*fit.tables(), *fit.summary(), f"signature: {fit.metric.signature}"])
    given = settings | {"low": fit.chosen.low, "high": fit.chosen.high}
    words = " ".join(f"--option {name}={value}" for name, value in given.items())
    for name, value in options.items():
        words += f" --{name.replace('_', '-')}" + ("" if value is True else f" {value}")
    typer.echo(f"to score with these cuts: answersim score FILE -m cascade {words}")
