"""Shared options of the benchmark commands: names between commas, and the destination of the result."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from answersim.errors import unknown
from benchmarks.tables import save


def chosen(kind: str, names: str, known: Collection[str]) -> list[str]:
    """Return the names in a list with commas, each once, in order. Raise LookupError if a name is not known.

    >>> chosen("metric", "f1, em,f1", ("em", "f1"))
    ['f1', 'em']
    """
    found = list(dict.fromkeys(name.strip() for name in names.split(",")))
    for name in found:
        if name not in known:
            raise unknown(kind, name, known)
    return found


def write_out(shown: str, output: Path | None) -> None:
    """Write a text to this file, or print it if there is none."""
    if output is None:
        sys.stdout.write(shown)
    else:
        save(shown, output)
