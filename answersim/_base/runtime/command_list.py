"""Commands under headings. Each is imported only if it is run, or its own help is printed."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from answersim._base.runtime.option_groups import GroupedCommand

STYLE: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}


class Listed(NamedTuple):
    """A command in the list of all."""

    heading: str  # that it is listed under
    target: str  # its module in the package, and its name
    help: str  # the first sentence of its help


def listed_commands(path: Path) -> dict[str, Listed]:
    """Return the commands of a TSV file with the columns name, heading, target and help, in its order."""
    with path.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file, delimiter="\t")
    return {name: Listed(*fields) for name, *fields in rows}


class Headed(TyperGroup):
    """The commands of a group, under their headings."""

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


class ListedCommands(Headed):
    """All commands of a program, each imported at its first use."""

    package: ClassVar[str]  # with the modules of the commands
    listed: ClassVar[Mapping[str, Listed]]  # by name, in the order of the help
    group: ClassVar[type[TyperGroup]] = Headed  # of a command that has commands

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, and import none."""
        return list(self.listed)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of this name, or None."""
        return _imported(self.package, cmd_name, self.listed[cmd_name], self.group) if cmd_name in self.listed else None

    def rows(self, context: Any) -> Iterator[tuple[str, str, str]]:
        """Yield the heading, the name and the help of each command, and import none."""
        yield from ((listed.heading, name, listed.help) for name, listed in self.listed.items())


def path_hint(name: str, command: str) -> str:
    """Return what to do about the name of a file or a folder in the place of a command: one that reads FILE.

    >>> path_hint("answers.csv", "answersim evaluate FILE")
    "'answers.csv' is a file and not a command; did you mean 'answersim evaluate answers.csv'?"
    """
    kind, shown = ("folder", command) if Path(name).is_dir() else ("file", command.replace("FILE", name))
    return f"{name!r} is a {kind} and not a command; did you mean {shown!r}?"


@cache
def _imported(package: str, name: str, listed: Listed, group: type[TyperGroup]) -> Any:
    """Return a command or a group of commands as click reads it."""
    module, _, attribute = listed.target.partition(":")
    target = getattr(import_module(f"{package}.{module}"), attribute)
    above = typer.Typer(**STYLE)
    if isinstance(target, typer.Typer):
        above.add_typer(target, name=name, cls=group, rich_help_panel=listed.heading)
    else:
        above.command(name, cls=GroupedCommand, rich_help_panel=listed.heading)(target)
    imported: TyperGroup = typer.main.get_group(above)
    return imported.commands[name]
