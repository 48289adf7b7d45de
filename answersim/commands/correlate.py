"""``answersim correlate``: how far metrics and columns of scores agree with the labels of a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
    Language,
    MetricOptions,
    Precision,
    Profile,
    cache_for,
    check_result,
    listed,
    metric_settings,
    print_table,
    write_result,
)
from answersim.io import files
from answersim.io.detection import read_options
from answersim.runtime.cli_errors import user_errors
from answersim.types import is_unicode

if TYPE_CHECKING:
    from answersim.agreement.results import Agreement

SUFFIXES = (".json", ".csv", ".md", ".tex")


def correlate(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table with gold answers, predictions and labels.")],
    label: Annotated[
        list[str] | None,
        typer.Option(
            help="The column of labels. For several raters, separate columns with commas or repeat the option."
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            help="Metrics to compute, separated by commas: names, or module:function as for doctor. May be repeated.",
        ),
    ] = None,
    scores: Annotated[
        str | None,
        typer.Option(
            help="Columns with scores of other tools, separated by commas. Default: all further columns of numbers."
        ),
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Subsets by a column, or by: length, question, lang. May be repeated.")
    ] = None,
    against: Annotated[str | None, typer.Option(help="A metric to compare all others with.")] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            help="Coefficients whose differences are tested, separated by commas; the first leads. Default: the AUC if "
            "labels have two values, else tau-b."
        ),
    ] = None,
    tests: Annotated[
        str | None, typer.Option(help="Tests, separated by commas: bootstrap, permutation, williams.")
    ] = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Annotated[str, typer.Option(help="The column of predictions.")] = "pred",
    question: Annotated[str | None, typer.Option(help="The column of questions, if there is one.")] = None,
    lang: Language = "en",
    profile: Profile = None,
    option: MetricOptions = None,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples.")] = 1000,
    method: Annotated[str, typer.Option(help="The kind of bootstrap intervals: percentile or bca.")] = "percentile",
    seed: Annotated[int, typer.Option(help="The random seed of the resamples.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write all results here: .json, .csv, .md or .tex (tables).")
    ] = None,
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
    """Measure how far metrics agree with human labels. Print coefficients, intervals, ceilings and differences."""
    with user_errors(), receipt(), read_options(encoding, delimiter):
        path = files.buffer_stdin(path)
        check_result(output, SUFFIXES)
        files.refuse_overwriting_input(path, output)
        from answersim.agreement.study import correlate as study
        from answersim.doctor.subject import as_subject

        raters = listed(label) or ["label"]
        every = listed(metrics)
        names = [name for name in every if ":" not in name]
        _check_names(names)
        settings = metric_settings(option, every)
        asked = judge_options(names, settings, base_url, model, record, replay, prompt)
        built = [
            as_subject(name)
            if ":" in name
            else lookup.metric(name, lang=lang, profile=profile, **settings, **asked[name])
            if settings or asked[name]
            else name
            for name in every
        ]
        agreement = study(
            path,
            built,
            label=raters[0] if len(raters) == 1 else raters,
            by=listed(by),
            against=against,
            compare=None if compare is None else listed([compare]),
            tests=None if tests is None else listed([tests]),
            level=level,
            resamples=resamples,
            method=method,
            rng=seed,
            scores=None if scores is None else listed([scores]),
            gold=gold,
            pred=pred,
            question=question,
            lang=lang,
            profile=profile,
            device=device,
            precision=precision,
            batch_tokens=batch_tokens,
            progress=progress,
            cache=cache_for(names, cache),
        )
        if output is not None:
            write(agreement, output)
        _show(agreement)
        if output is not None:
            typer.echo(f"written: {output}")


def write(agreement: Agreement, output: Path) -> None:
    """Write the study to this file, in the format that its suffix names."""
    if output.suffix.lower() == ".csv":
        records = agreement.records()
        files.write(files.Table(tuple(records[0]), records), output)
        return
    write_result(output, lambda suffix: _text(agreement, suffix))


def _text(agreement: Agreement, suffix: str) -> str:
    if suffix in (".md", ".tex"):
        from answersim.agreement.tables import latex, markdown

        return (markdown if suffix == ".md" else latex)(agreement)
    story = agreement.to_dict()
    text = json.dumps(story, ensure_ascii=False, indent=1)
    # The name of a column may contain half a surrogate pair, which UTF-8 cannot represent.
    return (text if is_unicode(text) else json.dumps(story, indent=1)) + "\n"


def _show(agreement: Agreement) -> None:
    from answersim.agreement.tables import fitted, footer, printable, tables

    for table in (part for whole in tables(agreement) for part in fitted(whole)):
        typer.echo(printable(table.title))
        print_table([*map(printable, table.header)], [[*map(printable, row)] for row in table.rows])
        for note in table.notes:
            typer.echo(printable(note))
        typer.echo()
    for line in footer(agreement):
        typer.echo(printable(line))


def _check_names(names: Sequence[str]) -> None:
    """Raise a LookupError for an unknown metric that also names the other ways to a column of scores."""
    for name in names:
        try:
            lookup.entry(name)
        except LookupError as error:
            raise LookupError(
                f"{error}. For scores of another tool, name their column with --scores COLUMN; for a function of your "
                "own, write module:function, or install it as a plug-in (docs/own-metrics.md)"
            ) from None
