"""``answersim show``: the metrics, or what one of them computes, its signature and its papers."""

from __future__ import annotations

from typing import Annotated

import typer

from answersim._base.runtime.option_groups import Use, command, refuse_given
from answersim.commands import options
from answersim.commands.printing import print_lines, print_parts
from answersim.metrics.catalog import lookup
from answersim.metrics.catalog.description import SHOWN, description, judge_description, overview
from answersim.metrics.catalog.papers import bibtex
from answersim.metrics.judge.prompts import find_prompt
from answersim.metrics.judge.settings import DEFAULT

_OF_ONE = ("lang", "profile", "prompt")


@command
def show(
    context: typer.Context,
    scoring: Annotated[options.Scoring, Use("lang profile prompt", defaults={"lang": "en"})],
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The name of a metric. By default, metrics are listed.")
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="List all metrics, their aliases, and those of plug-ins.")
    ] = False,
) -> None:
    """List metrics, or describe one.

    It shows what a metric computes, its weights, its signature, and its papers in BibTeX.
    """
    if name is None:
        refuse_given(context, _OF_ONE, "it is for one metric; name it, or leave the option out")
        table = overview()
        usual = table._replace(rows=tuple(row for row in table.rows if row[0] in SHOWN))
        print_parts([table if all_ else usual])
        if not all_:
            typer.echo(f"\n{len(table.rows) - len(usual.rows)} more: --all; about one of them: answersim show NAME")
        return
    refuse_given(context, ("all_",), "it is for the list; leave out the name, or --all")
    is_judge = lookup.entry(name).kind == lookup.REMOTE
    if scoring.prompt is not None and not is_judge:
        raise TypeError(f"--prompt is for a judge, but {name} calls no service; leave it out")
    rows, messages = [*description(name, scoring.place["lang"] or "en", scoring.profile).items()], []
    if is_judge:
        prompt = find_prompt(scoring.prompt or DEFAULT)
        rows += judge_description(prompt).items()
        for message in prompt.messages("{question}", "{gold}", "{pred}"):
            messages += ["", f"--- {message['role']}", *message["content"].splitlines()]
    print_lines([*(f"{key:<10} {text}" for key, text in rows), *messages])
    typer.echo(f"\n% State the signature beside each score.\n{bibtex(name)}", nl=False)
