"""``answersim correlate``: how far metrics and columns of scores agree with the labels of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from answersim._base.runtime.option_groups import Later, Use, command, listed
from answersim.commands import options
from answersim.commands.printing import check_output, show, write_page
from answersim.evaluation.agreement.study import correlate as study
from answersim.evaluation.doctor.subject import as_subject
from answersim.metrics.catalog import lookup

RATERS = "For several raters, separate columns with commas or repeat the option."


@command
def correlate(
    context: typer.Context,
    paths: Annotated[list[Path], "A table with gold answers, predictions and labels, or one per system."],
    reading: Annotated[options.Reading, options.systems("group")],
    scoring: Annotated[
        options.Scoring, Use(metric="Here, there is no default, and module:function works as for doctor.")
    ],
    labels: Annotated[
        options.Labels,
        Use(
            "label score",
            several="label score",
            defaults={"label": ("label",)},
            label=f"{RATERS} {options.OF_SYSTEMS}",
            score="It is studied too. Several are separated by commas. Default: all further columns of numbers.",
        ),
    ],
    bootstrap: options.Intervals,
    result: Annotated[
        options.Result,
        Use("by output report", by="Also by lang.", output=options.written("a row per subset, metric and coefficient")),
    ],
    against: Annotated[str | None, "A metric to compare all others with."] = None,
    coefficients: Annotated[
        str | None,
        "Coefficients whose differences are tested, separated by commas; the first leads. Default: the AUC if "
        "labels have two values, else tau-b.",
    ] = None,
    tests: Annotated[str | None, Later("Tests, separated by commas: bootstrap, permutation.")] = None,
) -> None:
    """Measure how far metrics agree with human labels. Print coefficients, intervals, ceilings and differences."""
    check_output(result)
    answers = reading.read(paths, result.output, result.report)
    scoring = scoring.for_table(answers)
    agreement = study(
        answers,
        _metrics(scoring),
        label=labels.label[0] if len(labels.label) == 1 else labels.label,
        by=result.by,
        against=against,
        compare=None if coefficients is None else listed([coefficients]),
        tests=None if tests is None else listed([tests]),
        bootstrap=bootstrap.settings,
        scores=labels.score or None,
        lang=str(scoring.lang),
        profile=None if scoring.metric else scoring.profile,
        progress=scoring.progress,
        cache=scoring.cache,
    )
    show(agreement, result, [*agreement.tables(), *agreement.footer()])
    write_page(agreement, context, result, answers.files)
    if result.output is not None:
        typer.echo(f"written: {result.output}")


def _metrics(scoring: options.Scoring) -> dict[str, Any]:
    """Return the metrics of the study. The LookupError for an unknown one also names the other ways to scores."""
    for name in scoring.metric:
        try:
            _ = ":" in name or lookup.entry(name)
        except LookupError as error:
            raise LookupError(
                f"{error}. For scores of another tool, name their column with --score COLUMN; for a function of your "
                "own, write module:function, or install it as a plug-in (docs/python.md)"
            ) from None
    return scoring.subjects(scoring.metric, as_subject)
