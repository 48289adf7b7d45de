"""Text columns that commands print, and lists of names that they read."""

from __future__ import annotations

import re
from collections.abc import Iterable


def column_table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]], most: int = 60) -> str:
    """Return columns as wide as needed, with texts truncated to ``most`` characters."""
    lines = [header, *(tuple(cell if len(cell) <= most else cell[: most - 1] + "…" for cell in row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def names_in(text: str) -> list[str]:
    """Split a list of names at spaces and commas that are not within parentheses."""
    return [name for name in re.split(r"[\s,]+(?![^(]*\))", text) if name]
