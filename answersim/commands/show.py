"""``answersim list`` and ``answersim show``: the metrics, and what one of them computes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from answersim import profiles
from answersim.catalog import lookup
from answersim.commands import options
from answersim.commands.expansion import Use, command
from answersim.commands.printing import print_table
from answersim.neural.engines.choice import engine
from answersim.runtime.cli_errors import one_line


@command
def list_() -> None:
    """List all metrics, their aliases, and those of plug-ins."""
    rows = [(entry.name, entry.kind, entry.summary) for entry in map(lookup.entry, lookup.names())]
    rows += [(name, lookup.REMOTE, lookup.entry(name).summary) for name in lookup.remote_names()]
    rows += [(alias, "alias", f"another name for {full}") for alias, full in lookup.ALIASES.items()]
    rows.append((f"{lookup.TYPED}NAME", "wrapper", "a metric of this list, overruled if both answers are typed values"))
    rows.append((f"{lookup.OFFICIAL}NAME", "wrapper", "the rule of a benchmark; 'answersim official' lists them"))
    rows += [(name, "wrapper", wrapper.summary) for name, wrapper in lookup.WRAPPERS.items()]
    rows += [(name, "extra", bridge.summary) for name, bridge in lookup.BRIDGES.items()]
    rows += [(name, "plug-in", _plug_in_summary(name)) for name in lookup.plug_ins()]
    rows += [
        (name, "plug-in", f"not used, because its name is taken: {origin}") for name, origin in lookup.clashes().items()
    ]
    print_table(("metric", "kind", "what it computes"), rows)


def _plug_in_summary(name: str) -> str:
    """Return what a plug-in computes, or why it cannot be used."""
    try:
        return lookup.entry(name).summary
    except ValueError as error:
        return f"cannot be used: {one_line(error)}"


@command
def show(
    name: Annotated[str, "The name of a metric."],
    scoring: Annotated[
        options.Scoring, Use("lang profile record prompt", record="What a citation of it needs is printed too.")
    ],
) -> None:
    """Show what a metric computes, its weights and its signature."""
    entry = lookup.entry(name)
    name, lines = entry.name, _lines(entry, scoring)
    if entry.kind == lookup.REMOTE:
        _show_judge(lines, scoring.prompt, scoring.record)
        return
    if scoring.of_judge:
        raise TypeError(f"--prompt and --record are for a judge, but {name} calls no service; leave them out")
    try:
        lines["signature"] = lookup.metric(name, **scoring.place).signature
        if any(lookup.entry(part).kind == "neural" for part in (name, *entry.parts)):
            lines["engine"] = engine(name)
    except (ImportError, LookupError, OSError, ValueError) as error:
        if entry.kind not in ("neural", "composite"):
            raise
        lines["signature"] = f"not available here: {one_line(error)}"  # weights or an extra are missing or damaged
    for key, value in lines.items():
        typer.echo(f"{key:<10} {value}")


def _lines(entry: lookup.Entry, scoring: options.Scoring) -> dict[str, str]:
    """Return what is known of a metric before it is built."""
    name, lang, profile = entry.name, str(scoring.lang), scoring.profile
    lines = {"metric": name, "computes": entry.summary, "source": entry.source}
    if aliases := lookup.aliases_of(name):
        lines["alias"] = ", ".join(aliases)
    if entry.kind == "neural":
        weights = profiles.weights(name, lang, profile)
        layer = "" if weights.layer is None else f", layer {weights.layer}"
        adapter = "" if weights.adapter is None else f", adapter {weights.adapter.name}"
        order = "" if weights.order is None else f", order {weights.order}"
        revision = "" if weights.revision is None else f", revision {weights.revision}"
        lines["weights"] = f"{weights.model}{revision}{layer}{adapter}{order} (profile {profile or 'embedded'})"
        if weights.never_run:
            lines["note"] = "this project never ran these weights, only small random weights of the same architecture"
            if weights.revision is None:
                lines["note"] += "; no revision is pinned, so the hub may change them"
    if entry.parts:
        lines["parts"] = ", ".join(entry.parts)
    if lookup.reads_question(name, lang, profile):
        lines["question"] = "read if it is given"
    lines["options"] = ", ".join(lookup.options_of(name)) or "none"
    return lines


def _show_judge(lines: Mapping[str, str], prompt: str | None, record: Path | None) -> None:
    """Print the prompt of a judge and how to cite it. With a record, summarize its content."""
    from answersim.judge import citation
    from answersim.judge.prompts import find_prompt
    from answersim.judge.settings import DEFAULT
    from answersim.text_tables import printable

    found = find_prompt(DEFAULT if prompt is None else prompt)
    rows = [*lines.items(), *citation.description(found)]
    rows += [] if record is None else citation.citation(record)
    for name, text in rows:
        typer.echo(printable(f"{name:<10} {text}"))
    if record is None:
        for line in citation.messages(found):
            typer.echo(line)
