"""``answersim compare``: two or more systems on the same questions, and the answers that changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.catalog import lookup
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
    refuse_given,
)
from answersim.commands.printing import check_result, print_table, write_records, write_result
from answersim.io import files
from answersim.text_tables import json_values

if TYPE_CHECKING:
    from answersim.answers.reader import AnswerBlock
    from answersim.evaluation.comparison import Comparison, Comparisons
    from answersim.evaluation.table_comparison import TableComparison

LABEL = "label"
SUFFIXES = (".json", ".csv", ".md", ".tex")
SCORES = "It replaces a metric. Of one table, one column per system."
_SHOWN = 60  # characters of an answer in the table

Noise = Annotated[
    float | None,
    typer.Option(
        help="Differences of scores up to this are noise. Default: the value that was measured for the metric."
    ),
]


@command
def compare(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A table with several columns of predictions, or one table per system."),
    ],
    reading: Annotated[ReadingOptions, SYSTEMS],
    metric: MetricOptions,
    labels: Annotated[
        LabelOptions,
        Use(
            only=("label", "score"),
            several=("label", "score"),
            notes={"label": "1 or 0. Of one table, one column per system.", "score": SCORES},
        ),
    ],
    verdict: VerdictOptions,
    bootstrap: Annotated[BootstrapOptions, Use(only=("level",))],
    result: Annotated[
        ResultOptions,
        Use(
            only=("rows", "output"),
            notes={"rows": "Changed answers of each pair.", "output": "Numbers: .json (all), .csv, .md or .tex."},
        ),
    ],
    judge: JudgeOptions,
    run: RunOptions,
    noise: Noise = None,
    changes: Annotated[Path | None, typer.Option(help="Write the changed answers of the first pair here.")] = None,
) -> None:
    """Compare systems on the same questions. Print differences, tests, and the answers that changed.

    If right answers can be counted, their shares decide, else the mean scores.
    """
    check_result(result.output, SUFFIXES)
    if changes is not None:
        files.check_place(changes)
    data = reading.received(paths, changes, result.output)
    answers, found = compared(context, data, reading, metric, labels, verdict, judge, run, noise, bootstrap.level)
    if changes is not None:
        names, changed = _changed(answers, found.pairs[0])
        files.write(files.Table(names, changed), changes)
    if result.output is not None:
        _write(found, result.output)
    _show(answers, found, metric_name(metric, labels, verdict), result.rows)
    for target in (changes, result.output):
        if target is not None:
            typer.echo(f"written: {target}")


def metric_name(metric: MetricOptions, labels: LabelOptions, verdict: VerdictOptions) -> str:
    """Return the name of the metric of a command, or of its columns of scores."""
    from answersim.scoring.score import default_for

    return ", ".join(labels.score) or metric.one() or default_for(verdict.calibration)


def compared(
    context: typer.Context,
    data: Any,
    reading: ReadingOptions,
    metric: MetricOptions,
    labels: LabelOptions,
    verdict: VerdictOptions,
    judge: JudgeOptions,
    run: RunOptions,
    noise: float | None,
    level: float,
) -> TableComparison:
    """Return the comparison of the systems that are given to a command.

    Raises:
        TypeError: If a judge is described, but scores are given. The others are those of ``compare_tables``.
    """
    from answersim.evaluation.table_comparison import compare_tables

    scores, name = labels.score, metric_name(metric, labels, verdict)
    settings: dict[str, Any] = metric.place
    if scores:
        unread = ("metric", "option", "extract", "extract_gold", *run.networks)
        refuse_given(context, unread, "--score names a column of given scores; leave one of them out")
        if judge.given:
            raise TypeError("--score names a column, so no judge runs; leave the options of a judge out")
    else:
        options = options_of([name], metric, run, judge)[name]
        settings |= {"metric": name, "cache": run.store([name])}
        if options:
            settings |= {"metric": lookup.metric(name, **metric.place, **options), "lang": None, "profile": None}
    label = labels.label or ((LABEL,) if isinstance(data, list) else ())
    return compare_tables(
        reading.answers(data),
        score=list(scores) or None,
        label=list(label) or None,
        **verdict.rule,
        noise=noise,
        level=level,
        progress=run.progress,
        **settings,
    )


def _show(answers: AnswerBlock, found: Comparisons, metric: str, rows: int) -> None:
    from answersim.agreement.tables import number, printable

    many = len(found.pairs) > 1
    for pair in found.pairs:
        first, *more = pair.summary()
        typer.echo(printable(first))
        for line in more:
            typer.echo(f"  {line}")
        if rows and pair.changed:
            names, changed = _changed(answers, pair)
            typer.echo()
            print_table(
                [*map(printable, names)],
                [[printable(_short(row[name])) for name in names] for row in changed[:rows]],
            )
            if len(changed) > rows:
                typer.echo(f"... and {len(changed) - rows:,} more; --changes FILE writes all, --rows shows more")
        typer.echo()
    if many:
        typer.echo(f"p after Holm's correction over {len(found.pairs)} pairs")
    if found.accuracy == found.accuracy:
        typer.echo(f"soft pairwise accuracy with the human labels: {number(found.accuracy)}")
    signature = found.pairs[0].signature
    typer.echo(printable(f"metric: {metric}" + (f", signature: {signature}" if signature else "")))


def _changed(answers: AnswerBlock, pair: Comparison) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
    """Return the columns and the rows of the table of changed answers."""
    first, second = pair.names
    names = ("id", "change", f"score {first}", f"score {second}", "gold", first, second)
    rows = []
    for row in pair.changed:
        at = row.row
        texts = (answers.golds[at], answers.predictions[first][at], answers.predictions[second][at])
        rows.append(dict(zip(names, (answers.ids[at], row.change, row.first, row.second, *texts), strict=True)))
    return names, rows


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    text = " or ".join(value) if isinstance(value, list) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _write(found: Comparisons, output: Path) -> None:
    """Write the numbers in the format that the suffix names."""
    from answersim.evaluation.comparison_tables import comparison_records, comparison_text

    if output.suffix.lower() == ".csv":
        write_records(comparison_records(found), output)
        return
    write_result(output, lambda suffix: _json(found) if suffix == ".json" else comparison_text(found, suffix))


def _json(found: Comparisons) -> str:
    content = {"pairs": [pair.to_dict() for pair in found.pairs], "soft_pairwise_accuracy": found.accuracy}
    return files.to_json(json_values(content)) + "\n"
