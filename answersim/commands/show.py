"""``answersim list`` and ``answersim show``: the metrics, and what one of them computes."""

from __future__ import annotations

from typing import Annotated

from answersim.catalog import lookup
from answersim.catalog.description import description, overview
from answersim.commands import options
from answersim.commands.printing import print_lines, print_parts
from answersim.runtime.option_groups import Use, command


@command
def list_() -> None:
    """List all metrics, their aliases, and those of plug-ins."""
    print_parts([overview()])


@command
def show(
    name: Annotated[str, "The name of a metric."],
    scoring: Annotated[
        options.Scoring, Use("lang profile record prompt", record="What a citation of it needs is printed too.")
    ],
) -> None:
    """Show what a metric computes, its weights and its signature."""
    from answersim.judge import citation
    from answersim.judge.prompts import find_prompt
    from answersim.judge.settings import DEFAULT

    is_judge = lookup.entry(name).kind == lookup.REMOTE
    if scoring.of_judge and not is_judge:
        raise TypeError(f"--prompt and --record are for a judge, but {name} calls no service; leave them out")
    rows, messages = [*description(name, str(scoring.lang), scoring.profile).items()], []
    if is_judge:
        prompt = find_prompt(scoring.prompt or DEFAULT)
        rows += citation.description(prompt)
        if scoring.record is None:
            messages = citation.messages(prompt)
        else:
            rows += citation.citation(scoring.record)
    print_lines([*(f"{key:<10} {text}" for key, text in rows), *messages])
