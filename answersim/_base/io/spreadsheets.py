"""What spreadsheet programs require: the first sheet of an Excel file as rows of texts, and cells that are no formulas.

openpyxl parses the file. It is pure Python, states the type of each cell, and needs little
memory. python-calamine 0.9.1 is ten times as fast, but it reads error cells as empty, gives no formats, and allocates
the whole area of a sheet: a file of 5 kB with one cell at XFD1048576 aborts the process.
"""

from __future__ import annotations

import datetime
import re
import warnings
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from answersim._base.errors import MissingExtraError
from answersim._base.golds import as_text

_FORMULA = re.compile(r"'*(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])(?s:.*?)\w")  # as in report/data.js
_NUMBER = re.compile(r"\s*[+-]?(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s?%?\s*", re.ASCII)
_NOT_SHOWN = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')  # literal texts and colors in the format of a number


class _Cell(NamedTuple):
    """A cell that is not empty: its number of the column, its name ("B2"), its value, its type, and its format."""

    column: int
    name: str
    value: Any
    kind: str
    percent: bool


def guarded(text: str) -> str:
    """Return a text for a cell of a CSV file. An apostrophe in front of it prevents that it is run as a formula.

    A spreadsheet program runs a cell that begins with =, +, -, @, a tab or a line end. Plain numbers are unchanged, and
    so are texts without any letter or digit. A text with apostrophes before such a character gets one more, so that
    ``unguarded`` restores every text.

    >>> [guarded(text) for text in ("=1+1", "-5", "-", "- 5 km", "'=1", "it's")]
    ["'=1+1", '-5', '-', "'- 5 km", "''=1", "it's"]
    """
    return "'" + text if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unguarded(text: str) -> str:
    """Return the text that ``guarded`` was given.

    >>> [unguarded(text) for text in ("'=1+1", "-5", "''=1", "it's", "'tis")]
    ['=1+1', '-5', "'=1", "it's", "'tis"]
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def sheet_rows(path: Path) -> tuple[tuple[str, ...], Iterator[dict[str, Any]]]:
    """Return the columns and, one by one, the rows of the first sheet. The first row names the columns.

    A number is the text that a person would type ("1987", "2.5", "50%" in a percent format), a date is in ISO 8601, and
    an empty cell is an empty text, as in CSV. Rows and columns without any value are skipped. The size that the file
    states for its sheet is not used, because some programs write a wrong one.
    """
    parsed = _parsed(path)
    first = next(parsed, (1, ()))
    names = {cell.column: _text(cell, path) for cell in first[1]} if first[0] == 1 else {}
    columns = tuple(names.values())

    def rows() -> Iterator[dict[str, Any]]:
        last = 1
        for number, cells in parsed:
            if number <= last:
                raise _damaged(path, f"row {number} comes after row {last}")
            last = number
            values: dict[str, str] = {}
            for cell in cells:
                if cell.column not in names:
                    raise ValueError(f"{path}, cell {cell.name}: its column has no name in the first row")
                if names[cell.column] in values:
                    raise _damaged(path, f"it has the cell {cell.name} twice")
                values[names[cell.column]] = _text(cell, path)
            if values:
                yield {name: values.get(name, "") for name in columns}

    return columns, rows()


def _parsed(path: Path) -> Iterator[tuple[int, list[_Cell]]]:
    """Yield the number of each row in the file and its cells that are not empty."""
    try:
        from openpyxl.cell.read_only import ReadOnlyCell
        from openpyxl.reader.excel import ExcelReader
        from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser
    except ImportError as error:
        raise MissingExtraError("an Excel file", "excel", "openpyxl") from error

    class Parser(WorkSheetParser):  # type: ignore[misc] # the class has no types
        """The parser of openpyxl, without the rows that it adds or leaves out, and with formulas that have no value."""

        def parse_cell(self, element: Any) -> dict[str, Any]:
            cell: dict[str, Any] = super().parse_cell(element)
            formula = cell["value"] is None and element.find(FORMULA_TAG) is not None
            return cell | {"data_type": "f"} if formula else cell

    try:
        with path.open("rb") as file:
            with warnings.catch_warnings():  # of styles that it does not support; no value is affected
                warnings.simplefilter("ignore")
                reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
                reader.read()
            book = reader.wb
            if len(book.sheetnames) < len(reader.parser.sheets):
                raise ValueError("it names a sheet that it does not contain")
            if not book.worksheets:
                return
            sheet = book.worksheets[0]
            with sheet._get_source() as source:
                parser = Parser(
                    source,
                    sheet._shared_strings,
                    data_only=True,
                    epoch=book.epoch,
                    date_formats=book._date_formats,
                    timedelta_formats=book._timedelta_formats,
                )
                for number, row in parser.parse():
                    cells = (cell for cell in row if cell["value"] is not None or cell["data_type"] == "f")
                    yield number, [_cell(ReadOnlyCell(sheet, **cell)) for cell in cells]
    except (GeneratorExit, MemoryError):
        raise
    except Exception as error:  # damaged files make it raise nearly all kinds of errors
        raise _damaged(path, f"{error or type(error).__name__}") from error


def _cell(cell: Any) -> _Cell:
    value, kind = cell.value, cell.data_type
    numeric = kind == "n" and isinstance(value, (int, float))
    percent = numeric and "%" in _NOT_SHOWN.sub("", cell.number_format)
    return _Cell(cell.column, cell.coordinate, value, kind, percent)


def _damaged(path: Path, why: str) -> ValueError:
    return ValueError(f"{path} cannot be read as an Excel file; it is damaged or has another format: {why}")


def _text(cell: _Cell, path: Path) -> str:
    """Return the value of a cell as text."""
    value = cell.value
    if cell.kind == "e":
        raise ValueError(f"{path}, cell {cell.name}: it contains the error {value}; repair the sheet")
    if cell.kind == "f":
        raise ValueError(
            f"{path}, cell {cell.name}: its formula has no stored value; open the file in a spreadsheet program, and "
            "save it"
        )
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).upper()
    if cell.percent:
        return f"{(Decimal(str(value)) * 100).normalize():f}%"
    if (number := as_text(value)) is not None:
        return number
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
