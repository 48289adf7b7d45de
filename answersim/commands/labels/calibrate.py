"""``answersim calibrate``: learn probabilities and verdicts of a metric from a table with human labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from answersim._base.io import files, output_files
from answersim._base.runtime.option_groups import Later, Use, command, refuse_given
from answersim.calibration.storing import write
from answersim.calibration.wording import described
from answersim.commands import options
from answersim.commands.printing import print_parts
from answersim.evaluation.labels.calibrating import calibrate as fit

_OF_TEXTS = "gold pred question split_gold skip_bad lang profile option extract extract_gold".split()
_UNREAD = (*_OF_TEXTS, *options.JUDGE)  # with --score


@command
def calibrate(
    context: typer.Context,
    paths: Annotated[list[Path], "A table with labels, or one per system."],
    reading: Annotated[options.Reading, options.systems(question="The signature records it.")],
    scoring: Annotated[options.Scoring, Use(metric="Here, there is no default.")],
    labels: Annotated[
        options.Labels,
        Use(
            without="label",
            labels="Default: the column label.",
            label_from="Required for grades.",
            score="It is calibrated instead of a metric.",
        ),
    ],
    random: Annotated[options.Intervals, Use("seed")],
    result: Annotated[options.Result, Use("output", defaults={"output": ...}, output="The calibration, as JSON.")],
    target: Annotated[float, "The precision of the threshold for a precision."] = 0.95,
    curve: Annotated[str, Later("The curve: isotonic, logistic or auto.")] = "auto",
) -> None:
    """Learn from labels what scores mean. Write probabilities and thresholds to a file."""
    output, name = Path(str(result.output)), scoring.one()
    if output.suffix.lower() != ".json":
        raise ValueError(f"--output is {output}, but a calibration is a JSON file; give a name that ends in .json")
    files.check_writable(output.with_suffix(".jsonl"), files.Table((), []))
    allocation: Any = None
    if labels.score:
        refuse_given(context, _UNREAD, "--score supplies the scores; leave it out, or give --metric instead")
    data = reading.received(paths, output) if labels.score else reading.read(paths, output)
    output_files.refuse_overwriting_input(labels.files, output)
    if name is not None:
        allocation = {
            "name": name,
            "lang": scoring.lang,
            "profile": scoring.profile,
            "options": scoring.options_of([name])[name],
        }
    calibration = fit(
        data,
        labels.given or "label",
        allocation,
        score=labels.score or None,
        group=reading.group if labels.score else None,
        cut=labels.label_from,
        method=curve,
        target=target,
        bootstrap=random.settings,
        metadata={"seed": random.seed},
        progress=scoring.progress,
        cache=scoring.cache,
    )
    write(calibration, output)
    print_parts(described(calibration))
    if left_out := calibration.metadata["left out"]:
        n = left_out + calibration.provenance.n
        typer.echo(f"{left_out:,} of {n:,} rows have no label and are left out")
    typer.echo(f"calibration: {output}")
