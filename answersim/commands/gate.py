"""``answersim gate``: may a candidate replace the baseline? The exit status gives the answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.commands.compare import SCORES, Noise, compared, metric_name
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
    options_of,
)
from answersim.commands.printing import check_result, write_result
from answersim.io import files
from answersim.text_tables import json_values

if TYPE_CHECKING:
    from answersim.evaluation.gating import Decision

SUFFIXES = (".json", ".md")


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
    result: Annotated[
        ResultOptions, Use(only=("output",), notes={"output": "The decision: .json, or .md (the summary)."})
    ],
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
    from answersim.evaluation.gating import gate_tables, markdown

    output = result.output
    check_result(output, SUFFIXES)
    data = reading.received(paths, output)
    ids: list[str] = []
    if len(paths) == 1 and len(reading.pred) < 2:
        if min_right is None or max_drop is not None:
            raise ValueError(
                "one table with one column of predictions is given, so there is no baseline; give a second table or "
                "--pred BASELINE,CANDIDATE, or --min-right alone"
            )
        decision = _alone(data, reading, metric, labels, verdict, bootstrap, judge, run, min_right)
    else:
        found = compared(context, data, reading, metric, labels, verdict, judge, run, noise, bootstrap.level)
        decision = gate_tables(found, max_drop=max_drop, min_right=min_right, scores=bool(labels.score))
        ids = found.answers.ids
    summary = markdown(decision, metric_name(metric, labels, verdict))
    typer.echo(summary, nl=False)
    if output is not None:
        numbers = files.to_json(json_values(_record(decision, ids))) + "\n"
        write_result(output, lambda suffix: numbers if suffix == ".json" else summary)
    raise typer.Exit(decision.status)


def _alone(
    data: Any,
    reading: ReadingOptions,
    metric: MetricOptions,
    labels: LabelOptions,
    verdict: VerdictOptions,
    bootstrap: BootstrapOptions,
    judge: JudgeOptions,
    run: RunOptions,
    min_right: float,
) -> Decision:
    """Return the decision on a candidate without a baseline."""
    from answersim.evaluation.gating import gate as decide
    from answersim.evaluation.systems import evaluate

    if labels.score:
        raise ValueError("--score needs a baseline too; give a second table, or a metric")
    name = metric_name(metric, labels, verdict)
    found = evaluate(
        reading.answers(data),
        metric.one(),
        **verdict.rule,
        **metric.place,
        level=bootstrap.level,
        cache=run.store([name]),
        progress=run.progress,
        listed=0,
        **options_of([name], metric, run, judge)[name],
    )
    return decide(found, min_right=min_right)


def _record(decision: Decision, ids: list[str]) -> dict[str, Any]:
    """Return the decision as JSON values."""
    found = decision.comparison
    content = {
        "status": decision.status,
        "verdict": decision.verdict,
        "reason": decision.reason,
        "bars": [bar._asdict() for bar in decision.bars],
        "candidate": decision.candidate,
        "share": decision.share,
        "counting": decision.counting,
    }
    if found is None:
        return content
    numbers = {name: value for name, value in found.to_dict().items() if name != "labeled"}
    return content | numbers | {"changed": [row._asdict() | {"id": ids[row.row]} for row in found.changed]}
