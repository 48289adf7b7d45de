"""The command `rankers`, called in this process."""

from __future__ import annotations

from typer.testing import CliRunner, Result

from rankers import __main__ as command


def called(line: str) -> Result:
    return CliRunner().invoke(command.app, line.split())
