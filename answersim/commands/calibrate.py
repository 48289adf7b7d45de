"""``answersim calibrate``: learn probabilities and verdicts of a metric from a table with human labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.catalog import lookup
from answersim.commands.calibrated import print_calibration
from answersim.commands.columns import labeled, print_left_out, scored
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
    without_places,
)
from answersim.io import files
from answersim.signature import column_signature

if TYPE_CHECKING:
    from answersim.answers.stacked import StackedAnswers

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
    from answersim.calibration.fitting import calibrate as fit
    from answersim.calibration.storing import write

    output, label = Path(str(result.output)), labels.label[0]
    data = reading.received(paths, output)
    name, column = metric.one(), labels.score[0] if labels.score else None
    _check(context, output, reading, name, column, labels.label)
    rows = reading.stacked(data, labels.label, labels.score)
    answers, grades = labeled(rows, label, "a calibration")
    left_out = len(rows.numbers) - len(grades)
    options = options_of([name] if name else [], metric, run, judge)
    if column is not None:
        scores: Any = answers.numbers_in(column)
        how, signature = {"column": column}, column_signature(column)
    else:
        scores, how = _scores(answers, str(name), options[str(name)], metric, run)
        signature = scores.signature
    calibration = fit(
        scores,
        grades,
        cut=labels.label_from,
        groups=answers.groups,
        signature=signature,
        method=curve,  # type: ignore[arg-type] # checked there
        target=target,
        target_different=target_different,
        recall=recall,
        rng=random.seed,
        metric=how,
        metadata={"file": answers.path.name, "label": label, "left out": left_out, "seed": random.seed},
    )
    write(calibration, output)
    print_calibration(calibration)
    print_left_out(grades, len(rows.numbers))
    typer.echo(f"calibration: {output}")


def _check(
    context: typer.Context,
    output: Path,
    reading: ReadingOptions,
    name: str | None,
    column: str | None,
    label: Sequence[str],
) -> None:
    """Check the options and the output before any work."""
    if (name is None) == (column is None):
        raise ValueError("give either --metric, to score the answers, or --score, to use existing scores")
    if column is not None:
        refuse_given(context, _UNREAD, "--score supplies the scores; leave it out, or give --metric instead")
    if output.suffix.lower() != ".json":
        raise ValueError(f"--output is {output}, but a calibration is a JSON file; give a name that ends in .json")
    files.check_writable(output.with_suffix(".jsonl"), files.Table((), []))
    if column is not None:
        files.check_distinct_columns(**{"--label": label[0], "--score": column})
    else:
        reading.columns(label=label[0])
    if reading.group in (*label, column) and reading.group is not None:
        raise ValueError(
            f"--group is the column {reading.group!r}, which contains labels or scores; name the column of what pairs "
            f"have in common, such as the question"
        )


def _scores(
    answers: StackedAnswers,
    name: str,
    options: dict[str, Any],
    metric: MetricOptions,
    run: RunOptions,
) -> tuple[Any, dict[str, Any]]:
    """Return the scores of a metric, and how it is built, as the calibration records it."""
    unsigned = {option: value for option, value in options.items() if option in ("device", "batch_tokens")}
    how: dict[str, Any] = {"name": name, **metric.place}
    how["options"] = {option: value for option, value in options.items() if option not in unsigned}
    scores = scored(answers, how, unsigned, run)
    if lookup.calls_service(name):
        how["options"] = without_places(how["options"])
    return scores, how
