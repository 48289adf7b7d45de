"""The protocol of results: a sentence, tables for the terminal, Markdown, LaTeX and notebooks, and data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from answersim.errors import MissingExtraError
from answersim.text_tables import (
    TextTable,
    escaped,
    html_result,
    json_values,
    latex_escaped,
    latex_table,
    markdown_table,
    printable,
)
from answersim.types import is_unicode

if TYPE_CHECKING:
    import pandas as pd


class Result:
    """A result. A class states ``summary``, ``tables`` and ``records``; the rest follows from them."""

    def summary(self) -> str:
        """Return the result in a sentence."""
        raise NotImplementedError

    def tables(self) -> list[TextTable]:
        """Return the tables of the result."""
        raise NotImplementedError

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per row, for a CSV file or a data frame."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the content as dictionaries, lists, numbers and strings for JSON, with None for nan."""
        content: dict[str, Any] = json_values({"summary": self.summary(), "rows": self.records()})
        return content

    def to_json(self) -> str:
        """Return the content as JSON."""
        content = self.to_dict()
        text = json.dumps(content, ensure_ascii=False, indent=2)
        return text if is_unicode(text) else json.dumps(content, indent=2)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per record. Raise MissingExtraError without pandas."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError(f"{type(self).__name__}.to_pandas()", "tables", "pandas") from error
        return pd.DataFrame(self.records())

    def to_text(self) -> str:
        """Return the tables as columns of text."""
        return columns_of(self.tables())

    def to_markdown(self) -> str:
        """Return the sentence and the tables in Markdown."""
        lines = [escaped(self.summary()), "", *(line for table in self.tables() for line in markdown_table(table))]
        return "\n".join(lines)

    def to_latex(self) -> str:
        """Return the sentence and the tables in LaTeX, for the package booktabs."""
        head = latex_escaped(self.summary()) + r"\\"
        return "\n".join([head, "", *(line for table in self.tables() for line in latex_table(table))])

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return html_result([self.summary()], self.tables())


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
