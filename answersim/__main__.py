"""The command line: parse, one library call, print."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from answersim._base import io
from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.option_groups import GroupedCommand
from answersim._base.signature import VERSION
from answersim.metrics import catalog


class _Commands(TyperGroup):
    """The commands, in groups. The name of a metric in the place of a command is an error with a hint."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under the headings of their groups."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for heading, name, text in self.rows(ctx):
            groups.setdefault(heading, []).append((name, text))
        width = formatter.width - 6 - max(len(name) for group in groups.values() for name, _ in group)
        for heading, group in groups.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(name, TyperCommand(None, help=text).get_short_help_str(width)) for name, text in group]
                )

    def rows(self, context: Any) -> Iterator[tuple[str, str, str]]:
        """Yield the heading, the name and the help of each command."""
        for name in self.list_commands(context):
            command: Any = self.get_command(context, name)
            yield getattr(command, "rich_help_panel", None) or "Commands", name, command.help or ""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name."""
        name = args[0]
        if name not in self.list_commands(ctx) and not name.startswith("-"):
            ctx.fail(_hint(ctx, name, self.list_commands(ctx)))
        return super().resolve_command(ctx, args)


def _hint(context: Any, name: str, commands: list[str]) -> str:
    """Return what to do about a name that no command of a group has: it may be a file, a metric, or misspelled."""
    if Path(name).exists() or Path(name).suffix.lower() in io.files.READABLE:
        metric = " -m judge" if context.info_name == "judge" else ""
        return f"{name!r} is a file and not a command; did you mean 'answersim evaluate {name}{metric}'?"
    with suppress(LookupError, ValueError):  # no metric has this name, or a plug-in cannot be used
        known = catalog.lookup.entry(name).name
        return f"{name!r} is a metric and not a command; to score with it: answersim score FILE -m {known}"
    if close := get_close_matches(name, commands, 1):
        return f"No such command {name!r}; did you mean {close[0]!r}?"
    return f"No such command {name!r}; the commands are {', '.join(commands)}"


class Listed(NamedTuple):
    """A command in the list of all. Its module is imported only if it is run, or its own help is printed."""

    heading: str  # that it is listed under
    target: str  # its module and name in ``answersim``
    help: str  # the first sentence of its help


LISTED = {  # in the order of the help
    "score": Listed(
        "Score answers", "commands.score:score", "Score the rows of a table or of two text files, or one pair."
    ),
    "evaluate": Listed(
        "Evaluate systems", "commands.systems.evaluate:evaluate", "Count the right answers of systems, with intervals."
    ),
    "compare": Listed("Evaluate systems", "commands.systems.compare:compare", "Compare systems on the same questions."),
    "samples": Listed("Evaluate systems", "commands.systems.samples:samples", "Join samples that mean the same."),
    "label": Listed("Use human labels", "commands.labels.label:label", "Draw rows to label by hand, or plan how many."),
    "calibrate": Listed(
        "Use human labels", "commands.labels.calibrate:calibrate", "Learn from labels what scores mean."
    ),
    "correlate": Listed(
        "Choose a metric", "commands.metrics.correlate:correlate", "Measure how far metrics agree with human labels."
    ),
    "doctor": Listed(
        "Choose a metric", "commands.metrics.doctor:doctor", "Examine what metrics of any library cannot see."
    ),
    "serve": Listed("Train with rewards", "commands.services.serve:serve", "Serve rewards over HTTP."),
    "show": Listed("Look up", "commands.metrics.show:show", "List metrics, or describe one."),
    "official": Listed(
        "Look up", "commands.metrics.official:official", "Score answers as benchmarks do, side by side."
    ),
    "judge": Listed(
        "Models and data", "commands.services.judge:app", "Ask a judge through batch files of OpenAI or vLLM."
    ),
    "train": Listed("Models and data", "training.commands:app", "Train the small models behind the metrics."),
    "data": Listed(
        "Models and data", "commands.services.data:app", "Fetch sets of the paper and weights for languages."
    ),
}


@cache
def _imported(name: str) -> Any:
    """Return a command or a group of commands as click reads it."""
    listed = LISTED[name]
    module, _, attribute = listed.target.partition(":")
    target = getattr(import_module(f"answersim.{module}"), attribute)
    above = typer.Typer(**_STYLE)
    if isinstance(target, typer.Typer):
        above.add_typer(target, name=name, cls=_Commands, rich_help_panel=listed.heading)
    else:
        above.command(name, cls=GroupedCommand, rich_help_panel=listed.heading)(target)
    group: TyperGroup = typer.main.get_group(above)
    return group.commands[name]


class _Root(_Commands):
    """All commands, each imported at its first use."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, and import none."""
        return list(LISTED)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of this name, or None."""
        return _imported(cmd_name) if cmd_name in LISTED else None

    def rows(self, context: Any) -> Iterator[tuple[str, str, str]]:
        """Yield the heading, the name and the help of each command, and import none."""
        yield from ((listed.heading, name, listed.help) for name, listed in LISTED.items())


_STYLE: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}
app = typer.Typer(
    name="answersim",
    help="How close is a predicted answer to the gold answer in meaning, and how was that number made?",
    no_args_is_help=True,
    cls=_Root,
    **_STYLE,
)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(VERSION)
        raise typer.Exit


def main() -> None:
    """Run the command line. An error that the user can correct ends it with one line and exit status 2."""
    with user_errors():  # also covers errors outside the command itself, such as while its help is printed
        app()


if __name__ == "__main__":
    main()
