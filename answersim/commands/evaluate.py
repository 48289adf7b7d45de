"""``answersim evaluate``: how many answers of each system are right, how sure that is, and which ones are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from answersim.calibration.decision import UNSURE
from answersim.calibration.verdicts import ANSWER_VERDICTS
from answersim.commands.judging import BaseUrl, Model, PromptName, RecordFile, Replay, judge_options, receipt
from answersim.commands.shared import (
    BatchTokens,
    Cache,
    CalibrationName,
    Cut,
    Delimiter,
    Device,
    Encoding,
    Extract,
    ExtractGold,
    IdColumn,
    Language,
    MetricOptions,
    MinPrecision,
    Precision,
    Preds,
    Profile,
    Question,
    References,
    SkipBad,
    SplitGold,
    Unsure,
    cache_for,
    extraction,
    listed,
    print_table,
    refuse_given,
    setting,
)
from answersim.errors import unknown
from answersim.io import files
from answersim.runtime.cli_errors import user_errors
from answersim.text_tables import counted

if TYPE_CHECKING:
    from answersim.evaluation.results import Evaluation

FORMATS = ("text", "markdown", "json", "latex")


def evaluate(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A table, or one table per system, joined by id. - is standard input."),
    ],
    metric: Annotated[str | None, typer.Option("--metric", "-m", help="The metric. Default: answersim.")] = None,
    pred: Preds = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    question: Question = None,
    id_column: IdColumn = None,
    references: References = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Subsets by a column, or by: length, question. May be repeated.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="The column that dependent answers have in common, if it is not the question.")
    ] = None,
    split_gold: SplitGold = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            help="Human labels of some answers: a sheet of 'answersim label', or a table with ids, 'label' and "
            "'inclusion'. NAME=FILE for one of several systems. May be repeated."
        ),
    ] = None,
    calibration: CalibrationName = "shipped",
    unsure: Unsure = UNSURE,
    min_precision: MinPrecision = None,
    cut: Cut = None,
    only: Annotated[
        list[str] | None, typer.Option(help="List only these answers: wrong, unsure, right, separated by commas.")
    ] = None,
    rows: Annotated[int, typer.Option(min=0, help="The maximum number of listed answers that are printed.")] = 10,
    format_: Annotated[str, typer.Option("--format", help="The format: text, markdown, json or latex.")] = "text",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write all listed answers to this table.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page with figures and all answers here; see 'answersim report'.")
    ] = None,
    lang: Language = "en",
    profile: Profile = None,
    extract: Extract = None,
    extract_gold: ExtractGold = None,
    option: MetricOptions = None,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    skip_bad: SkipBad = False,
    base_url: BaseUrl = None,
    model: Model = None,
    record: RecordFile = None,
    replay: Replay = False,
    prompt: PromptName = None,
    device: Device = None,
    precision: Precision = None,
    batch_tokens: BatchTokens = None,
    cache: Cache = True,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    progress: Annotated[bool, typer.Option(help="Show progress bars on a terminal.")] = True,
) -> None:
    """Count the right answers of systems, with intervals. List the wrong and the unsure answers.

    A single file of any size is read in pieces. With --output, an interrupted run resumes when the same command is
    given again.
    """
    with user_errors(), receipt():
        if format_ not in FORMATS:
            raise unknown("format", format_, FORMATS)
        if format_ == "json":
            refuse_given(context, ("rows",), "JSON contains all listed answers; leave it out")
        if references is not None and len(paths) == 1:
            raise ValueError("--references is for several files, one per system; here it is one file")
        if sum(str(path) == "-" for path in [*paths, references]) > 1:
            raise ValueError("standard input (-) is given twice, but it can be read once")
        if output is not None:
            files.check_writable(output, files.Table(("row",), []))
        wanted = listed(only) or ["wrong", "unsure"]
        if report is not None:
            from answersim.report.rendering import check_page, ready

            check_page(report)
            ready()
            for verdict in wanted:
                if verdict not in ANSWER_VERDICTS:
                    raise unknown("verdict of an answer", verdict, ANSWER_VERDICTS)
        given = _labels(labels)
        read = [files.buffer_stdin(path) for path in paths]
        label_files = given.values() if isinstance(given, dict) else given
        for target in (output, report):
            files.refuse_overwriting_input([*read, references, *label_files], target)
        from answersim.evaluation.systems import evaluate as evaluated
        from answersim.scoring.score import default_for

        name = metric or default_for(calibration)
        settings = dict(setting(item) for item in option or [])
        asked = judge_options([name], settings, base_url, model, record, replay, prompt)[name]
        kept = cache_for([name], cache)
        result = evaluated(
            read if len(read) > 1 else read[0],
            metric,
            pred=listed(pred) or "pred",
            gold=gold,
            question=question,
            id=id_column,
            references=None if references is None else files.buffer_stdin(references),
            by=listed(by),
            group=group,
            split_gold=split_gold,
            labels=given or None,
            calibration=calibration,
            unsure=unsure,
            min_precision=min_precision,
            cut=cut,
            only=wanted if report is None else ANSWER_VERDICTS,  # type: ignore[arg-type] # checked there
            lang=lang,
            profile=profile,
            level=level,
            skip_bad=skip_bad,
            encoding=encoding,
            delimiter=delimiter,
            device=device,
            precision=precision,
            batch_tokens=batch_tokens,
            progress=progress,
            cache=kept,
            output=output if report is None else None,  # the page needs all answers, and the table some
            listed=None if format_ == "json" or report is not None else rows,
            **settings,
            **asked,
            **extraction(extract, extract_gold),
        )
        if report is not None:
            result = _reported(result, wanted, report)
            if output is not None:
                files.write(result.answers_table(), output)
        _show(result, format_, rows, output)


def _reported(result: Evaluation, wanted: Sequence[str], page: Path) -> Evaluation:
    """Write the page of all answers, and return the evaluation with the requested ones."""
    from answersim.evaluation.results import ALL
    from answersim.report.rendering import write_page
    from answersim.report.systems import systems_page

    n = sum(row.n for row in result.rows if row.subset == ALL)
    typer.echo(write_page(systems_page(result), page, counted(n, "answer")), err=True)
    answers = result.only(*wanted)  # type: ignore[arg-type] # they were checked before
    return replace(result, answers=answers, n_listed=len(answers))


def _labels(texts: list[str] | None) -> list[Path] | dict[str, Path]:
    """Return the files of labels, by the name of the system if one is stated."""
    named: dict[str, Path] = {}
    unnamed: list[Path] = []
    for text in texts or ():
        name, equals, file = text.partition("=")
        if not equals or Path(text).exists():
            unnamed.append(Path(text))
        elif name in named:
            raise ValueError(f"--labels gives labels of {name!r} twice; give one table per system")
        else:
            named[name] = Path(file)
    if named and unnamed:
        raise ValueError(f"--labels {unnamed[0]} names no system, but another one does; give NAME=FILE for all")
    return named or unnamed


def _show(result: Evaluation, format_: str, rows: int, output: Path | None) -> None:
    """Print the evaluation; to standard error if the table is written to standard output."""
    to_stderr = output is not None and files.is_stdout(output)
    where = "" if output is None else str(output)
    if format_ == "json":
        typer.echo(result.to_json(where), nl=False, err=to_stderr)
    elif format_ == "markdown":
        typer.echo(result.to_markdown(rows, where), nl=False, err=to_stderr)
    elif format_ == "latex":
        typer.echo(result.to_latex(rows, where), nl=False, err=to_stderr)
    elif to_stderr:
        typer.echo(result.to_text(rows, where), nl=False, err=True)
    else:
        _print(result, rows, where)


def _print(result: Evaluation, rows: int, where: str) -> None:
    from answersim.text_tables import printable

    for line in result.summary(where):
        typer.echo(printable(line))
    typer.echo()
    for table in result.tables(rows):
        if table.title:
            typer.echo(printable(table.title))
        print_table([*map(printable, table.header)], [[*map(printable, row)] for row in table.rows])
        for note in table.notes:
            typer.echo(printable(note))
        typer.echo()
    for line in result.footer():
        typer.echo(printable(line))
    if result.n_listed and not where:
        typer.echo("to keep all listed answers: --output FILE")
