"""The reader and writer of tables. A file is never written partially.

CSV, TSV, JSON lines and Parquet are read and written, JSON arrays and Excel files are read. ``text_rows`` reads lines
one by one, and ``output_files`` decides how a file is replaced.
"""

from __future__ import annotations

import atexit
import csv
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, NamedTuple

from answersim._base.arguments import is_unicode
from answersim._base.errors import MissingExtraError
from answersim._base.io import text_rows
from answersim._base.io.detection import delimiter_of, encoding_of, text_format
from answersim._base.io.output_files import WRITABLE, atomic_write, check_place, format_of, suffix_of
from answersim._base.io.spreadsheets import guarded, sheet_rows

READABLE = (*WRITABLE, ".json", ".xlsx")
DELIMITERS = {".csv": ",", ".tsv": "\t"}
_STDIN = "-"
_BATCH = 8192  # rows of Parquet that are read at a time


class Table(NamedTuple):
    """Rows by column name; ``arrow`` keeps the types of a table that was read from Parquet."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    arrow: Any = None

    def values(self, name: str, path: Path) -> list[Any]:
        """Return the values in this column, in order; None if a row has none.

        A name with dots, such as "response.text", is that of a field inside objects if no column has this name. A
        number in it is a position in a list, and of a list of objects the field of each is taken.
        """
        if name in self.columns:
            return [row.get(name) for row in self.rows]
        head, *fields = name.split(".")
        if fields and head in self.columns:
            cells = [_field(row.get(head), fields) for row in self.rows]
            if not self.rows or any(value is not None for value in cells):
                return cells
        alike = next((f"; did you mean {known!r}?" for known in self.columns if known.lower() == str.lower(name)), "")
        raise LookupError(
            f"{path} has no column {name!r}; its columns are: {', '.join(self.columns) or '(none)'}{alike}"
        )

    def at(self, rows: Sequence[int]) -> Table:
        """Return the rows at these positions."""
        if list(rows) == list(range(len(self.rows))):
            return self
        arrow = None if self.arrow is None else self.arrow.take(pyarrow_module().array(list(rows), "int64"))
        return Table(self.columns, [self.rows[i] for i in rows], arrow)


def _field(value: Any, fields: Sequence[str]) -> Any:
    """Return a field inside objects and lists, or None."""
    for i, field in enumerate(fields):
        if isinstance(value, dict):
            value = value.get(field)
        elif isinstance(value, list) and field.isdigit():
            value = value[int(field)] if int(field) < len(value) else None
        elif isinstance(value, list) and value:
            return [_field(item, fields[i:]) for item in value]
        else:
            return None
    return value


def read(path: Path) -> Table:
    """Read the table in this file, by its suffix. Every CSV and TSV value is text, unchanged ("NA" is an answer).

    Only the apostrophe that ``write`` puts in front of a formula is removed, see ``spreadsheets.guarded``. Encoding and
    delimiter are detected unless they are stated, see ``answersim._base.io.detection``.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file in it")
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; give a table ({', '.join(READABLE)})")
    if path.suffix.lower() not in READABLE:
        raise ValueError(f"{path} has {suffix_of(path)}; one table is read from: {', '.join(READABLE)}")
    kind = kind_of(path)
    if kind == ".parquet":
        return _read_parquet(path)
    if kind == ".xlsx":
        columns, cells = sheet_rows(path)
        text_rows.check_names(path, columns)
        return Table(columns, list(cells))
    encoding = encoding_of(path)
    if kind in DELIMITERS:
        return read_csv(path, delimiter_of(path, encoding, DELIMITERS[kind]), encoding)
    if kind == ".json":
        return table_of_rows(_json_array(path, encoding))
    return table_of_rows(text_rows.json_rows(text_rows.lines_of(path, encoding), path))


def kind_of(path: Path) -> str:
    """Return the suffix that decides how a file is read. A .json file without an array is read as JSON lines."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        suffix = ".json" if _beginning(path)[1] == b"[" else ".jsonl"
    encoding, delimiter = text_format()
    if encoding is not None and suffix in (".parquet", ".xlsx"):
        raise ValueError(f"--encoding is {encoding!r}, but {path} is not a text file; leave it out")
    if delimiter is not None and suffix not in DELIMITERS:
        raise ValueError(f"--delimiter is {delimiter!r}, but {path} is neither CSV nor TSV; leave it out")
    return suffix


def _beginning(path: Path) -> tuple[bytes, bytes]:
    """Return the first bytes of a file, and the first one of them that is text."""
    with path.open("rb") as file:
        head = file.read(1024)
    return head, head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1]


def _json_array(path: Path, encoding: str) -> list[dict[str, Any]]:
    """Return the objects of a JSON array, which is read as a whole. Raise ValueError for anything but objects."""
    try:
        rows = text_rows.DECODER.decode("".join(text_rows.lines_of(path, encoding)))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON ({error})") from error
    for i, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise ValueError(
                f"{path}, row {i}: it is of type {type(row).__name__}, but every element must be an object"
            )
    return rows


def buffer_stdin(path: Path) -> Path:
    """Return the path of a table; for "-", that of a copy of standard input, whose first bytes decide its format."""
    if str(path) != _STDIN:
        return path
    folder = Path(tempfile.mkdtemp(prefix="answersim-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / "standard-input"
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    head, start = _beginning(copy)
    if not head:
        raise ValueError("standard input is empty; give a table, such as: answersim score - < answers.csv")
    binary = {b"PAR1": ".parquet", b"PK\3\4": ".xlsx"}.get(head[:4])
    return copy.rename(copy.with_suffix(binary or {b"[": ".json", b"{": ".jsonl"}.get(start, ".csv")))


def read_csv(path: Path, delimiter: str = ",", encoding: str = "utf-8-sig") -> Table:
    """Read the table in this CSV file. Every value is text, unchanged: "NA" is an answer, not a missing value."""
    reader = csv.reader(text_rows.lines_of(path, encoding), delimiter=delimiter, strict=True)
    header, rows = text_rows.rows_of(text_rows.csv_records(reader, path), path)
    return Table(header, [row for _, row in rows])


def check_writable(path: Path, table: Table, suffix: str | None = None) -> None:
    """Check before any work that this table can be written here, in the format of the suffix. Leave no trace."""
    check_place(path)
    try:
        _write(table, suffix or format_of(path), Path(os.devnull), {})
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} cannot contain this table: {error}") from error


def check_distinct_columns(**columns: str | None) -> None:
    """Check that no two options, by name, have the same column: answers are always equal to themselves."""
    taken: dict[str, str] = {}
    for option, name in columns.items():
        if name is not None and (holder := taken.setdefault(name, option)) != option:
            raise ValueError(f"{holder} and {option} both name the column {name!r}; give each a different column")


def check_new(table: Table, names: Iterable[str]) -> None:
    """Check that the table has no column of these names. Raise ValueError with the first such column if it has."""
    if taken := [name for name in names if name in table.columns]:
        raise ValueError(f"the table already has a column {taken[0]!r}; choose another name with --prefix")


def write(table: Table, path: Path, new: Mapping[str, Sequence[Any]] | None = None, *, usual: str = ".csv") -> None:
    """Write this table to this file, by its suffix, with new columns at the end. See ``atomic_write``.

    ``usual``: the suffix of the format that a pipe or device without a known suffix gets.
    """
    with atomic_write(path) as draft:
        _write(table, format_of(path, usual), draft, new or {})


def _write(table: Table, suffix: str, path: Path, new: Mapping[str, Sequence[Any]]) -> None:
    if suffix == ".parquet":
        arrow = to_arrow(table) if table.arrow is None else table.arrow
        for name, values in new.items():
            kind = "string" if len(values) and isinstance(values[0], str) else "float64"
            arrow = arrow.append_column(name, pyarrow_module().array(values, kind))
        pyarrow_module().parquet.write_table(arrow, path)
        return
    added: Iterable[Sequence[Any]] = zip(*new.values(), strict=True) if new else repeat(())
    with path.open("w", newline="", encoding="utf-8") as file:
        if suffix in DELIMITERS:
            rows = zip(table.rows, added, strict=bool(new))
            cells = ([*(cell(row.get(name)) for name in table.columns), *more] for row, more in rows)
            _write_csv(file, DELIMITERS[suffix], chain([[*table.columns, *new]], cells))
        else:
            for row, more in zip(table.rows, added, strict=bool(new)):
                file.write(to_json(row | dict(zip(new, more, strict=True)) if new else row) + "\n")


def _write_csv(file: IO[str], delimiter: str, rows: Iterable[Iterable[Any]]) -> None:
    r"""Write rows of CSV or TSV whose texts are no formulas. See ``spreadsheets.guarded``.

    With the line end \r\n, the csv writer of every Python version quotes values with \r or \n. The lines end with \n.
    """
    lines = SimpleNamespace(write=lambda line: file.write(line.removesuffix("\r\n") + "\n"))
    try:
        csv.writer(lines, delimiter=delimiter, lineterminator="\r\n").writerows(
            # The first test is for speed: most texts begin with a letter or a digit, and no formula does.
            [value if not isinstance(value, str) or value[:1].isalnum() else guarded(value) for value in row]
            for row in rows
        )
    except csv.Error as error:
        raise ValueError(
            f"CSV cannot be written ({error}): Python 3.10 writes no NUL character; write JSON lines or Parquet, "
            "or use Python 3.11"
        ) from error


def cell(value: Any) -> Any:
    """Return a value for a CSV cell: lists and objects as JSON, everything else unchanged."""
    return to_json(value) if isinstance(value, (list, dict, bytes)) else value


def to_json(value: Any) -> str:
    """Return one line of JSON without escapes, except for halves of surrogate pairs, which UTF-8 cannot hold."""
    line = _ENCODER.encode(value)
    return line if is_unicode(line) else json.dumps(value, default=_plain)


def _plain(value: Any) -> str:
    """Return a value that JSON does not support as text, such as the dates and decimals of Parquet."""
    if isinstance(value, bytes):
        raise TypeError(f"{value[:20]!r} is bytes, not text; leave that column out, or write .parquet")
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=_plain)


def to_arrow(table: Table) -> Any:
    """Return the pyarrow table, one type per column. Raise ValueError if the values of a column share no type."""
    pyarrow, arrays = pyarrow_module(), []
    for name in table.columns:
        try:
            arrays.append(pyarrow.array([row.get(name) for row in table.rows]))
        except (pyarrow.ArrowException, ValueError, OverflowError) as error:
            raise ValueError(
                f"the values of the column {name!r} have no common type in Parquet ({error}); write .jsonl instead"
            ) from error
    return pyarrow.table(arrays, names=list(table.columns))


def table_of_rows(objects: Iterable[dict[str, Any]]) -> Table:
    """Return these objects as rows. A name is a column even if some rows lack it. These rows stay without it."""
    rows: list[dict[str, Any]] = []
    columns: dict[str, None] = {}
    for row in objects:
        rows.append(row)
        columns.update(dict.fromkeys(row))
    return Table(tuple(columns), rows)


def _read_parquet(path: Path) -> Table:
    pyarrow, rows, batches = pyarrow_module(), list[dict[str, Any]](), []
    try:  # as one file, so that folders with names such as a=b add no column
        with pyarrow.parquet.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
            schema = file.schema_arrow
            text_rows.check_names(path, schema.names)
            for batch in file.iter_batches(_BATCH):  # a whole row group and its rows need twice the memory
                batches.append(batch)
                rows += batch.to_pylist()
            arrow = pyarrow.Table.from_batches(batches, schema)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read as Parquet; it is damaged or has another format: {error}") from error
    return Table(tuple(schema.names), rows, arrow)


def pyarrow_module() -> Any:
    """Return the package pyarrow. Raise MissingExtraError if it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("a Parquet file", "tables", "pyarrow") from error
    return pyarrow
