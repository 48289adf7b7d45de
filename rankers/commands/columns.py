"""Tables as columns of text, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from answersim.text_tables import TextTable, printable


def columns_of(tables: Sequence[TextTable], most: int = 60) -> str:
    """Return tables as columns of text, with texts truncated to ``most`` characters."""
    parts = []
    for table in tables:
        rows = [tuple(map(printable, row)) for row in (table.header, *table.rows)]
        lines = [[cell if len(cell) <= most else cell[: most - 1] + "…" for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        parts.append("\n".join([*([table.title] if table.title else []), *text, *table.notes]))
    return "\n\n".join(parts)
