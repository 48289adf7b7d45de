"""``answersim official``: the definitions of benchmarks side by side, or the list of all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim._base.runtime.option_groups import Use, command, listed, refuse_given
from answersim.commands import options
from answersim.commands.printing import check_output, print_parts, show
from answersim.evaluation.systems.official_tables import official_table
from answersim.metrics.official.registry import overview

_OF_TABLES = ("gold", "pred", "question", "output", "profiles")


@command
def official(
    context: typer.Context,
    reading: Annotated[options.Reading, options.SYSTEMS],
    intervals: Annotated[options.Intervals, Use("level")],
    result: Annotated[options.Result, Use("output", output=options.written("a row per number"))],
    profiles: Annotated[
        list[str] | None, "Profiles, separated by commas, or all. Default: the usual three words."
    ] = None,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE...", help="A table, or one table per system. By default, the profiles are listed."
        ),
    ] = None,
) -> None:
    """Score answers as benchmarks do, side by side.

    A sentence names two definitions of one word that disagree by more than their intervals.
    """
    if not paths:
        refuse_given(context, _OF_TABLES, "it is for tables of answers; give a FILE, or leave the option out")
        print_parts([overview()])
        return
    check_output(result)
    official_scores = official_table(
        reading.read(paths, result.output), profiles=listed(profiles) or None, bootstrap=intervals.settings
    )
    show(official_scores, result, [*official_scores.summary(), *official_scores.tables()])
