"""``answersim samples``: which of many samples per question mean the same, and how the majority and the best score."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from answersim.commands.expansion import Use, command, listed
from answersim.commands.options import (
    SYSTEMS,
    BootstrapOptions,
    JudgeOptions,
    MetricOptions,
    ReadingOptions,
    ResultOptions,
    RunOptions,
    VerdictOptions,
    chosen_metric,
)
from answersim.commands.printing import FORMATS, check_format, print_lines, print_tables, write_records
from answersim.io import files


@command
def samples(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="A table with one row per sample, or one table per system.")
    ],
    reading: Annotated[ReadingOptions, SYSTEMS],
    metric: Annotated[
        MetricOptions,
        Use(
            without=("extract_gold",),
            defaults={"extract": "auto"},
            notes={"metric": "Here, by default, the rules of Reward decide."},
        ),
    ],
    verdict: Annotated[VerdictOptions, Use(only=("calibration", "threshold"))],
    bootstrap: Annotated[BootstrapOptions, Use(only=("level",))],
    result: Annotated[
        ResultOptions,
        Use(only=("rows", "format", "output"), notes={"rows": "Listed questions.", "output": "A table of all groups."}),
    ],
    judge: JudgeOptions,
    run: RunOptions,
    k: Annotated[
        list[str] | None, typer.Option("--k", help="Numbers of samples. Default: 1 and all of a question.")
    ] = None,
) -> None:
    """Join samples that mean the same. Print maj@k, pass@k, the number of distinct answers and the semantic entropy."""
    from answersim.grouping.samples import groups

    check_format(result.format)
    if result.output is not None:
        files.check_writable(result.output, files.Table(("question",), []))
    answers = reading.answers(reading.received(paths, result.output))
    name = metric.one()
    built = None if name is None else chosen_metric(name, replace(metric, extract=None), run, judge)
    found = groups(
        answers,
        built,
        k=[int(size) if size.isdecimal() else size for size in listed(k)] or None,  # type: ignore[misc] # checked there
        extract=metric.extract,
        calibration=verdict.calibration,
        threshold=verdict.threshold,
        lang=metric.lang or "en",
        bootstrap=bootstrap.settings,
        cache=None if name is None else run.store([name]),
    )
    if result.output is not None:
        write_records(found.records(), result.output)
    if suffix := FORMATS[result.format]:
        forms = {".json": found.to_json, ".md": found.to_markdown, ".tex": found.to_latex}
        typer.echo(forms[suffix](), nl=False)
        return
    print_lines(found.summary())
    typer.echo()
    print_tables(found.tables(result.rows))
    print_lines(found.footer())
