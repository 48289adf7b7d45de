"""The first sheet of an Excel file as rows of texts.

openpyxl is used because it is pure Python (also in the browser), states the type of each cell, and reads row by row in
little memory. python-calamine is ten times as fast, but a compiled library that reads whole sheets.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from answersim.errors import MissingExtraError


def sheet_rows(path: Path) -> tuple[tuple[str, ...], Iterator[dict[str, Any]]]:
    """Return the columns and, one by one, the rows of the first sheet. The first row names the columns.

    A number is the text that a person would type ("1987", "2.5"), a date is in ISO 8601, and an empty cell is None.
    Rows and columns without any value are skipped.

    Raises:
        MissingExtraError: If openpyxl is not installed.
        ValueError: If the file is damaged or no Excel file, a name is missing or occurs twice, or a cell contains an
            error such as #DIV/0!. The message gives the cell.
    """
    book = _open(path)
    cells = book.worksheets[0].iter_rows() if book.worksheets else iter(())
    header = next(cells, ())
    names = {i: str(_text(cell, path)) for i, cell in enumerate(header) if cell.value is not None}
    columns = tuple(names.values())

    def rows() -> Iterator[dict[str, Any]]:
        try:
            for row in cells:
                values = {names[i]: _text(cell, path) for i, cell in enumerate(row) if i in names}
                stray = next((cell for i, cell in enumerate(row) if i not in names and cell.value is not None), None)
                if stray is not None:
                    raise ValueError(f"{path}, cell {stray.coordinate}: its column has no name in the first row")
                if any(value is not None for value in values.values()):
                    yield {name: values.get(name) for name in columns}
        finally:
            book.close()

    return columns, rows()


def _open(path: Path) -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtraError("an Excel file", "excel", "openpyxl") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # it warns of styles and validations that it does not support; no value is affected
            return openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (BadZipFile, KeyError, ValueError, OSError, EOFError) as error:
        raise ValueError(
            f"{path} cannot be read as an Excel file; it is damaged or has another format: {error}"
        ) from error


def _text(cell: Any, path: Path) -> str | None:
    """Return the value of a cell as text; None if it is empty."""
    value = cell.value
    if value is None or isinstance(value, str):
        if cell.data_type == "e":
            raise ValueError(f"{path}, cell {cell.coordinate}: it contains the error {value}; repair the sheet")
        return value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
