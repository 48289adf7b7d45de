"""The options that several commands share, each with one meaning, and lists of names that they read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

Device = Annotated[str | None, typer.Option(help="cpu, cuda ... Default: a GPU if there is one.")]
NewFolder = Annotated[Path, typer.Option("--output", "-o", help="The folder to create.")]
Relevant = Annotated[
    int | None, typer.Option(help="The lowest grade that counts as relevant. Default: that of the corpus, or 1.")
]
Seed = Annotated[int, typer.Option(help="The random seed.", min=0)]


def names_in(texts: Iterable[str] | None) -> list[str]:
    """Split lists of names at spaces and commas that are not within parentheses."""
    return [name for text in texts or () for name in re.split(r"[\s,]+(?![^(]*\))", text) if name]
