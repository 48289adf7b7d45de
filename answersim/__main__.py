"""The command line: parse, one library call, print."""

from __future__ import annotations

from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from answersim._base.io import files
from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.option_groups import GroupedCommand
from answersim._base.signature import VERSION
from answersim.commands.calibrate import calibrate
from answersim.commands.compare import compare
from answersim.commands.correlate import correlate
from answersim.commands.data import app as data_app
from answersim.commands.doctor import doctor
from answersim.commands.evaluate import evaluate
from answersim.commands.judge import app as judge_app
from answersim.commands.label import label
from answersim.commands.official import official
from answersim.commands.samples import samples
from answersim.commands.score import score
from answersim.commands.serve import serve
from answersim.commands.show import show
from answersim.metrics.catalog import lookup


class _Commands(TyperGroup):
    """The commands, in groups. The name of a metric in the place of a command is an error with a hint."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under the headings of their groups."""
        groups: dict[str, list[tuple[str, Any]]] = {}
        for name in self.list_commands(ctx):
            found = self.get_command(ctx, name)
            groups.setdefault(str(getattr(found, "rich_help_panel", None) or "Commands"), []).append((name, found))
        width = formatter.width - 6 - max(len(name) for group in groups.values() for name, _ in group)
        for heading, group in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name, found.get_short_help_str(width)) for name, found in group])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            ctx.fail(_hint(ctx, name, self.list_commands(ctx)))
        return super().resolve_command(ctx, args)


def _hint(context: Any, name: str, commands: list[str]) -> str:
    """Return what to do about a name that no command of a group has: it may be a file, a metric, or misspelled."""
    if Path(name).exists() or Path(name).suffix.lower() in files.READABLE:
        metric = " -m judge" if context.info_name == "judge" else ""
        return f"{name!r} is a file and not a command; did you mean 'answersim evaluate {name}{metric}'?"
    with suppress(LookupError, ValueError):  # no metric has this name, or a plug-in cannot be used
        known = lookup.entry(name).name
        return f"{name!r} is a metric and not a command; to score with it: answersim score FILE -m {known}"
    if close := get_close_matches(name, commands, 1):
        return f"No such command {name!r}; did you mean {close[0]!r}?"
    return f"No such command {name!r}; the commands are {', '.join(commands)}"


class _Trainings(_Commands):
    """The commands of ``answersim train``, imported only if one of them is run or listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        return self._imported().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of this name, or None."""
        return self._imported().get_command(ctx, cmd_name)

    def _imported(self) -> TyperGroup:
        from answersim.training.commands import app as trainings

        above = typer.Typer(**_STYLE)
        above.add_typer(trainings, name=self.name)
        group: TyperGroup = typer.main.get_group(above).commands[self.name]  # type: ignore[assignment, index]
        return group


_STYLE: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}
app = typer.Typer(
    name="answersim",
    help="How close is a predicted answer to the gold answer in meaning, and how was that number made?",
    no_args_is_help=True,
    cls=_Commands,
    **_STYLE,
)
train_app = typer.Typer(
    help="Train the small models behind the metrics. Needs the extra 'train'.", no_args_is_help=True
)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(VERSION)
        raise typer.Exit


_GROUPS: dict[str, tuple[Any, ...]] = {  # in the order of the help
    "Score answers": (score,),
    "Evaluate systems": (evaluate, compare, samples),
    "Use human labels": (label, calibrate),
    "Choose a metric": (correlate, doctor),
    "Train with rewards": (serve,),
    "Look up": (show, official),
}
for _heading, _group in _GROUPS.items():
    for _command in _group:
        app.command(_command.__name__.rstrip("_"), cls=GroupedCommand, rich_help_panel=_heading)(_command)
for _name, _app in (("judge", judge_app), ("train", train_app), ("data", data_app)):
    _kind = _Trainings if _name == "train" else _Commands
    app.add_typer(_app, name=_name, cls=_kind, rich_help_panel="Models and data")


def main() -> None:
    """Run the command line. An error that the user can correct ends it with one line and exit status 2."""
    with user_errors():  # also covers errors outside the command itself, such as while its help is printed
        app()


if __name__ == "__main__":
    main()
