"""``answersim doctor``: what metrics see and what they do not, for metrics of any library."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.catalog import lookup
from answersim.commands.judging import BaseUrl, Model, PromptName, RecordFile, Replay, judge_options, receipt
from answersim.commands.shared import Cache, Profile, check_result, print_table, write_result
from answersim.errors import unknown
from answersim.runtime.cli_errors import user_errors

if TYPE_CHECKING:
    from answersim.doctor.results import DoctorReport

FORMATS = ("text", "json", "markdown", "latex")
SUFFIXES = (".json", ".md", ".tex", ".html")


def doctor(
    metrics: Annotated[
        list[str],
        typer.Argument(
            metavar="METRIC...",
            help="Names of 'answersim list', module:function for a function (gold list, pred list) -> numbers, or "
            "LIBRARY:NAME,SETTING=VALUE for a metric of bert_score, torchmetrics, evaluate, sentence_transformers, "
            "haystack, ragas, deepeval, autoevals or qa_metrics.",
        ),
    ],
    lang: Annotated[str, typer.Option(help="Language of the minimal pairs: en, de, zh or ja.")] = "en",
    part: Annotated[str, typer.Option(help="The part of the minimal pairs: dev, test or all.")] = "dev",
    profile: Profile = None,
    attacked: Annotated[
        int,
        typer.Option(min=0, help="The number of questions with wrong answers of all patterns. 0 skips these attacks."),
    ] = 60,
    properties: Annotated[bool, typer.Option(help="Check properties such as symmetry and batches.")] = True,
    references: Annotated[
        bool | None,
        typer.Option(help="State whether functions accept lists of gold answers. By default, this is tried."),
    ] = None,
    tolerance: Annotated[float, typer.Option(help="The largest difference of scores that count as equal.")] = 1e-4,
    rows: Annotated[
        int, typer.Option(min=0, help="The maximum number of misordered minimal pairs per metric that are shown.")
    ] = 3,
    format_: Annotated[str, typer.Option("--format", help="The format: text, json, markdown or latex.")] = "text",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the result here: .json, .md, .tex or .html.")
    ] = None,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    base_url: BaseUrl = None,
    model: Model = None,
    record: RecordFile = None,
    replay: Replay = False,
    prompt: PromptName = None,
    cache: Cache = True,
    progress: Annotated[bool, typer.Option(help="Show progress bars on a terminal.")] = True,
) -> None:
    """Examine what metrics of any library cannot see. Check minimal pairs, properties and accepted wrong answers."""
    with user_errors(), receipt():
        if format_ not in FORMATS:
            raise unknown("format", format_, FORMATS)
        check_result(output, SUFFIXES)
        examined = _with_judge(metrics, (base_url, model, record, replay, prompt))
        from answersim.doctor.study import examine
        from answersim.scoring.cache import default

        with redirect_stdout(sys.stderr):  # some libraries print while they load
            result = examine(
                examined,
                lang=lang,  # type: ignore[arg-type] # checked there
                part=part,  # type: ignore[arg-type] # checked there
                profile=profile,
                attacked=attacked,
                properties=properties,
                references=references,
                tolerance=tolerance,
                level=level,
                progress=progress,
                cache=default() if cache else None,
            )
        if output is not None:
            write_result(output, lambda suffix: _written(result, suffix, rows))
        if format_ == "text":
            _print(result, rows)
        else:
            typer.echo(_written(result, {"json": ".json", "markdown": ".md", "latex": ".tex"}[format_], rows), nl=False)


def _with_judge(metrics: list[str], asked: tuple[str | None, str | None, Path | None, bool, str | None]) -> list[Any]:
    """Return the metrics, with those that call a service built by these options of ``judge_options``."""
    remote = [name for name in metrics if name in lookup.remote_names()]
    if not remote:
        if any(asked):
            raise TypeError(
                f"options of a judge are given, but {', '.join(metrics)} calls no service; leave them out, or name "
                "judge"
            )
        return list(metrics)
    options = judge_options(remote, {}, *asked)
    return [lookup.metric(name, **options[name]) if name in remote else name for name in metrics]


def _written(result: DoctorReport, suffix: str, rows: int) -> str:
    """Return the result in the form of this suffix."""
    if suffix == ".html":
        from answersim.report.doctor import doctor_page

        return doctor_page(result, worst=rows)
    forms: dict[str, Any] = {".md": result.to_markdown, ".tex": result.to_latex}
    text: str = result.to_json() if suffix == ".json" else forms[suffix](rows)
    return text


def _print(result: DoctorReport, rows: int) -> None:
    from answersim.text_tables import printable

    for table in result.tables(rows):
        typer.echo(printable(table.title))
        print_table([*map(printable, table.header)], [[*map(printable, row)] for row in table.rows])
        for note in table.notes:
            typer.echo(printable(note))
        typer.echo()
    for line in result.footer():
        typer.echo(printable(line))
