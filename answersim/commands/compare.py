"""``answersim compare``: two or more systems on the same questions, and the answers that changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.commands import options
from answersim.commands.expansion import Use, command
from answersim.commands.printing import check_output, print_table, write
from answersim.io import files, output_files

if TYPE_CHECKING:
    from answersim.evaluation.comparison import Comparison, Comparisons

LABEL = "label"
SCORES = "It replaces a metric. Of one table, one column per system."
_SHOWN = 60  # characters of an answer in the table

Noise = Annotated[
    float | None, "Differences of scores up to this are noise. Default: the value that was measured for the metric."
]


@command
def compare(
    context: typer.Context,
    paths: Annotated[list[Path], "A table with several columns of predictions, or one table per system."],
    reading: Annotated[options.Reading, options.SYSTEMS],
    scoring: options.Scoring,
    labels: Annotated[
        options.Labels,
        Use("label score", several="label score", label="1 or 0. Of one table, one column per system.", score=SCORES),
    ],
    verdict: options.Verdict,
    intervals: Annotated[options.Intervals, Use("level")],
    result: Annotated[
        options.Result,
        Use("rows output", rows="Changed answers of each pair.", output=options.written("a row per pair of systems")),
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
    data = reading.received(paths, changes, result.output)
    label = labels.label or ((LABEL,) if isinstance(data, list) else ())
    settings = comparison_settings(context, scoring, labels, verdict, intervals, noise)
    found = compared(reading.answers(data), label=list(label) or None, **settings)
    if changes is not None:
        files.write(_changed(found, found.pairs[0]), changes)
    write(found, result.output)
    _show(found, result.rows)
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
        unread = ("metric", "option", "extract", "extract_gold", *scoring.networks)
        options.refuse_given(context, unread, "--score names a column of given scores; leave one of them out")
        if scoring.of_judge:
            raise TypeError("--score names a column, so no judge runs; leave the options of a judge out")
        return settings | {"score": list(labels.score)}
    return settings | scoring.of_one(scoring.name_for(verdict)) | {"lang": scoring.lang or "en"}


def _show(found: Comparisons, rows: int) -> None:
    from answersim.text_tables import printable

    for pair in found.pairs:
        first, *more = pair.summary()
        typer.echo(printable(first))
        for line in more:
            typer.echo(f"  {line}")
        if rows and pair.changed:
            names, changed = _changed(found, pair)[:2]
            typer.echo()
            print_table(
                [*map(printable, names)], [[printable(_short(row[name])) for name in names] for row in changed[:rows]]
            )
            if len(changed) > rows:
                typer.echo(f"... and {len(changed) - rows:,} more; --changes FILE writes all, --rows shows more")
        typer.echo()
    for line in found.footer()[1:]:  # the summary of each pair states how answers are counted
        typer.echo(printable(line))


def _changed(found: Comparisons, pair: Comparison) -> files.Table:
    """Return the table of changed answers."""
    assert found.answers is not None  # they were read
    first, second = pair.names
    names = ("id", "change", f"score {first}", f"score {second}", "gold", first, second)
    rows = []
    for row in pair.changed:
        at, answers = row.row, found.answers
        texts = (answers.golds[at], answers.predictions[first][at], answers.predictions[second][at])
        rows.append(dict(zip(names, (row.id, row.change, row.first, row.second, *texts), strict=True)))
    return files.Table(names, rows)


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    text = " or ".join(value) if isinstance(value, list) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
