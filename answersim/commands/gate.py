"""``answersim gate``: may a candidate replace the baseline? The exit status gives the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.commands.compare import SCORES, Noise, comparison_settings, metric_name
from answersim.commands.expansion import Use, command
from answersim.commands.options import (
    SYSTEMS,
    BootstrapOptions,
    JudgeOptions,
    LabelOptions,
    MetricOptions,
    ReadingOptions,
    ResultOptions,
    RunOptions,
    VerdictOptions,
    written,
)
from answersim.commands.printing import check_output, documents, write_output


@command
def gate(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="BASELINE CANDIDATE",
            help="The answers of the baseline and of the candidate: two tables with the same ids, or one table with "
            "--pred BASELINE,CANDIDATE. With --min-right, the table of the candidate is enough.",
        ),
    ],
    reading: Annotated[ReadingOptions, SYSTEMS],
    metric: MetricOptions,
    labels: Annotated[LabelOptions, Use(only=("score",), several=("score",), notes={"score": SCORES})],
    verdict: VerdictOptions,
    bootstrap: Annotated[BootstrapOptions, Use(only=("level",))],
    result: Annotated[ResultOptions, Use(only=("output",), notes={"output": written("a row per bar")})],
    judge: JudgeOptions,
    run: RunOptions,
    max_drop: Annotated[
        float | None,
        typer.Option(
            help="The largest acceptable drop: of the share of right answers if they are counted (0.01 is one point), "
            "else of the mean score. Default with a baseline: 0.01."
        ),
    ] = None,
    min_right: Annotated[
        float | None, typer.Option(help="The share of right answers that the candidate must have, such as 0.8.")
    ] = None,
    noise: Noise = None,
) -> None:
    """Decide whether a candidate passes, for CI.

    It passes if it is not worse than a baseline and has enough right answers.

    The exit status is 0 if the candidate passes, 1 if it fails, and 3 if this is undecided. Intervals decide: that of
    the paired difference for --max-drop, and that of the share of right answers for --min-right. With both, both must
    pass. Status 2 reports an error, such as ids that repeat or are missing. A summary in Markdown is printed.
    """
    from answersim.evaluation.gating import gate as decided
    from answersim.evaluation.gating import markdown

    output = result.output
    check_output(output)
    data = reading.received(paths, output)
    settings = comparison_settings(context, metric, labels, verdict, bootstrap, judge, run, noise)
    decision = decided(reading.answers(data), max_drop, min_right=min_right, **settings)
    summary = markdown(decision, metric_name(metric, labels, verdict))
    typer.echo(summary, nl=False)
    if output is not None:
        write_output(output, documents(decision) | {".md": lambda: summary}, decision.records)
    raise typer.Exit(decision.status)
