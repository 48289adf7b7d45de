"""``answersim compare``: two or more systems on the same questions, and the answers that changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.calibration.decision import UNSURE
from answersim.catalog import lookup
from answersim.commands.judging import BaseUrl, Model, PromptName, RecordFile, Replay, judge_options, receipt
from answersim.commands.shared import (
    Cache,
    CalibrationName,
    Cut,
    Delimiter,
    Encoding,
    IdColumn,
    Language,
    MetricOptions,
    MinPrecision,
    Preds,
    Profile,
    Question,
    References,
    SkipBad,
    SplitGold,
    Unsure,
    cache_for,
    check_result,
    listed,
    metric_settings,
    print_table,
    refuse_given,
    write_result,
)
from answersim.io import files
from answersim.io.detection import read_options
from answersim.runtime.cli_errors import user_errors
from answersim.text_tables import json_values

if TYPE_CHECKING:
    from answersim.answers.reader import AnswerBlock
    from answersim.evaluation.comparison import Comparison, Comparisons
    from answersim.evaluation.table_comparison import TableComparison

LABEL = "label"
SUFFIXES = (".json", ".csv", ".md", ".tex")
_SHOWN = 60  # characters of an answer in the table

Gold = Annotated[str, typer.Option(help="The column of gold answers: a text, or a list of texts that are all correct.")]
ScoreColumns = Annotated[
    list[str] | None,
    typer.Option("--score", help="A column of scores, instead of a metric. Of one table, one column per system."),
]
MetricName = Annotated[
    str | None,
    typer.Option("--metric", "-m", help="The metric that scores the answers. Default: answersim."),
]
Noise = Annotated[
    float | None,
    typer.Option(
        help="Differences of scores up to this are noise. Default: the value that was measured for the metric."
    ),
]
Level = Annotated[float, typer.Option(help="Coverage of the intervals.")]
Progress = Annotated[bool, typer.Option(help="Show progress bars on a terminal.")]


def compare(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A table with several columns of predictions, or one table per system."),
    ],
    id_: IdColumn = None,
    gold: Gold = "gold",
    references: References = None,
    split_gold: SplitGold = None,
    pred: Preds = None,
    question: Question = None,
    label: Annotated[
        list[str] | None,
        typer.Option(help="The column of human labels, 1 or 0. Of one table, one column per system. Default: label."),
    ] = None,
    metric: MetricName = None,
    score: ScoreColumns = None,
    calibration: CalibrationName = "shipped",
    unsure: Unsure = UNSURE,
    min_precision: MinPrecision = None,
    cut: Cut = None,
    noise: Noise = None,
    level: Level = 0.95,
    rows: Annotated[int, typer.Option(min=0, help="How many changed answers are shown for each pair.")] = 10,
    changed: Annotated[Path | None, typer.Option(help="Write the changed answers of the first pair here.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the numbers here: .json (all), .csv, .md or .tex.")
    ] = None,
    lang: Language = "en",
    profile: Profile = None,
    option: MetricOptions = None,
    base_url: BaseUrl = None,
    model: Model = None,
    record: RecordFile = None,
    replay: Replay = False,
    prompt: PromptName = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    cache: Cache = True,
    progress: Progress = True,
) -> None:
    """Compare systems on the same questions. Print differences, tests, and the answers that changed.

    If right answers can be counted, their shares decide, else the mean scores.
    """
    given = dict(locals())
    with user_errors(), receipt(), read_options(encoding, delimiter):
        check_result(output, SUFFIXES)
        if changed is not None:
            files.check_place(changed)
        answers, found = compared(given)
        if changed is not None:
            names, rows_changed = _changed(answers, found.pairs[0])
            files.write(files.Table(names, rows_changed), changed)
        if output is not None:
            _write(found, output)
        _show(answers, found, metric_name(given), rows)
        for target in (changed, output):
            if target is not None:
                typer.echo(f"written: {target}")


def metric_name(given: dict[str, Any]) -> str:
    """Return the name of the metric of a command, or of its columns of scores."""
    from answersim.scoring.score import default_for

    if columns := listed(given["score"]):
        return ", ".join(columns)
    return given["metric"] or default_for(given["calibration"])


def compared(given: dict[str, Any]) -> TableComparison:
    """Return the comparison of the systems that are given to a command.

    Args:
        given: The parameters of the command, by name.

    Raises:
        TypeError: If a judge is described, but scores are given. The others are those of ``compare_tables``.
    """
    from answersim.evaluation.table_comparison import compare_tables

    paths, scores, name = given["paths"], listed(given["score"]), metric_name(given)
    for target in (given.get("changed"), given["output"]):
        files.refuse_overwriting_input([*paths, given["references"]], target)
    asked = [given[option] for option in ("base_url", "model", "record", "replay", "prompt")]
    settings: dict[str, Any] = {
        option: given[option]
        for option in ("calibration", "unsure", "min_precision", "cut", "noise", "level", "lang", "profile", "progress")
        if option in given
    }  # fmt: skip
    if scores:
        refuse_given(
            given["context"], ("metric", "option"), "--score names a column of given scores; leave one of them out"
        )
        if any(asked):
            raise TypeError("--score names a column, so no judge runs; leave the options of a judge out")
    else:
        settings |= {"metric": name, "cache": cache_for([name], given["cache"])}
        of_metric = metric_settings(given["option"], [name])
        if options := of_metric | judge_options([name], of_metric, *asked)[name]:
            place = {option: settings[option] for option in ("lang", "profile")}
            settings |= {"metric": lookup.metric(name, **place, **options), "lang": None, "profile": None}
    labels = listed(given.get("label"))
    if not labels and len(paths) > 1:
        labels = [LABEL]
    read = [files.buffer_stdin(path) for path in paths]
    return compare_tables(
        read if len(read) > 1 else read[0],
        pred=listed(given["pred"]) or "pred",
        gold=given["gold"],
        question=given["question"],
        id=given["id_"],
        references=None if given["references"] is None else files.buffer_stdin(given["references"]),
        split_gold=given["split_gold"],
        score=scores or None,
        label=labels or None,
        skip_bad=given["skip_bad"],
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
                typer.echo(f"... and {len(changed) - rows:,} more; --changed FILE writes all, --rows shows more")
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
        records = comparison_records(found)
        files.write(files.Table(tuple(records[0]), records), output)
        return
    write_result(output, lambda suffix: _json(found) if suffix == ".json" else comparison_text(found, suffix))


def _json(found: Comparisons) -> str:
    content = {"pairs": [pair.to_dict() for pair in found.pairs], "soft_pairwise_accuracy": found.accuracy}
    return files.to_json(json_values(content)) + "\n"
