"""``answersim samples``: which of many samples per question mean the same, and how the majority and the best score."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from answersim._base.runtime.option_groups import Use, command, listed
from answersim.commands import options
from answersim.commands.printing import check_output, show
from answersim.evaluation.samples.samples import groups


@command
def samples(
    paths: Annotated[list[Path], "A table with one row per sample, or one table per system."],
    reading: Annotated[options.Reading, options.SYSTEMS],
    scoring: Annotated[
        options.Scoring,
        Use(
            without="extract_gold", defaults={"extract": "auto"}, metric="Here, by default, the rules of Reward decide."
        ),
    ],
    verdict: Annotated[options.Verdict, Use("calibration threshold")],
    intervals: Annotated[options.Intervals, Use("level")],
    result: Annotated[
        options.Result, Use("rows format output", rows="Listed questions.", output=options.written("a row per group"))
    ],
    k: Annotated[
        list[str] | None, typer.Option("--k", help="Numbers of samples. Default: 1 and all of a question.")
    ] = None,
) -> None:
    """Join samples that mean the same. Print maj@k, pass@k, the number of distinct answers and the semantic entropy."""
    check_output(result)
    answers = reading.read(paths, result.output)
    scoring = scoring.for_table(answers)
    name = scoring.one()
    settings = {} if name is None else replace(scoring, extract=None).of_one(name)
    sample_groups = groups(
        answers,
        settings.get("metric"),
        k=[int(size) if size.isdecimal() else size for size in listed(k)] or None,  # type: ignore[misc] # checked there
        extract=scoring.extract,
        calibration=verdict.calibration,
        threshold=verdict.threshold,
        lang=str(scoring.lang),
        bootstrap=intervals.settings,
        cache=settings.get("cache"),
    )
    show(sample_groups, result, [*sample_groups.summary(), *sample_groups.tables(result.rows), *sample_groups.footer()])
