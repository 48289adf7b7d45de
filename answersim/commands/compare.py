"""``answersim compare``: two or more systems on the same questions, and the answers that changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from answersim.commands import options
from answersim.commands.printing import check_output, print_lines, print_parts, write, write_page
from answersim.io import files, output_files
from answersim.runtime.option_groups import Later, Use, command, refuse_given

LABEL = "label"
SCORES = "It replaces a metric. Of one table, one column per system."

Noise = Annotated[
    float | None,
    Later("Differences of scores up to this are noise. Default: the value that was measured for the metric."),
]


@command
def compare(
    context: typer.Context,
    paths: Annotated[list[Path], "A table with several columns of predictions, or one table per system."],
    reading: Annotated[options.Reading, options.SYSTEMS],
    scoring: options.Scoring,
    labels: Annotated[
        options.Labels,
        Use(
            "label score",
            several="label score",
            later="score",
            label="1 or 0. Of one table, one column per system.",
            score=SCORES,
        ),
    ],
    verdict: options.Verdict,
    intervals: Annotated[options.Intervals, Use("level")],
    result: Annotated[
        options.Result,
        Use(
            "rows output report verbose",
            rows="Changed answers of each pair.",
            output=options.written("a row per pair of systems"),
        ),
    ],
    noise: Noise = None,
    changes: Annotated[Path | None, "Write the changed answers of the first pair here."] = None,
) -> None:
    """Compare systems on the same questions. Print differences, tests, and the answers that changed.

    If right answers can be counted, their shares decide, else the mean scores.
    """
    from answersim.evaluation.compare import compare as compared

    check_output(result)
    if changes is not None:
        output_files.check_place(changes)
    data = reading.received(paths, changes, result.output, result.report)
    label = labels.label or ((LABEL,) if isinstance(data, list) else ())
    settings = comparison_settings(context, scoring, labels, verdict, intervals, noise)
    answers = reading.answers(data)
    found = compared(answers, label=list(label) or None, **settings)
    if changes is not None:
        files.write(found.changes_table(found.pairs[0]), changes)
    write(found, result.output)
    write_page(found, context, result, answers.files)
    for pair in found.pairs:
        first, *more = pair.summary() if result.verbose else pair.brief()
        print_lines([first, *(f"  {line}" for line in more)])
        if result.rows and pair.changed:
            typer.echo()
            print_parts([found.changes(pair, result.rows)])
            if (n := len(pair.changed) - result.rows) > 0:
                typer.echo(f"... and {n:,} more; --changes FILE writes all, --rows shows more")
        typer.echo()
    if result.verbose:
        print_lines(found.footer()[1:])  # the summary of each pair states how answers are counted
    else:
        print_lines([*found.remarks(), "more: -v"])
    for target in (changes, result.output):
        if target is not None:
            typer.echo(f"written: {target}")


def comparison_settings(
    context: typer.Context,
    scoring: options.Scoring,
    labels: options.Labels,
    verdict: options.Verdict,
    intervals: options.Intervals,
    noise: float | None,
) -> dict[str, Any]:
    """Return the arguments of ``compare`` that the options of a command state.

    Raise TypeError if a judge is described, but scores are given. Raise ValueError if another option of a metric is
    given with scores.
    """
    settings: dict[str, Any] = {"calibration": verdict.settings, "noise": noise, "bootstrap": intervals.settings}
    settings["progress"] = scoring.progress
    if labels.score:
        unread = ("metric", "option", "extract", "extract_gold", "device")
        refuse_given(context, unread, "--score names a column of given scores; leave one of them out")
        if scoring.of_judge:
            raise TypeError("--score names a column, so no judge runs; leave the options of a judge out")
        return settings | {"score": list(labels.score)}
    return settings | scoring.of_one(scoring.name_for(verdict)) | {"lang": scoring.lang or "en"}
