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
    written,
)
from answersim.commands.printing import check_format, check_output, documents, print_lines, show


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
        Use(
            only=("rows", "format", "output"), notes={"rows": "Listed questions.", "output": written("a row per group")}
        ),
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
    check_output(result.output)
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
    if result.format == "text":
        print_lines([*found.summary(), ""])
    show(documents(found), found.records, result, found.tables(result.rows), found.footer())
