"""``answersim calibrate``: learn probabilities and verdicts of a metric from a table with human labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from answersim.commands.expansion import Use, command
from answersim.commands.options import (
    JUDGE,
    OF_SYSTEMS,
    BootstrapOptions,
    JudgeOptions,
    LabelOptions,
    MetricOptions,
    ReadingOptions,
    ResultOptions,
    RunOptions,
    options_of,
    refuse_given,
    systems,
)
from answersim.commands.printing import print_parts
from answersim.io import files

_UNREAD = (
    "gold",
    "pred",
    "question",
    "split_gold",
    "skip_bad",
    "lang",
    "profile",
    "option",
    "extract",
    "extract_gold",
    *JUDGE,
)


@command
def calibrate(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="FILE...", help="A table with labels, or one per system.")],
    reading: Annotated[
        ReadingOptions,
        systems(question="The signature records it."),
    ],
    metric: Annotated[MetricOptions, Use(notes={"metric": "Here, there is no default."})],
    labels: Annotated[
        LabelOptions,
        Use(
            without=("labels",),
            several=("label",),
            defaults={"label": ("label",)},
            notes={
                "label": OF_SYSTEMS,
                "label_from": "Required for grades.",
                "score": "It is calibrated instead of a metric.",
            },
        ),
    ],
    random: Annotated[BootstrapOptions, Use(only=("seed",))],
    result: Annotated[
        ResultOptions, Use(only=("output",), defaults={"output": ...}, notes={"output": "The calibration, as JSON."})
    ],
    judge: JudgeOptions,
    run: RunOptions,
    target: Annotated[float, typer.Option(help="The share of correct verdicts that is promised.")] = 0.95,
    target_different: Annotated[
        float | None, typer.Option(help="The promised share for the verdict 'different', if it differs from --target.")
    ] = None,
    recall: Annotated[float, typer.Option(help="The minimum recall of the threshold for a precision.")] = 0.0,
    curve: Annotated[str, typer.Option(help="The curve: isotonic, logistic or auto.")] = "auto",
) -> None:
    """Learn from labels what scores mean. Write probabilities, thresholds and verdicts to a file."""
    from answersim.calibration.storing import write
    from answersim.calibration.tables import described
    from answersim.evaluation.calibrating import calibrate as fit

    output, name = Path(str(result.output)), metric.one()
    data = reading.received(paths, output)
    if output.suffix.lower() != ".json":
        raise ValueError(f"--output is {output}, but a calibration is a JSON file; give a name that ends in .json")
    files.check_writable(output.with_suffix(".jsonl"), files.Table((), []))
    how: Any = None
    if labels.score:
        refuse_given(context, _UNREAD, "--score supplies the scores; leave it out, or give --metric instead")
    else:
        reading.columns(label=labels.label[0])
        data = reading.answers(data)
    if name is not None:
        how = {"name": name, **metric.place, "options": options_of([name], metric, run, judge)[name]}
    calibration = fit(
        data,
        labels.label,
        how,
        score=labels.score or None,
        group=reading.group if labels.score else None,
        cut=labels.label_from,
        method=curve,
        target=target,
        target_different=target_different,
        recall=recall,
        bootstrap=random.settings,
        metadata={"seed": random.seed},
        progress=run.progress,
        cache=None if name is None else run.store([name]),
    )
    write(calibration, output)
    print_parts(described(calibration))
    if left_out := calibration.metadata["left out"]:
        n = left_out + calibration.provenance.n
        typer.echo(f"{left_out:,} of {n:,} rows have no label and are left out")
    typer.echo(f"calibration: {output}")
