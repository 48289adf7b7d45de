"""The command line: parse, one library call, print."""

from __future__ import annotations

from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from answersim._base import io
from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.command_list import STYLE, Headed, Listed, ListedCommands, path_hint
from answersim._base.signature import VERSION
from answersim.metrics import catalog


class _Commands(Headed):
    """A group of commands. The name of a metric in the place of a command is an error with a hint."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name."""
        name = args[0]
        if name not in self.list_commands(ctx) and not name.startswith("-"):
            ctx.fail(_hint(ctx, name, self.list_commands(ctx)))
        return super().resolve_command(ctx, args)


def _hint(context: Any, name: str, commands: list[str]) -> str:
    """Return what to do about a name that no command of a group has: it may be a file, a metric, or misspelled."""
    if Path(name).exists() or Path(name).suffix.lower() in io.files.READABLE:
        return path_hint(name, "answersim evaluate FILE" + " -m judge" * (context.info_name == "judge"))
    with suppress(LookupError, ValueError):  # no metric has this name, or a plug-in cannot be used
        known = catalog.lookup.entry(name).name
        return f"{name!r} is a metric and not a command; to score with it: answersim score FILE -m {known}"
    if close := get_close_matches(name, commands, 1):
        return f"No such command {name!r}; did you mean {close[0]!r}?"
    return f"No such command {name!r}; the commands are {', '.join(commands)}"


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


class _Root(ListedCommands, _Commands):
    """All commands, each imported at its first use."""

    package, listed, group = "answersim", LISTED, _Commands


app = typer.Typer(
    name="answersim",
    help="How close is a predicted answer to the gold answer in meaning, and how was that number made?",
    no_args_is_help=True,
    cls=_Root,
    **STYLE,
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
