"""A table of answers in a file: CSV, TSV, JSON lines, Parquet or plain lines, in and out, never half written."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from answersim.errors import MissingExtraError

READABLE = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


class Table(NamedTuple):
    """Rows by column name; ``arrow`` keeps the types of a table that came from Parquet."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    arrow: Any = None

    def column(self, name: str, path: Path) -> list[Any]:
        """The values of this column, in order; LookupError with the columns that the file has."""
        if name not in self.columns:
            raise LookupError(f"{path} has no column {name!r}; its columns are: {', '.join(self.columns) or '(none)'}")
        return [row[name] for row in self.rows]

    def extended(self, columns: Mapping[str, Sequence[float]]) -> Table:
        """The same table with these columns after the others; ValueError where one of that name is there already."""
        if taken := [name for name in columns if name in self.columns]:
            raise ValueError(f"the table already has a column {taken[0]!r}; choose another name with --prefix")
        rows = [
            row | dict(zip(columns, numbers, strict=True))
            for row, numbers in zip(self.rows, zip(*columns.values(), strict=True), strict=True)
        ]
        arrow = self.arrow
        if arrow is not None:
            for name, numbers in columns.items():
                arrow = arrow.append_column(name, [list(numbers)])
        return Table((*self.columns, *columns), rows, arrow)


def read(path: Path) -> Table:
    """The table in this file, by its suffix; every CSV and TSV value is text as it stands ("NA" is an answer).

    Raises:
        FileNotFoundError: No such file.
        ValueError: A suffix that cannot be read, or a file that is not what its suffix says; names the line.
        MissingExtraError: Parquet without pyarrow.
    """
    check_readable(path)
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return _read_parquet(path)
    if suffix in _DELIMITERS:
        return _read_csv(path, _DELIMITERS[suffix])
    return _read_json_lines(path)


def check_readable(path: Path) -> None:
    """Nothing, for a file that is there with a suffix that ``read`` knows."""
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; give a table ({', '.join(READABLE)}) or two text files")
    if path.suffix.lower() not in READABLE:
        raise ValueError(f"{path} has the suffix {path.suffix!r}; one table is read from: {', '.join(READABLE)}")


def check_writable(path: Path) -> None:
    """Nothing, where a file with this name can be written in this format; before any work."""
    if path.suffix.lower() not in READABLE:
        raise ValueError(f"{path} has the suffix {path.suffix!r}; a table is written as: {', '.join(READABLE)}")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: its folder does not exist, or it is a folder itself")
    if path.suffix.lower() == ".parquet":
        _pyarrow()


def read_lines(path: Path) -> list[str]:
    r"""The lines of a text file, without their ends (\n or \r\n); an end after the last line opens no further one."""
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; two text files hold one answer a line each")
    lines = _text(path).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def write(table: Table, path: Path) -> None:
    """This table in this file, by its suffix. The file appears whole or not at all; an old one stays until then."""
    check_writable(path)
    suffix = path.suffix.lower()
    with _replacing(path) as draft:
        if suffix == ".parquet":
            pyarrow = _pyarrow()
            arrow = table.arrow
            if arrow is None:
                arrow = pyarrow.table({name: [row.get(name) for row in table.rows] for name in table.columns})
            pyarrow.parquet.write_table(arrow, draft)
        elif suffix in _DELIMITERS:
            with draft.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, delimiter=_DELIMITERS[suffix], lineterminator="\n")
                writer.writerow(table.columns)
                writer.writerows([_cell(row.get(name)) for name in table.columns] for row in table.rows)
        else:
            with draft.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in table.rows)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A draft beside the file, which takes its place when all went well and vanishes when not."""
    handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        draft.chmod(path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _cell(value: Any) -> Any:
    """Lists and objects as JSON; everything else as csv writes it (floats with all their digits)."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


def _read_csv(path: Path, delimiter: str) -> Table:
    lines = _text(path).split("\n")
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
    rows: list[dict[str, Any]] = []
    try:
        header = next(reader)
        _check_names(path, header)
        for values in reader:
            if not values:
                continue  # an empty line, as the csv module counts it
            if len(values) != len(header):
                raise ValueError(
                    f"{path}, line {reader.line_num}: {len(values)} values for {len(header)} columns; "
                    "quote values that hold the delimiter"
                )
            rows.append(dict(zip(header, values, strict=True)))
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}") from error
    return Table(tuple(header), rows)


def _check_names(path: Path, header: Sequence[str]) -> None:
    if not any(name.strip() for name in header):
        raise ValueError(f"{path} is empty; its first line must name the columns")
    if twice := {name for name in header if header.count(name) > 1}:
        raise ValueError(f"{path} has the column {min(twice)!r} twice; give every column a name of its own")


def _read_json_lines(path: Path) -> Table:
    rows: list[dict[str, Any]] = []
    columns: dict[str, None] = {}
    for i, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ValueError(f"{path}, line {i}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise ValueError(f"{path}, line {i}: {type(row).__name__}, but every line must be an object")
        rows.append(row)
        columns.update(dict.fromkeys(row))
    for i, row in enumerate(rows, start=1):
        if missing := [name for name in columns if name not in row]:
            raise ValueError(f"{path}, row {i}: no value for {missing[0]!r}, which other rows have")
    return Table(tuple(columns), rows)


def _read_parquet(path: Path) -> Table:
    pyarrow = _pyarrow()
    try:
        arrow = pyarrow.parquet.read_table(path)
    except pyarrow.ArrowException as error:
        raise ValueError(f"{path} is not a Parquet file: {error}") from error
    return Table(tuple(arrow.column_names), arrow.to_pylist(), arrow)


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("a Parquet file", "tables", "pyarrow") from error
    return pyarrow


def _text(path: Path) -> str:
    r"""The text of a file in UTF-8, with or without a byte order mark; line ends stay as they are (\r\n included)."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8: byte 0x{error.object[error.start]:02x} at position {error.start}; convert it first"
        ) from None
