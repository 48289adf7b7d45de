"""``answersim correlate``: how far metrics and columns of scores agree with the labels of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.catalog import lookup
from answersim.commands.expansion import Use, command, listed
from answersim.commands.options import (
    OF_SYSTEMS,
    SYSTEMS,
    BootstrapOptions,
    JudgeOptions,
    LabelOptions,
    MetricOptions,
    ReadingOptions,
    ResultOptions,
    RunOptions,
    written,
)
from answersim.commands.printing import check_output, documents, print_lines, print_tables, write_output

if TYPE_CHECKING:
    from answersim.agreement.results import Agreement

RATERS = "For several raters, separate columns with commas or repeat the option."


@command
def correlate(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A table with gold answers, predictions and labels, or one per system."),
    ],
    reading: Annotated[ReadingOptions, Use(without=("group",), several=SYSTEMS.several, notes=SYSTEMS.notes)],
    metric: Annotated[
        MetricOptions, Use(notes={"metric": "Here, there is no default, and module:function works as for doctor."})
    ],
    labels: Annotated[
        LabelOptions,
        Use(
            only=("label", "score"),
            several=("label", "score"),
            defaults={"label": ("label",)},
            notes={
                "label": f"{RATERS} {OF_SYSTEMS}",
                "score": "It is studied too. Several are separated by commas. Default: all further columns of numbers.",
            },
        ),
    ],
    bootstrap: BootstrapOptions,
    result: Annotated[
        ResultOptions,
        Use(
            only=("by", "output"),
            notes={"by": "Also by lang.", "output": written("a row per subset, metric and coefficient")},
        ),
    ],
    judge: JudgeOptions,
    run: RunOptions,
    against: Annotated[str | None, typer.Option(help="A metric to compare all others with.")] = None,
    coefficients: Annotated[
        str | None,
        typer.Option(
            help="Coefficients whose differences are tested, separated by commas; the first leads. Default: the AUC if "
            "labels have two values, else tau-b."
        ),
    ] = None,
    tests: Annotated[
        str | None, typer.Option(help="Tests, separated by commas: bootstrap, permutation, williams.")
    ] = None,
    intervals: Annotated[str, typer.Option(help="The kind of bootstrap intervals: percentile or bca.")] = "percentile",
) -> None:
    """Measure how far metrics agree with human labels. Print coefficients, intervals, ceilings and differences."""
    from answersim.agreement.study import correlate as study

    output = result.output
    check_output(output)
    agreement = study(
        reading.answers(reading.received(paths, output)),
        build_metrics(metric, judge),
        label=labels.label[0] if len(labels.label) == 1 else labels.label,
        by=result.by,
        against=against,
        compare=None if coefficients is None else listed([coefficients]),
        tests=None if tests is None else listed([tests]),
        method=intervals,
        bootstrap=bootstrap.settings,
        scores=labels.score or None,
        **metric.place,
        **run.networks,
        progress=run.progress,
        cache=run.store([name for name in metric.metric if ":" not in name]),
    )
    if output is not None:
        write_output(output, documents(agreement), agreement.records)
    _show(agreement)
    if output is not None:
        typer.echo(f"written: {output}")


def build_metrics(metric: MetricOptions, judge: JudgeOptions) -> list[Any]:
    """Return the metrics of the study: those with settings are built, the others are names."""
    from answersim.doctor.subject import as_subject

    names = [name for name in metric.metric if ":" not in name]
    _check_names(names)
    settings = metric.settings(metric.metric)
    of_judges = judge.of(names, settings)
    built: list[Any] = []
    for name in metric.metric:
        if ":" in name:
            built.append(as_subject(name))
            continue
        options = settings | of_judges[name] | metric.extraction
        built.append(lookup.metric(name, **metric.place, **options) if options else name)
    return built


def _show(agreement: Agreement) -> None:
    from answersim.agreement.tables import footer, tables

    print_tables(tables(agreement))
    print_lines(footer(agreement))


def _check_names(names: Sequence[str]) -> None:
    """Raise a LookupError for an unknown metric that also names the other ways to a column of scores."""
    for name in names:
        try:
            lookup.entry(name)
        except LookupError as error:
            raise LookupError(
                f"{error}. For scores of another tool, name their column with --score COLUMN; for a function of your "
                "own, write module:function, or install it as a plug-in (docs/own-metrics.md)"
            ) from None
