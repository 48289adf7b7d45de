"""The reference pages of the command lines: every command with its options, from what `--help` prints."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from typer.main import get_command

PROGRAMS = ("answersim", "rankers")


def command_pages() -> dict[str, str]:
    """Return the pages by path, one per program, in Markdown."""
    pages = {f"reference/command-{program}.md": _page(program) for program in PROGRAMS}
    return pages | {"reference/options.md": _option_page()}


def commands(program: str) -> list[tuple[str, Any]]:
    """Return the commands of a program by their full names, in the order of its help.

    >>> [name for name, _ in commands("answersim")][:3]
    ['answersim score', 'answersim evaluate', 'answersim compare']
    """
    return list(_inside(program, get_command(import_module(f"{program}.__main__").app)))


class OptionRow(NamedTuple):
    """An option of some commands."""

    name: str  # the name, such as "--metric", with its short form and its negation
    help: str  # what it does, in all of these commands
    commands: tuple[str, ...]  # the commands that have it
    notes: Mapping[str, str]  # what the help of a command adds, by command
    heading: str  # the group of options that it belongs to


def option_table(program: str = "answersim") -> list[OptionRow]:
    """Return the options of all commands, but for the trainings, whose options are the settings of their recipes.

    Raise ValueError if commands have different texts or groups for one option.
    """
    rows: dict[str, OptionRow] = {}
    for command, found in commands(program):
        if command.split()[1] == "train":
            continue
        for parameter in found.params:
            if parameter.param_type_name != "option" or parameter.name == "help":
                continue
            note = getattr(found.callback, "notes", {}).get(parameter.name, "")
            text = " ".join((parameter.help or "").split()).removesuffix(note).rstrip()
            name = ", ".join([*parameter.opts, *parameter.secondary_opts])
            heading = parameter.rich_help_panel or "Options"
            row = rows.setdefault(name, OptionRow(name, text, (), {}, heading))
            if (row.help, row.heading) != (text, heading):
                both = f"{text!r} in {command!r} and {row.help!r} in {row.commands}"
                raise ValueError(f"{name} is {both}; choose one text")
            notes = {**row.notes, command: note} if note else row.notes
            rows[name] = row._replace(commands=(*row.commands, command), notes=notes)
    return sorted(rows.values(), key=lambda row: row.name.split("--", 1)[1])


def _option_page() -> str:
    """Return the page of all options, with the commands that have each."""
    lines = ["# All options of `answersim`", "", "An option has one meaning in all commands that have it.", ""]
    lines += ["| option | what it does | commands |", "| --- | --- | --- |"]
    for row in option_table():
        notes = "".join(f" `{command.partition(' ')[2]}`: {escaped(note)}" for command, note in row.notes.items())
        commands_of = ", ".join(command.partition(" ")[2] for command in row.commands)
        names = ", ".join(f"`{name}`" for name in row.name.split(", "))
        lines.append(f"| {names} | {escaped(row.help)}{notes} | {commands_of} |")
    return "\n".join([*lines, ""])


def _inside(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield a command, or all commands of a group."""
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for inner in command.list_commands(None):
        found = command.get_command(None, inner)
        if not getattr(found, "hidden", False):
            yield from _inside(f"{name} {inner}", found)


def _page(program: str) -> str:
    lines = [f"# The command line of `{program}`", "", "What `--help` and `--help-all` print for each command.", ""]
    for name, command in commands(program):
        lines += [f"## {name}", "", escaped(inspect.cleandoc(command.help or "")), ""]
        rows = [row for parameter in command.params if (row := _row(parameter))]
        if rows:
            lines += ["| argument or option | default | what it does |", "| --- | --- | --- |", *rows, ""]
    return "\n".join(lines)


def _row(parameter: Any) -> str:
    """Return the row of an argument or an option; "" for ``--help``."""
    if parameter.name == "help":
        return ""
    is_argument = parameter.param_type_name == "argument"
    names = [parameter.name.upper()] if is_argument else [*parameter.opts, *parameter.secondary_opts]
    shown = ", ".join(f"`{name}`" for name in names)
    default = "required" if parameter.required else _default(parameter.default)
    return f"| {shown} | {default} | {escaped(' '.join((parameter.help or '').split()))} |"


def _default(value: Any) -> str:
    """Return the default as a user would type it, or "" if it is empty or computed."""
    value = getattr(value, "value", value)  # of a choice
    if value is None or value is False or callable(value) or value in ("", [], ()):
        return ""
    return "on" if value is True else f"`{value}`"


def escaped(text: str) -> str:
    r"""Return a text in which only backquotes are marks of Markdown.

    >>> print(escaped("*all* of `a_b` | <c>"))
    \*all\* of `a_b` \| \<c\>
    """
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part.replace("|", r"\|") if part.startswith("`") else re.sub(r"([\\*_|<>\[\]#$])", r"\\\1", part)
        for part in parts
    )
