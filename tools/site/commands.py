"""The reference pages of the command lines: every command with its options, from what `--help` prints."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from typer.main import get_command

PROGRAMS = ("answersim", "rankers")


def command_pages() -> dict[str, str]:
    """Return the pages by path, one per program, in Markdown."""
    return {f"reference/command-{program}.md": _page(program) for program in PROGRAMS}


def commands(program: str) -> list[tuple[str, Any]]:
    """Return the commands of a program by their full names, in the order of its help.

    >>> [name for name, _ in commands("answersim")][:3]
    ['answersim score', 'answersim evaluate', 'answersim list']
    """
    return list(_inside(program, get_command(import_module(f"{program}.__main__").app)))


def _inside(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield a command, or all commands of a group."""
    if not hasattr(command, "commands"):
        yield name, command
        return
    for inner, found in command.commands.items():
        if not getattr(found, "hidden", False):
            yield from _inside(f"{name} {inner}", found)


def _page(program: str) -> str:
    lines = [f"# The command line of `{program}`", "", "What `--help` prints for each command.", ""]
    for name, command in commands(program):
        lines += [f"## {name}", "", escaped(inspect.cleandoc(command.help or "")), ""]
        rows = [row for parameter in command.params if (row := _row(parameter))]
        if rows:
            lines += ["| argument or option | default | what it does |", "| --- | --- | --- |", *rows, ""]
    return "\n".join(lines)


def _row(parameter: Any) -> str:
    """Return the row of an argument or an option; "" for ``--help`` and hidden ones."""
    if getattr(parameter, "hidden", False) or parameter.name == "help":
        return ""
    is_argument = parameter.param_type_name == "argument"
    names = [parameter.name.upper()] if is_argument else [*parameter.opts, *parameter.secondary_opts]
    shown = ", ".join(f"`{name}`" for name in names)
    default = "required" if parameter.required else _default(parameter.default)
    return f"| {shown} | {default} | {escaped(' '.join((parameter.help or '').split()))} |"


def _default(value: Any) -> str:
    """Return a default as it is typed; "" for none, for no values and for what is computed."""
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
