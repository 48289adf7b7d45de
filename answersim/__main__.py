"""The command line: parse, one library call, print."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from answersim.catalog import lookup
from answersim.commands.audit import audit
from answersim.commands.cache import app as cache_app
from answersim.commands.calibrate import calibrate
from answersim.commands.cascade import cascade
from answersim.commands.cite import cite
from answersim.commands.compare import compare
from answersim.commands.correlate import correlate
from answersim.commands.doctor import doctor
from answersim.commands.evaluate import evaluate
from answersim.commands.gate import gate
from answersim.commands.judge import app as judge_app
from answersim.commands.label import label
from answersim.commands.official import official
from answersim.commands.options import Network
from answersim.commands.plan import plan
from answersim.commands.printing import print_parts
from answersim.commands.report import report
from answersim.commands.samples import samples
from answersim.commands.score import score
from answersim.commands.serve import serve
from answersim.commands.show import list_, show
from answersim.runtime.cli_errors import user_errors
from answersim.runtime.option_groups import GroupedCommand, Use, command
from answersim.signature import VERSION
from answersim.text_tables import TextTable


class _Trainings(TyperGroup):
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
        if self.get_command(ctx, name) is None:
            with suppress(LookupError, ValueError):  # no metric has this name, or a plug-in cannot be used
                known = lookup.entry(name).name
                ctx.fail(f"{name!r} is a metric and not a command; to score with it: answersim score FILE -m {known}")
        return super().resolve_command(ctx, args)


_STYLE: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}
app = typer.Typer(
    name="answersim",
    help="How close is a predicted answer to the gold answer in meaning, and how was that number made?",
    no_args_is_help=True,
    cls=_Commands,
    **_STYLE,
)
data_app = typer.Typer(help="List and fetch the labeled sets of the paper.", no_args_is_help=True)
train_app = typer.Typer(
    help="Train the small models behind the metrics. Needs the extra 'train'.", cls=_Trainings, no_args_is_help=True
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
    "Evaluate systems": (evaluate, compare, gate, samples, report),
    "Use human labels": (label, plan, calibrate, cascade),
    "Choose a metric": (correlate, doctor, audit),
    "Train with rewards": (serve,),
    "Look up": (list_, show, official, cite),
}
for _heading, _group in _GROUPS.items():
    for _command in _group:
        app.command(_command.__name__.rstrip("_"), cls=GroupedCommand, rich_help_panel=_heading)(_command)
for _name, _app in (("judge", judge_app), ("train", train_app), ("data", data_app), ("cache", cache_app)):
    app.add_typer(_app, name=_name, rich_help_panel="Models and data")


@data_app.command("list")
@command
def data_list() -> None:
    """List the labeled sets, and whether they are on this machine."""
    from answersim.data import datasets

    rows = [(name, "yes" if datasets.present(name) else "no", datasets.about(name)) for name in datasets.names()]
    print_parts([TextTable("", ("set", "here", "what it is"), tuple(rows))])


@data_app.command("fetch", cls=GroupedCommand)
@command
def data_fetch(
    run: Annotated[Network, Use("progress")],
    names: Annotated[
        list[str] | None, typer.Argument(help="The sets to fetch. By default, all sets are fetched.")
    ] = None,
) -> None:
    """Fetch the sets of the paper into the cache. Their source is its public repository. Their SHA-256 is verified."""
    from answersim.data.fetch import FILES, fetch
    from answersim.runtime.progress import bar
    from answersim.runtime.progress import progress as shown

    with shown(run.progress):
        wanted = names or list(FILES)
        for name in wanted:
            with bar(0, name, "B") as line:

                def update_bar(file: object, here: int, size: int | None, line: Any = line) -> None:
                    line.total = size
                    line.update(here - line.n)

                for result in fetch([name], progress=update_bar):
                    typer.echo(f"{'fetched' if result.brought else 'was here'}  {result.path}")


def main() -> None:
    """Run the command line. An error that the user can correct ends it with one line and exit status 2."""
    with user_errors():  # also covers errors outside the command itself, such as while its help is printed
        app()


if __name__ == "__main__":
    main()
