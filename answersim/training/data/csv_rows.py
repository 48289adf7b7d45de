"""The rows of a CSV or TSV file one by one, each with where it stands: for tables too large to hold, gzipped or not."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_LONGEST = min(sys.maxsize, 2**31 - 1)  # characters of a value; the csv module's own limit is 131,072


def rows(path: Path, delimiter: str | None = None) -> Iterator[tuple[str, dict[str, str]]]:
    """Where a row stands ("x.csv, line 7") and its values by column, as the texts that stand there ("NA" is a text).

    The first line names the columns. A byte order mark is left out, and so are empty lines. ``.gz`` is unpacked on the
    way. The delimiter is a tab for ``.tsv`` and a comma for every other suffix, unless it is given.

    Raises:
        FileNotFoundError: No such file.
        ValueError: Bytes that are not UTF-8 or no gzip, a column without a name of its own, a row with more or fewer
            values than columns, a quote that does not close; names the line.
    """
    records = lines(path, delimiter)
    _, header = next(records, ("", []))
    if not any(name.strip() for name in header):
        raise ValueError(f"{path} names no columns; a table names them on its first line")
    if twice := {name for name in header if header.count(name) > 1}:
        raise ValueError(f"{path} has the column {min(twice)!r} twice; give every column a name of its own")
    for where, values in records:
        yield where, by_column(header, values, where)


def lines(path: Path, delimiter: str | None = None) -> Iterator[tuple[str, list[str]]]:
    """Where a line stands and its values, the first line as any other; else as ``rows``."""
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; give the path of a CSV or TSV table")
    with _text(path) as file:
        reader = csv.reader(file, delimiter=delimiter or _delimiter(path), strict=True)
        while True:
            where = f"{path}, line {reader.line_num + 1}"
            try:
                values = _next(reader)
            except csv.Error as error:
                raise ValueError(f"{where}: {error}; inside a quoted value, a quote is written twice") from error
            except UnicodeDecodeError as error:
                raise ValueError(f"{path} is not UTF-8 after line {reader.line_num}; convert it first") from error
            except (EOFError, gzip.BadGzipFile) as error:
                raise ValueError(f"{path} is no whole gzip file ({error}); fetch it again") from error
            if values is None:
                return
            if values:
                yield where, values


def by_column(header: Sequence[str], values: Sequence[str], where: str) -> dict[str, str]:
    """The values by the names of their columns; ValueError where there are more or fewer of them."""
    if len(values) != len(header):
        raise ValueError(f"{where}: {len(values)} values for {len(header)} columns; quote values that hold a delimiter")
    return dict(zip(header, values, strict=True))


def _next(reader: Iterator[list[str]]) -> list[str] | None:
    """The next record, of any length; None at the end."""
    limit = csv.field_size_limit(_LONGEST)  # of the whole process, so it is put back at once
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(limit)


def _delimiter(path: Path) -> str:
    return "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","


@contextmanager
def _text(path: Path) -> Iterator[io.TextIOBase]:
    if path.suffix.lower() == ".gz":
        with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as file:
            yield file
    else:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
