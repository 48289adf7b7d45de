"""The command line: parse, one library call, print."""

from __future__ import annotations

from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from answersim._base import io
from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.command_list import STYLE, Headed, ListedCommands, listed_commands, path_hint
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


LISTED = listed_commands(Path(__file__).with_name("commands.tsv"))


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
