"""The reader and writer of tables. A file is never written partially.

CSV, TSV, JSON lines and Parquet are read and written, JSON arrays and Excel files are read. ``read`` returns a whole
table. ``csv_rows`` and ``json_records`` read lines one by one. ``chunks`` reads files of any size with the same
functions.
"""

from __future__ import annotations

import atexit
import csv
import errno
import io
import json
import math
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from answersim.errors import EmptyReferencesWarning, MissingExtraError, warn_user
from answersim.io.detection import delimiter_of, encoding_of, not_decodable, text_format
from answersim.io.spreadsheets import guarded, sheet_rows, unguarded
from answersim.types import StructuredGold, is_unicode

WRITABLE = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
READABLE = (*WRITABLE, ".json", ".xlsx")
DELIMITERS = {".csv": ",", ".tsv": "\t"}
_MARKS = re.compile("^\ufeff+", re.MULTILINE)
_STDIN = "-"
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)  # of a write, which names no file
_MOST_NAMED = 10  # rows in a message
_LONGEST = min(sys.maxsize, 2**31 - 1)  # characters of a CSV value; the csv module's own limit is 131,072
_LIMIT = threading.Lock()  # the limit of the csv module applies to the whole process
_MALFORMED = {  # part of a message of the csv module -> our message
    "unexpected end of data": "a quote is opened here and never closed",
    "new-line character": "a carriage return without a line feed is outside quotes; end lines with \\n or \\r\\n",
    "expected after": "text follows a closing quote; inside a quoted value, a quote is written twice",
}


class Table(NamedTuple):
    """Rows by column name; ``arrow`` keeps the types of a table that was read from Parquet."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    arrow: Any = None

    def answers(self, name: str, path: Path, *, several: bool = False, first: int = 1) -> list[Any]:
        """Return the answers in this column, in order: texts, or with ``several`` also non-empty lists of texts.

        ``several``: whether lists of texts are answers too. ``first``: the number of the first row, if this is a piece
        of a longer table. Raise LookupError if there is no such column. Raise ValueError if a value is not an answer (a
        number, null, half a surrogate pair).
        """
        values = self.values(name, path)
        if flaws := flaws_of(name, values, several):
            raise flawed_rows(path, {first + i: flaw for i, flaw in flaws.items()})
        return values

    def values(self, name: str, path: Path) -> list[Any]:
        """Return the values in this column, in order; None if a row has none.

        A name with dots, such as "response.text", is that of a field inside objects if no column has this name. A
        number in it is a position in a list, and of a list of objects the field of each is taken. Raise LookupError if
        there is no such column or field.
        """
        if name in self.columns:
            return [row.get(name) for row in self.rows]
        head, *fields = name.split(".")
        if fields and head in self.columns:
            found = [_field(row.get(head), fields) for row in self.rows]
            if not self.rows or any(value is not None for value in found):
                return found
        raise LookupError(f"{path} has no column {name!r}; its columns are: {', '.join(self.columns) or '(none)'}")

    def with_fields(self, names: Iterable[str | None], path: Path) -> Table:
        """Return the table with nested fields, such as ``input.question``, as columns. See ``values``.

        A name that is neither a column nor a field is left to the caller to report.
        """
        inner: dict[str, list[Any]] = {}
        for name in names:
            if name is not None and name not in self.columns and name.partition(".")[0] in self.columns:
                with suppress(LookupError):
                    inner[name] = self.values(name, path)
        if not inner:
            return self
        rows = [row | {name: values[i] for name, values in inner.items()} for i, row in enumerate(self.rows)]
        return Table((*self.columns, *inner), rows)

    def at(self, rows: Sequence[int]) -> Table:
        """Return the rows at these positions."""
        if len(rows) == len(self.rows):
            return self
        arrow = None if self.arrow is None else self.arrow.take(pyarrow_module().array(list(rows), "int64"))
        return Table(self.columns, [self.rows[i] for i in rows], arrow)

    def extended(self, columns: Mapping[str, Sequence[float]]) -> Table:
        """Return the same table with these columns after the others. Raise ValueError if such a column exists."""
        check_new(self, columns)
        rows = [
            row | dict(zip(columns, numbers, strict=True))
            for row, numbers in zip(self.rows, zip(*columns.values(), strict=True), strict=True)
        ]
        arrow = self.arrow
        if arrow is not None:
            for name, numbers in columns.items():
                arrow = arrow.append_column(name, pyarrow_module().array(list(numbers), "float64"))  # also for no rows
        return Table((*self.columns, *columns), rows, arrow)


def split_references(
    golds: Sequence[Any], separator: str | None, path: Path, numbers: Sequence[int] | None = None
) -> list[Any]:
    """Return gold answers with each text as the list of its parts. Empty parts are left out, with a warning.

    A text without any other part is an empty answer, and remains one. ``golds``: texts, or lists of texts and
    structures, which are unchanged. ``numbers``: the number of each row; by default from 1.

    >>> split_references(["Rome|Roma", "", ["Oslo|"]], "|", Path("x.csv"))
    [['Rome', 'Roma'], [''], ['Oslo|']]
    """
    if not separator:
        return list(golds)
    texts = [isinstance(gold, str) and not isinstance(gold, StructuredGold) for gold in golds]
    parts = [gold.split(separator) if text else None for gold, text in zip(golds, texts, strict=True)]
    kept = [None if split is None else [part for part in split if part.strip()] or [""] for split in parts]
    empty = [0 if split is None else len(split) - len(some or ()) for split, some in zip(parts, kept, strict=True)]
    if any(empty):
        row = next(i for i, n in enumerate(empty) if n)
        warn_user(EmptyReferencesWarning(sum(empty), path, row + 1 if numbers is None else numbers[row]), once=True)
    return [gold if some is None else some for gold, some in zip(golds, kept, strict=True)]


def flaws_of(name: str, values: Iterable[Any], several: bool = False) -> dict[int, str]:
    """Return, by position, why some values are not answers. See ``Table.answers``.

    >>> flaws_of("pred", ["Rome", None])
    {1: "'pred' is null, or missing, but an answer is text; for 'no answer' give ''"}
    """
    flaws = {}
    for i, value in enumerate(values):
        if isinstance(value, str) and value.isascii():  # nearly all of possibly millions
            continue
        if flaw := _flaw(value, several):
            flaws[i] = f"{name!r} {flaw}"
    return flaws


def flawed_rows(path: Path, flaws: Mapping[int, str], remedy: str = "") -> ValueError:
    """Return one error for all rows that contain no answers.

    >>> print(flawed_rows(Path("x.csv"), {2: "'pred' is null", 7: "'pred' is null"}))
    x.csv: 2 rows cannot be scored: row 2: 'pred' is null; row 7: the same
    """
    end = f"; {remedy}" if remedy else ""
    if len(flaws) == 1:
        ((row, flaw),) = flaws.items()
        return ValueError(f"{path}, row {row}: {flaw}{end}")
    return ValueError(f"{path}: {len(flaws):,} rows cannot be scored: {listed_rows(flaws)}{end}")


def listed_rows(flaws: Mapping[int, str]) -> str:
    """Return the numbers of these rows and what is wrong, the first ones of each kind."""
    parts, last = [], ""
    for row, flaw in sorted(flaws.items())[:_MOST_NAMED]:
        parts.append(f"row {row}: {'the same' if flaw == last else flaw}")
        last = flaw
    more = [str(row) for row in sorted(flaws)[_MOST_NAMED : 10 * _MOST_NAMED]]
    if more:
        rest = len(flaws) - _MOST_NAMED - len(more)
        parts.append(f"and the rows {', '.join(more)}{f' and {rest:,} more' if rest else ''}")
    return "; ".join(parts)


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


def _flaw(value: Any, several: bool) -> str:
    """Return why this value is not an answer, as the end of a sentence; empty if it is one."""
    texts: list[Any] = value if several and isinstance(value, list) else [value]
    if not texts or any(not isinstance(text, str) for text in texts):
        shown = "null, or missing" if value is None else repr(value)[:60]
        rule = "text, or a list of texts that are all correct" if several else "text"
        return f"is {shown}, but an answer is {rule}; for 'no answer' give ''"
    if any(not is_unicode(text) for text in texts):
        return "contains half a surrogate pair, which is not a character; repair the text where it was decoded"
    return ""


def read(path: Path) -> Table:
    """Read the table in this file, by its suffix. Every CSV and TSV value is text, unchanged ("NA" is an answer).

    The only exception is the apostrophe that ``write`` puts in front of a formula, see ``spreadsheets.guarded``: it is
    removed. Encoding and delimiter are detected unless they are stated. See ``answersim.io.detection``. Raise
    FileNotFoundError if there is no such file. Raise ValueError if the suffix is not readable, or the content does not
    fit the suffix. Raise MissingExtraError if the file is Parquet and pyarrow is missing, or an Excel file and openpyxl
    is missing.
    """
    check_readable(path)
    kind = kind_of(path)
    if kind == ".parquet":
        return _read_parquet(path)
    if kind == ".xlsx":
        columns, cells = excel_rows(path)
        return Table(columns, list(cells))
    encoding = encoding_of(path)
    if kind in DELIMITERS:
        return read_csv(path, delimiter_of(path, encoding, DELIMITERS[kind]), encoding)
    if kind == ".json":
        return _with_columns(json_array(path, encoding))
    return _with_columns(json_rows(_text(path, encoding).split("\n"), path))


def kind_of(path: Path) -> str:
    """Return the suffix that decides how a file is read. A .json file without an array is read as JSON lines.

    Raise ValueError if an encoding or a delimiter is stated that has no effect on this kind of file.
    """
    suffix = path.suffix.lower()
    if suffix == ".json":
        with path.open("rb") as file:
            start = file.read(1024).lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1]
        suffix = ".json" if start == b"[" else ".jsonl"
    wanted = text_format()
    if wanted.encoding is not None and suffix in (".parquet", ".xlsx"):
        raise ValueError(f"--encoding is {wanted.encoding!r}, but {path} is not a text file; leave it out")
    if wanted.delimiter is not None and suffix not in DELIMITERS:
        raise ValueError(f"--delimiter is {wanted.delimiter!r}, but {path} is neither CSV nor TSV; leave it out")
    return suffix


def excel_rows(path: Path) -> tuple[tuple[str, ...], Iterator[dict[str, Any]]]:
    """Return the columns and an iterator over the rows of the first sheet. See ``spreadsheets.sheet_rows``."""
    columns, rows = sheet_rows(path)
    check_names(path, columns)
    return columns, rows


def json_array(path: Path, encoding: str) -> list[dict[str, Any]]:
    """Return the objects of a JSON array, which is read as a whole. Raise ValueError for anything but objects."""
    try:
        rows = _DECODER.decode(_text(path, encoding))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON ({error})") from error
    for i, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise ValueError(
                f"{path}, row {i}: it is of type {type(row).__name__}, but every element must be an object"
            )
    return rows


def buffer_stdin(path: Path) -> Path:
    """Return the path of a table. For "-", copy standard input to a file, which is removed when the process ends.

    The format is that of the first bytes: Parquet, Excel, a JSON array, JSON lines, else CSV. Raise ValueError if the
    path is "-" and standard input is empty.
    """
    if str(path) != _STDIN:
        return path
    folder = Path(tempfile.mkdtemp(prefix="answersim-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / "standard-input"
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with copy.open("rb") as file:
        head = file.read(1024)
    if not head:
        raise ValueError("standard input is empty; give a table, such as: answersim score - < answers.csv")
    start = head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1]
    binary = {b"PAR1": ".parquet", b"PK\3\4": ".xlsx"}.get(head[:4])
    return copy.rename(copy.with_suffix(binary or {b"[": ".json", b"{": ".jsonl"}.get(start, ".csv")))


def read_csv(path: Path, delimiter: str = ",", encoding: str = "utf-8-sig") -> Table:
    """Read the table in this CSV file. Every value is text, unchanged: "NA" is an answer, not a missing value.

    Raise ValueError if bytes are not of this encoding, a column occurs twice, a row has more or fewer values than
    columns, or a quote is not closed.
    """
    header, rows = csv_rows(io.StringIO(_text(path, encoding), newline="\n"), path, delimiter)
    return Table(header, list(rows))


def csv_rows(lines: Iterable[str], path: Path, delimiter: str) -> tuple[tuple[str, ...], Iterator[dict[str, Any]]]:
    """Return the columns and the rows, one by one, of these lines of a CSV file. Errors are those of ``read_csv``."""
    records = csv_records(csv.reader(lines, delimiter=delimiter, strict=True), path)
    header = header_of(records, path)
    return header, (unguarded_row(header, values, where) for where, values in records if values)


def header_of(records: Iterator[tuple[str, list[str]]], path: Path) -> tuple[str, ...]:
    """Return the names of the columns, which are in the first of these records of a CSV file.

    Raise ValueError if there are none, or a name occurs twice.
    """
    _, cells = next(records, ("", []))
    names = tuple(map(unguarded, cells))
    check_names(path, names)
    return names


def by_column(header: Sequence[str], cells: Sequence[str], where: str) -> dict[str, str]:
    """Return the values of a row by column. Raise ValueError if there are more or fewer values than columns."""
    if len(cells) != len(header):
        raise ValueError(
            f"{where}: {len(cells)} values for {len(header)} columns; quote values that contain the delimiter"
        )
    return dict(zip(header, cells, strict=True))


def unguarded_row(header: Sequence[str], cells: Sequence[str], where: str) -> dict[str, str]:
    """Return the values of a row of a table, see ``by_column``, without the apostrophes before formulas."""
    return by_column(header, [unguarded(cell) if cell[:1] == "'" else cell for cell in cells], where)


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
            row = _DECODER.decode(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{where}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise ValueError(f"{where}: it is of type {type(row).__name__}, but every line must be an object")
        yield where, row


def check_readable(path: Path) -> None:
    """Check that this file exists and has a suffix that ``read`` supports. FileNotFoundError or ValueError if not."""
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; give a table ({', '.join(READABLE)}) or two text files")
    if path.suffix.lower() not in READABLE:
        raise ValueError(f"{path} has the suffix {path.suffix!r}; one table is read from: {', '.join(READABLE)}")


def check_writable(path: Path, table: Table, suffix: str | None = None) -> None:
    """Check before any work that this table can be written to this file, in this format. Leave no trace.

    ``suffix``: the suffix of the format; by default the one of the file. Raise ValueError if the suffix cannot be
    written, or the format cannot hold a value. Raise FileNotFoundError, PermissionError or OSError: see
    ``check_place``. Raise MissingExtraError if the format is Parquet and pyarrow is missing.
    """
    check_place(path)
    try:
        _write(table, suffix or format_of(path), Path(os.devnull))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} cannot contain this table: {error}") from error


def check_place(path: Path, others: Sequence[str] = ()) -> None:
    """Check that a file of this name can be written in a known format. A pipe or a device needs no suffix.

    Raise ValueError if the suffix is neither that of a table nor one of the others. Raise FileNotFoundError or
    PermissionError if the folder is missing, or no file may be created in it. Raise IsADirectoryError or OSError if the
    path is a folder, a loop of links, a disk or a socket.
    """
    through = is_special(path)
    known, what = (*others, *WRITABLE), "result" if others else "table"
    if path.suffix.lower() not in known and not through:
        raise ValueError(f"{path} has the suffix {path.suffix!r}; a {what} is written as: {', '.join(known)}")
    if path.is_dir():
        raise IsADirectoryError(f"{path} cannot be written: it is a folder; give the name of a file")
    if through:
        if not os.access(path, os.W_OK):
            raise PermissionError(
                f"{path} cannot be written: there is no write permission for it; choose another output"
            )
        return
    folder = _link_target(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {folder}; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{path} cannot be written: no file can be created in {folder}; choose another folder")


def format_of(path: Path, default: str = ".csv") -> str:
    """Return the suffix that decides the format of an output: its own, or the default if it has no known one."""
    suffix = path.suffix.lower()
    return suffix if suffix in WRITABLE else default


def is_stdout(path: Path) -> bool:
    """Return whether this path leads to the standard output of this process, such as /dev/stdout."""
    try:
        return not path.samefile(os.devnull) and os.path.samestat(path.stat(), os.fstat(1))
    except OSError:  # the path is missing, or standard output is closed
        return False


def is_special(path: Path) -> bool:
    """Return whether an output is written to and never replaced: a pipe, a device or standard output.

    Raise OSError if the path is a disk or a socket, which cannot contain a table.
    """
    try:
        mode = path.stat().st_mode
    except OSError:  # there is no file yet, or the path cannot be read: check_place gives the reason
        return False
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        kind = "disk" if stat.S_ISBLK(mode) else "socket"
        raise OSError(f"{path} cannot be written: it is a {kind}; give the name of a file or pipe")
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or is_stdout(path)


def _link_target(path: Path) -> Path:
    """Return the path that all links lead to. Raise OSError if the links lead in a circle."""
    try:
        target = path.resolve()
    except RuntimeError:  # Python before 3.13
        target = path
    if target.is_symlink():
        raise OSError(errno.ELOOP, "cannot be written: its links lead in a circle", str(path))
    return target


def check_distinct_columns(**columns: str | None) -> None:
    """Check that no two options name the same column. Answers that are compared with themselves are always equal.

    ``columns``: by the name of the option, the column that it names, or None. Raise ValueError if two options name the
    same column.

    >>> check_distinct_columns(gold="answer", pred="answer")
    Traceback (most recent call last):
        ...
    ValueError: gold and pred both name the column 'answer'; give each a different column
    """
    taken: dict[str, str] = {}
    for option, name in columns.items():
        if name is not None and (other := taken.setdefault(name, option)) != option:
            raise ValueError(f"{other} and {option} both name the column {name!r}; give each a different column")


def refuse_overwriting_input(inputs: Path | Iterable[Path | None], output: Path | None) -> None:
    """Check that the output is not one of the input files, also through a symbolic or a hard link.

    ``inputs``: the file or files that the command reads. None is skipped. Raise ValueError if the output is the same
    file as an input. A device or pipe is never the same.
    """
    if output is None or not output.is_file():
        return
    for path in [inputs] if isinstance(inputs, Path) else inputs:
        if path is not None and path.exists() and path.samefile(output):
            raise ValueError(f"the output {output} is the input {path}; choose another name for the output")


def check_new(table: Table, names: Iterable[str]) -> None:
    """Check that the table has no column of these names. Raise ValueError with the first such column if it has."""
    if taken := [name for name in names if name in table.columns]:
        raise ValueError(f"the table already has a column {taken[0]!r}; choose another name with --prefix")


def write(table: Table, path: Path) -> None:
    """Write this table to this file, by its suffix. The file is replaced only when the new one is complete.

    See ``atomic_write`` for links, pipes and devices. A pipe or device without a known suffix gets CSV.
    """
    with atomic_write(path) as draft:
        _write(table, format_of(path), draft)


def _write(table: Table, suffix: str, path: Path) -> None:
    if suffix == ".parquet":
        pyarrow_module().parquet.write_table(to_arrow(table) if table.arrow is None else table.arrow, path)
    elif suffix in DELIMITERS:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv_writer(file, suffix)
            writer.writerow(table.columns)
            writer.writerows([cell(row.get(name)) for name in table.columns] for row in table.rows)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            file.writelines(to_json(row) + "\n" for row in table.rows)


def csv_writer(file: IO[str], suffix: str) -> _CsvWriter:
    """Return a ``csv.writer`` that writes rows of CSV or TSV with plain line ends."""
    # With this line end, the csv writer of every Python version quotes values with \r or \n.
    return _CsvWriter(csv.writer(_PlainEnds(file), delimiter=DELIMITERS[suffix], lineterminator="\r\n"))


class _CsvWriter(NamedTuple):
    """A ``csv.writer`` whose errors name a remedy, and whose texts are no formulas. See ``spreadsheets.guarded``."""

    writer: Any

    def writerow(self, row: Iterable[Any]) -> None:
        self.writerows([row])

    def writerows(self, rows: Iterable[Iterable[Any]]) -> None:
        try:
            self.writer.writerows(
                # The first test is for speed: most texts begin with a letter or a digit, and no formula does.
                [value if not isinstance(value, str) or value[:1].isalnum() else guarded(value) for value in row]
                for row in rows
            )
        except csv.Error as error:
            raise ValueError(
                f"CSV cannot be written ({error}): Python 3.10 writes no NUL character; write JSON lines or Parquet, "
                "or use Python 3.11"
            ) from error


class _PlainEnds(NamedTuple):
    r"""A file that replaces \r\n by \n at the end of each line; one line per call."""

    file: IO[str]

    def write(self, line: str) -> int:
        return self.file.write(line.removesuffix("\r\n") + "\n")


@contextmanager
def atomic_write(path: Path, name: str | None = None) -> Iterator[Path]:
    """Yield a draft that replaces the file at the end, or is removed if the block fails.

    The draft is created exclusively beside the file, so that no link under its name is followed. A link to a file stays
    a link, and the file behind it is replaced. A pipe, a device or the standard output is never replaced. The draft is
    then in the folder for temporary files, and its bytes are written through at the end. ``name``: the name of the
    draft, for a caller who removes it after a kill. By default it is random.
    """
    if is_special(path):
        with tempfile.TemporaryDirectory(prefix="answersim-") as folder:
            draft = Path(folder) / "draft"
            draft.touch()
            yield draft
            _copy_into(draft, path)
        return
    path = _link_target(path)
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    draft = _new_file(path.parent, name)
    try:
        if mode is not None:  # while it is empty, so that private content stays private
            draft.chmod(mode)
        yield draft
        draft.replace(path)
    except OSError as error:
        if error.filename is None and error.errno in _FULL:
            error.filename = str(path)
        raise
    finally:
        draft.unlink(missing_ok=True)


def _new_file(folder: Path, name: str | None) -> Path:
    """Create an empty file that did not exist, with the usual mode, under this name or a random one."""
    while True:
        path = folder / (name or f".answersim-{secrets.token_hex(6)}")
        if name is not None:
            path.unlink(missing_ok=True)  # what a killed run left; for a link, only the link itself
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        except FileExistsError:
            if name is not None:
                raise
        else:
            return path


def _copy_into(draft: Path, path: Path) -> None:
    """Write the bytes of the draft into a pipe, a device or standard output."""
    if is_stdout(path):
        sys.stdout.flush()
        handle = os.dup(1)
    else:
        handle = os.open(path, os.O_WRONLY)
    with draft.open("rb") as file, os.fdopen(handle, "wb") as out:
        shutil.copyfileobj(file, out)


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


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the name {next(name for name in names if names.count(name) > 1)!r} is in it twice")
    return members


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {digits[:40]} is beyond the range of a float; write it as text")
    return number


# json.loads and json.dumps build one for every line.
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float)
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


def csv_records(reader: Any, path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each row of a csv reader with its place ("x.csv, line 7"). Raise ValueError for a malformed row."""
    while True:
        start = reader.line_num + 1
        try:
            with _long_values():
                values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = next((ours for theirs, ours in _MALFORMED.items() if theirs in str(error)), str(error))
            raise ValueError(f"{_where(path, start, reader.line_num)}: {reason}") from error
        yield _where(path, start, reader.line_num), values


@contextmanager
def _long_values() -> Iterator[None]:
    """Lift the size limit of the csv module for one row. Only one thread at a time can be inside."""
    with _LIMIT:
        limit = csv.field_size_limit(_LONGEST)
        try:
            yield
        finally:
            csv.field_size_limit(limit)


def _where(path: Path, start: int, end: int) -> str:
    return f"{path}, line {start}" if start >= end else f"{path}, lines {start} to {end}"


def check_names(path: Path, header: Sequence[str]) -> None:
    """Check that a table has columns and no two have the same name. ValueError otherwise."""
    if not any(name.strip() for name in header):
        raise ValueError(f"{path} names no columns; write their names first (in CSV and TSV, on the first line)")
    if twice := {name for name in header if header.count(name) > 1}:
        raise ValueError(f"{path} has the column {min(twice)!r} twice; give every column a different name")


def _with_columns(objects: Iterable[dict[str, Any]]) -> Table:
    """Return these objects as rows. A name is a column even if some rows lack it. These rows stay without it."""
    rows: list[dict[str, Any]] = []
    columns: dict[str, None] = {}
    for row in objects:
        rows.append(row)
        columns.update(dict.fromkeys(row))
    return Table(tuple(columns), rows)


def _read_parquet(path: Path) -> Table:
    with open_parquet(path) as file:
        arrow = file.read()
        rows = arrow.to_pylist()
    check_names(path, arrow.column_names)
    return Table(tuple(arrow.column_names), rows, arrow)


@contextmanager
def open_parquet(path: Path, **options: Any) -> Iterator[Any]:
    """Open this file as a ``pyarrow.parquet.ParquetFile``, so that folders with names such as a=b add no column.

    Raise ValueError if the file is damaged or no Parquet file, MissingExtraError if pyarrow is missing.
    """
    pyarrow = pyarrow_module()
    try:
        with pyarrow.parquet.ParquetFile(path, **options) as file:
            yield file
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read as Parquet; it is damaged or has another format: {error}") from error


def pyarrow_module() -> Any:
    """Return the package pyarrow. Raise MissingExtraError if it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("a Parquet file", "tables", "pyarrow") from error
    return pyarrow


def _text(path: Path, encoding: str) -> str:
    r"""Return the text of a file. Line ends (also \r\n) stay.

    A byte order mark at the beginning of a line, such as one of two files that were joined, is not part of the text.
    """
    try:
        return _MARKS.sub("", path.read_bytes().decode(encoding))
    except UnicodeDecodeError as error:
        raise not_decodable(path, encoding, error.object[error.start], error.start) from None
