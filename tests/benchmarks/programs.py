"""Calls of the benchmark programs in this process."""

from __future__ import annotations

from importlib import import_module

import typer
from typer.testing import CliRunner, Result


def invoke(module: str, *arguments: str) -> Result:
    """Call a program by the name of its module in benchmarks."""
    program = import_module(f"benchmarks.{module}")
    app = getattr(program, "app", None)
    if app is None:
        app = typer.Typer()
        app.command()(program.main)
    return CliRunner().invoke(app, list(arguments))


def message(result: Result) -> str:
    """Return the output on one line, without the frame that typer draws around errors."""
    return " ".join(result.output.replace("│", " ").split())
