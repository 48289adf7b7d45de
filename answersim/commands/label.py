"""``answersim label``: draw rows, label them, and estimate the share of correct answers from the labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from answersim.commands import options
from answersim.commands.printing import print_lines
from answersim.io import files, output_files
from answersim.runtime.option_groups import OptionGroup, Use, command, is_given, option, refuse_given

_READ = "With --read."


@dataclass(frozen=True)
class SampleOptions(OptionGroup):
    """Which rows are drawn."""

    heading: ClassVar[str] = "Sample"

    rows_of: Path | None = option(
        None, "Label the same questions as this sheet of another system, for 'compare'.", is_first=False
    )
    allocation: str = option(
        "proportional", "proportional: the same share of each stratum; equal: as many rows of each.", is_first=False
    )
    strata: int = option(5, "The number of strata, by score.", is_first=False)


@command
def label(
    context: typer.Context,
    path: Annotated[Path, "A table of answers."],
    reading: Annotated[
        options.Reading, Use(without="references", id="The sheet shows it to the annotator.", group=_READ)
    ],
    scoring: options.Scoring,
    labels: Annotated[options.Labels, Use("score", score="It replaces a metric.")],
    verdict: options.Verdict,
    intervals: Annotated[options.Intervals, Use("level seed")],
    result: Annotated[
        options.Result,
        Use(
            "rows output",
            defaults={"rows": 100},
            rows="Rows to label.",
            output="With --read: the table with its labels.",
        ),
    ],
    sample: SampleOptions,
    sheet: Annotated[Path | None, "The sheet with the rows to label. Default: FILE.labels.csv."] = None,
    ask: Annotated[bool, "Label on this terminal. A later call resumes."] = False,
    read: Annotated[bool, "Read the sheet back and estimate the share."] = False,
) -> None:
    """Draw rows to label by hand, and estimate a share from them.

    The rows are shuffled and show neither scores nor verdicts. Label them here with --ask, or in a spreadsheet. Then
    read them back with --read.
    """
    from answersim.evaluation.asking import ask_on_terminal
    from answersim.evaluation.few_labels import label as draw

    if ask and read:
        raise ValueError("--ask and --read are both given; label first, then read the sheet")
    if not read:
        refuse_given(context, ("output", "group", "level"), "it is for --read; leave it out, or give --read")
    column = labels.score[0] if labels.score else None
    if column is not None:
        unread = ("metric", "option", "extract", "extract_gold")
        refuse_given(context, unread, "--score names a column of given scores; leave one of them out")
    target = sheet or path.with_suffix(".labels.csv")
    how: dict[str, Any] = {"score": column, "progress": scoring.progress}
    if column is None and sample.rows_of is None:
        how |= scoring.of_one(scoring.name_for(verdict))
    drawing: dict[str, Any] = {"rows": result.rows, "allocation": sample.allocation, "strata": sample.strata}
    given = {name: value for name, value in drawing.items() if is_given(context, name)}
    given |= {"rng": intervals.seed} if is_given(context, "seed") else {}
    if read:
        _estimate(path, target, reading, how, given, verdict, intervals, result.output)
        return
    drawn = draw(replace(reading, group=None).answers(path), target, **how, **given, like=sample.rows_of)
    if ask:
        drawn = ask_on_terminal(drawn)
    typer.echo(drawn)
    if drawn.n_open:
        typer.echo("to continue: fill in the column 'label' (1: correct, 0: not), or label here with --ask")
    if drawn.n_open < len(drawn.rows):
        typer.echo("to estimate the share of correct answers: --read")


def _estimate(
    path: Path,
    sheet: Path,
    reading: options.Reading,
    how: dict[str, Any],
    given: dict[str, Any],
    verdict: options.Verdict,
    intervals: options.Intervals,
    output: Path | None,
) -> None:
    """Print the estimate from the labels, and write the table with its labels."""
    from answersim.answers import sources
    from answersim.evaluation import sheets
    from answersim.evaluation.few_labels import estimate_share
    from answersim.evaluation.labeling import INCLUSION, LABEL, STRATUM

    sheets.read(sheet).check_drawing(**given)
    table = files.Table((), [])
    if output is not None:
        output_files.refuse_overwriting_input([path, sheet], output)
        table = sources.read(path, "the table", reading.log).table
        files.check_new(table, [LABEL, INCLUSION, STRATUM])
        output_files.check_place(output)
    found = estimate_share(
        reading.answers(path), sheet, **how, calibration=verdict.settings, bootstrap=intervals.settings
    )
    print_lines(found.summary())
    if output is not None:
        rows = [row | label for row, label in zip(table.rows, found.labels.records(), strict=True)]
        files.write(files.Table((*table.columns, *found.labels.columns), rows), output)
        typer.echo(f"written: {output}")
