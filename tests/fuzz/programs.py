"""Run commands of ``answersim`` and ``rankers`` in this process, and check how they end."""

import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple

STATUSES = {0, 1, 2, 3, 130}  # 1: `verify` reports a difference; 3: a training fails on a regression


class Ended(NamedTuple):
    """The end of a command: its status, its output, and a complaint or None."""

    status: int
    output: str
    complaint: str | None


def run(program: str, words: Sequence[object], allowed: set[int] = STATUSES) -> Ended:
    """Run one command. A traceback, another status, or status 2 without a message is a complaint."""
    from typer.testing import CliRunner

    texts = [str(word) for word in words]
    result = CliRunner().invoke(_app(program), texts)
    line = f"{program} {shlex.join(texts)}"
    complaint = None
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        complaint = f"{line}: {type(result.exception).__name__}: {result.exception}"
    elif result.exit_code not in allowed:
        complaint = f"{line}: status {result.exit_code}: {result.output[-200:]}"
    elif "Traceback (most recent call last)" in result.output:
        complaint = f"{line}: a traceback is printed"
    elif result.exit_code == 2 and not (f"{program}: " in result.output or "Usage: " in result.output):
        complaint = f"{line}: status 2 without a line that says why: {result.output[-200:]}"
    return Ended(result.exit_code, result.output, complaint)


def commands(program: str) -> dict[tuple[str, ...], Any]:
    """Return the click commands of a program by their words, such as ("cache", "info")."""
    import typer

    by_words: dict[tuple[str, ...], Any] = {}

    def visit(command: Any, words: tuple[str, ...]) -> None:
        if inner := getattr(command, "commands", None):
            for name, subcommand in inner.items():
                visit(subcommand, (*words, name))
        else:
            by_words[words] = command

    visit(typer.main.get_command(_app(program)), ())
    return by_words


def _app(program: str) -> Any:
    if program == "rankers":
        from rankers.__main__ import app
    else:
        from answersim.__main__ import app
    return app
