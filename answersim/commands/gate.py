"""``answersim gate``: may a candidate replace the baseline? The exit status gives the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.commands import options
from answersim.commands.compare import SCORES, Noise, comparison_settings
from answersim.commands.printing import check_output, write
from answersim.runtime.option_groups import Use, command


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
    reading: Annotated[options.Reading, options.SYSTEMS],
    scoring: options.Scoring,
    labels: Annotated[options.Labels, Use("score", several="score", score=SCORES)],
    verdict: options.Verdict,
    intervals: Annotated[options.Intervals, Use("level")],
    result: Annotated[options.Result, Use("output", output=options.written("a row per bar"))],
    max_drop: Annotated[
        float | None,
        "The largest acceptable drop: of the share of right answers if they are counted (0.01 is one point), "
        "else of the mean score. Default with a baseline: 0.01.",
    ] = None,
    min_right: Annotated[float | None, "The share of right answers that the candidate must have, such as 0.8."] = None,
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

    check_output(result)
    answers = reading.read(paths, result.output)
    settings = comparison_settings(context, scoring, labels, verdict, intervals, noise)
    decision = decided(answers, max_drop, min_right=min_right, **settings)
    summary = markdown(decision, ", ".join(labels.score) or scoring.name_for(verdict))
    typer.echo(summary, nl=False)
    write(decision, result.output, {".md": lambda: summary})
    raise typer.Exit(decision.status)
