"""Lines of text files, rows of CSV files and of JSON lines, one by one, each with its place in the file."""

from __future__ import annotations

import csv
import gzip
import json
import math
import sys
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from answersim._base.io.detection import UTF8
from answersim._base.io.records import distinct_members
from answersim._base.io.spreadsheets import unguarded

_LONGEST = min(sys.maxsize, 2**31 - 1)  # characters of a CSV value; the csv module's own limit is 131,072
_TOGETHER = 64  # rows that are read at a time
_LIMIT = threading.Lock()  # the limit of the csv module applies to the whole process
_MALFORMED = {  # part of a message of the csv module -> our message
    "unexpected end of data": "a quote is opened here and never closed",
    "new-line character": "a carriage return without a line feed is outside quotes; end lines with \\n or \\r\\n",
    "expected after": "text follows a closing quote; inside a quoted value, a quote is written twice",
}


def lines_of(path: Path, encoding: str = UTF8, *, packed: bool = False) -> Iterator[str]:
    r"""Yield the lines of a text file, each with its line end (also \r\n).

    A byte order mark at the beginning of a line, such as one of two files that were joined, is not part of the text.
    ``packed``: whether the file is unpacked by gzip.
    """
    settings: dict[str, Any] = {"encoding": encoding, "newline": "\n"}
    try:
        with gzip.open(path, "rt", **settings) if packed else path.open(**settings) as file:
            for line in file:
                yield line.lstrip("\ufeff")
    except UnicodeDecodeError as error:
        raw = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
        raise _not_decodable(path, encoding, raw) or error from None


def _not_decodable(path: Path, encoding: str, raw: bytes) -> ValueError | None:
    """Return the error for the first byte that does not fit the encoding; None if all do."""
    try:
        raw.decode(encoding)
    except UnicodeDecodeError as error:
        name = "UTF-8" if encoding in (UTF8, "utf-8-sig") else encoding
        return ValueError(
            f"{path} is not {name}: byte 0x{raw[error.start]:02x} at position {error.start}; convert it first, or give "
            "its encoding with --encoding"
        )
    return None


def records(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the records of a CSV or TSV file, perhaps packed (.gz), each with its place ("x.csv, line 7").

    The first line is a record like any other. Empty lines are left out. Only ``.tsv`` and ``.tsv.gz`` have tabs.
    """
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; give the path of a CSV or TSV table")
    packed = path.suffix.lower() == ".gz"
    suffix = Path(path.stem if packed else path.name).suffix.lower()
    lines = lines_of(path, packed=packed)
    reader = csv.reader(lines, delimiter="\t" if suffix == ".tsv" else ",", strict=True)
    try:
        yield from ((where, values) for where, values in csv_records(reader, path) if values)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a complete gzip file ({error}); fetch it again") from error


def located_rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Return the rows of a CSV or TSV file by column, one by one, each with the words for its place."""
    return rows_of(records(path), path)[1]


def rows_of(
    records: Iterator[tuple[str, list[str]]], path: Path
) -> tuple[tuple[str, ...], Iterator[tuple[str, dict[str, str]]]]:
    """Return the columns, which the first record names, and the others by column; no apostrophe is before a formula."""
    _, names = next(records, ("", []))
    header = tuple(map(unguarded, names))
    check_names(path, header)
    rows = ((where, [unguarded(cell) if cell[:1] == "'" else cell for cell in cells]) for where, cells in records)
    return header, ((where, by_column(header, cells, where)) for where, cells in rows if cells)


def csv_records(reader: Any, path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each row of a csv reader with its place ("x.csv, line 7"). Raise ValueError for a malformed row."""
    name, end, failure = str(path), reader.line_num, None
    n = _TOGETHER
    while n == _TOGETHER and failure is None:
        rows = []
        try:
            with _long_values():
                for values in islice(reader, _TOGETHER):
                    rows.append((reader.line_num, values))
        except Exception as error:  # is raised after the rows before it
            failure = error
        n = len(rows)
        for line, values in rows:
            yield _where(name, end + 1, line), values
            end = line
    if isinstance(failure, csv.Error):
        reason = next((ours for theirs, ours in _MALFORMED.items() if theirs in str(failure)), str(failure))
        raise ValueError(f"{_where(name, end + 1, reader.line_num)}: {reason}") from failure
    if failure is not None:
        raise failure


def check_names(path: Path, header: Sequence[str]) -> None:
    """Check that a table has columns and no two have the same name. ValueError otherwise."""
    if not any(name.strip() for name in header):
        raise ValueError(f"{path} names no columns; write their names first (in CSV and TSV, on the first line)")
    if twice := {name for name in header if header.count(name) > 1}:
        raise ValueError(f"{path} has the column {min(twice)!r} twice; give every column a different name")


def by_column(header: Sequence[str], cells: Sequence[str], where: str) -> dict[str, str]:
    """Return the values of a row by column. Raise ValueError if there are more or fewer values than columns."""
    if len(cells) != len(header):
        raise ValueError(
            f"{where}: {len(cells)} values for {len(header)} columns; quote values that contain the delimiter"
        )
    return dict(zip(header, cells, strict=True))


def json_rows(lines: Iterable[str], path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects on these lines of a JSON lines file, with the errors of ``json_records``."""
    return (row for _, row in json_records(lines, path))


def json_records(lines: Iterable[str], path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place ("x.jsonl, line 7") and the object of each line. Raise ValueError for anything but an object."""
    for i, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{path}, line {i}"
        try:
            row = DECODER.decode(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{where}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise ValueError(f"{where}: it is of type {type(row).__name__}, but every line must be an object")
        yield where, row


@contextmanager
def _long_values() -> Iterator[None]:
    """Lift the size limit of the csv module for some rows. Only one thread at a time can be inside."""
    with _LIMIT:
        limit = csv.field_size_limit(_LONGEST)
        try:
            yield
        finally:
            csv.field_size_limit(limit)


def _where(path: str, start: int, end: int) -> str:
    return f"{path}, line {start}" if start >= end else f"{path}, lines {start} to {end}"


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {digits[:40]} is beyond the range of a float; write it as text")
    return number


# json.loads builds one for every line.
DECODER = json.JSONDecoder(object_pairs_hook=distinct_members, parse_float=_float)
