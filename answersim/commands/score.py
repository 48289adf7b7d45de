"""``answersim score``: the scores of every row of a table, or of two text files, and their means."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from answersim.catalog import lookup
from answersim.commands.judging import BaseUrl, Model, PromptName, RecordFile, Replay, judge_options, receipt
from answersim.commands.shared import (
    BatchTokens,
    Cache,
    Delimiter,
    Device,
    Encoding,
    Extract,
    ExtractGold,
    Language,
    MetricOptions,
    Precision,
    Profile,
    SkipBad,
    cache_for,
    extraction,
    metric_settings,
    network_options,
    print_table,
    refuse_given,
)
from answersim.composite.usage import CascadeUsage, receipts
from answersim.io import files
from answersim.io.detection import read_options
from answersim.runtime.cli_errors import user_errors
from answersim.signature import without_question

if TYPE_CHECKING:
    from answersim.scoring.streaming import RunningMean


def score(
    context: typer.Context,
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="A table, or a text file with one gold answer per line.")
    ],
    pred_path: Annotated[
        Path | None, typer.Argument(metavar="PRED_FILE", help="A text file with one prediction per line.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="One or several metrics, separated by commas. May be repeated. Default: answersim.",
        ),
    ] = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Annotated[str, typer.Option(help="The column of predictions.")] = "pred",
    question: Annotated[
        str | None,
        typer.Option(help="The column of questions, for metrics that read them. Intervals of 'score' are over rows."),
    ] = None,
    split_gold: Annotated[
        str | None, typer.Option(help="A separator between several references in one gold value.")
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="Read a log of another tool: auto, inspect, lm-eval (or lm-eval:FILTER), lighteval, promptfoo, ragas. "
            "Its columns are question, gold and pred.",
        ),
    ] = None,
    lang: Language = "en",
    profile: Profile = None,
    extract: Extract = None,
    extract_gold: ExtractGold = None,
    option: MetricOptions = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table here, with one column per metric.")
    ] = None,
    prefix: Annotated[str, typer.Option(help="A prefix of the names of the new columns.")] = "",
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
    """Score a table of answers, or two text files line by line.

    A table is CSV, TSV, JSON, JSON lines, Parquet or Excel. A file of any size is scored in constant memory. With
    --output, an interrupted run resumes when the same command is given again.
    """
    from answersim.answers.reader import LINES, read_answers
    from answersim.scoring.streaming import score_file

    with user_errors(), receipt(), read_options(encoding, delimiter):
        path = files.buffer_stdin(path)
        names = list(dict.fromkeys(name.strip() for group in metric or () for name in group.split(",")))
        names = names or [lookup.DEFAULT_METRIC]
        settings = metric_settings(option, names)
        how, read = network_options(names, settings, device, precision, batch_tokens), extraction(extract, extract_gold)
        asked = judge_options(names, settings, base_url, model, record, replay, prompt)
        if output is None:
            refuse_given(context, ("prefix",), "no new columns are written; give --output too, or leave it out")
        if log is not None:
            refuse_given(context, ("pred_path", "encoding", "delimiter"), "a log has its own format; leave it out")
        answers = read_answers(  # a file that cannot be read is reported before any work
            path if pred_path is None else [path, pred_path],
            pred=pred,
            gold=gold,
            question=question,
            split_gold=split_gold,
            skip_bad=skip_bad,
            format=log if pred_path is None else LINES,
        )
        if output is not None:
            files.check_place(output)
            files.refuse_overwriting_input(answers.files, output)
        built = {
            name: lookup.metric(name, lang=lang, profile=profile, **settings, **how[name], **asked[name], **read)
            for name in names
        }
        kept = cache_for(names, cache)
        with receipts() as of_cascades:
            columns = score_file(answers, built, output, prefix=prefix, cache=kept, progress=progress)
        _summary(columns, output, of_cascades)


def _summary(columns: Mapping[str, RunningMean], output: Path | None, of_cascades: Mapping[str, CascadeUsage]) -> None:
    """Print means, signatures and receipts, to standard error if the table is written to standard output."""
    table_on_stdout = output is not None and files.is_stdout(output)
    with redirect_stdout(sys.stderr) if table_on_stdout else nullcontext():
        _print_summary(columns, output, of_cascades)


def _print_summary(
    columns: Mapping[str, RunningMean], output: Path | None, of_cascades: Mapping[str, CascadeUsage]
) -> None:
    print_table(
        ("metric", "n", "mean", "95 % interval"),
        [
            (name, str(len(column)), f"{column.mean:.4f}", "{:.4f} .. {:.4f}".format(*column.ci()))
            for name, column in columns.items()
        ],
    )
    typer.echo()
    for name, column in columns.items():
        typer.echo(f"{name}: {column.signature}")
        receipt = of_cascades.get(without_question(column.signature))
        if receipt is not None:
            recalled = (
                "" if receipt.n == len(column) else f" (the other {len(column) - receipt.n:,} were scored before)"
            )
            typer.echo(f"{name}: {receipt}{recalled}")
    typer.echo(f"scores of every row: {output}" if output else "to keep the scores of every row: --output FILE")
