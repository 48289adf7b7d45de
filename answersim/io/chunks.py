"""Tables of answers in pieces, read and written in constant memory for any number of rows."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from hashlib import blake2b
from itertools import islice, zip_longest
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from answersim.io import files, text_rows
from answersim.io.detection import UTF8, delimiter_of, encoding_of, is_wide, not_decodable
from answersim.io.files import Table

ROWS = 8192  # the most rows of a piece
CHARACTERS = 4_000_000  # no more rows are added to a piece of this size
_GROUP = 16  # pieces per row group of a Parquet file: small groups are slow to read

Append = Callable[[Table, Sequence[Sequence[float]]], None]


class Piece(NamedTuple):
    """Some rows of a file."""

    # the rows. Its columns are all that were read so far. In JSON lines, a later row can have further ones.
    table: Table
    first: int  # the number of the first row, from 1
    share: float  # how much of the file was read when this piece was complete, from 0 to 1
    # a digest of all bytes of the file up to this piece, or of the identity of a Parquet file. If the last pieces of
    # two readings have equal states, both have read the same.
    state: bytes


class _Source:
    """What was read of a file so far.

    Attributes:
        read: The number of bytes.
        hash: The digest of these bytes.
    """

    def __init__(self, identity: bytes = b"") -> None:
        self.read = 0
        self.hash = blake2b(identity, digest_size=16)

    @property
    def share(self) -> float:
        """How much of the file was read, from 0 to 1; 0 if that is unknown."""
        return 0.0


class _Lines(_Source):
    """The lines of a text file with their line ends, and the number and digest of the bytes that were read."""

    def __init__(self, path: Path, file: IO[bytes], encoding: str = UTF8) -> None:
        super().__init__()
        self.path, self.file, self.encoding = path, file, encoding
        self.size = path.stat().st_size or 1

    @property
    def share(self) -> float:
        return min(1.0, self.read / self.size)

    def __iter__(self) -> Iterator[str]:
        if is_wide(self.encoding):
            yield from self._wide_lines()
            return
        for raw in self.file:
            line = raw.removeprefix(codecs.BOM_UTF8) if not self.read else raw
            try:
                text = line.decode(self.encoding)
            except UnicodeDecodeError as error:
                at = self.read + len(raw) - len(line) + error.start
                raise not_decodable(self.path, self.encoding, line[error.start], at) from None
            self.read += len(raw)
            self.hash.update(raw)
            yield text.lstrip("\ufeff")

    def _wide_lines(self) -> Iterator[str]:
        """Yield the lines of UTF-16 and UTF-32, in which a line end is not one byte."""
        lines = io.TextIOWrapper(self.file, self.encoding, newline="\n")
        try:
            for text in lines:
                raw = text.encode(self.encoding, "surrogatepass")
                self.read += len(raw)
                self.hash.update(raw)
                if line := text.lstrip("\ufeff"):
                    yield line
        except UnicodeDecodeError as error:
            raise not_decodable(self.path, self.encoding, error.object[error.start], self.read) from None
        finally:
            lines.detach()


def pieces(path: Path, columns: Sequence[str] | None = None, *, keep: bool = False) -> Iterator[Piece]:
    """Yield the table in this file piece by piece, at least one, by the same rules as ``files.read``.

    One file gives the same pieces every time. The error for a malformed row is raised when its piece is read.
    ``columns``: the columns that are needed. Of a Parquet file, only these are read. Missing ones are skipped.
    ``keep``: whether the pyarrow table of a Parquet file also contains the other columns.
    """
    files.check_readable(path)
    kind = files.kind_of(path)
    if kind == ".parquet":
        yield from _parquet_pieces(path, columns, keep)
        return
    if kind == ".xlsx":
        names, cells = files.excel_rows(path)
        yield from _pieces(cells, dict.fromkeys(names), _Source(_identity(path)))
        return
    encoding = encoding_of(path)
    if kind == ".json":
        before = _identity(path)
        yield from _pieces(iter(files.json_array(path, encoding)), {}, _Source(before))
        return
    with path.open("rb") as file:
        lines = _Lines(path, file, encoding)
        if kind in files.DELIMITERS:
            delimiter = delimiter_of(path, encoding, files.DELIMITERS[kind])
            header, rows = text_rows.csv_rows(lines, path, delimiter)
            yield from _pieces(rows, dict.fromkeys(header), lines)
        else:
            yield from _pieces(text_rows.json_rows(lines, path), {}, lines)


def records(path: Path, delimiter: str | None = None) -> Iterator[tuple[str, list[str]]]:
    """Yield the records of a CSV or TSV file one by one, each with the words for its place ("x.csv, line 7").

    The first line is a record like any other. Empty lines are left out. A file with the suffix ``.gz`` is unpacked.
    ``delimiter``: the character between values; by default a tab for ``.tsv`` and ``.tsv.gz``, and a comma for every
    other suffix. Raise FileNotFoundError if there is no such file. Raise ValueError if the file is not UTF-8, is not a
    complete gzip file, or is malformed.
    """
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; give the path of a CSV or TSV table")
    packed = path.suffix.lower() == ".gz"
    suffix = Path(path.stem if packed else path.name).suffix.lower()
    with gzip.open(path, "rb") if packed else path.open("rb") as file:
        lines = _Lines(path, cast("IO[bytes]", file))
        reader = csv.reader(lines, delimiter=delimiter or files.DELIMITERS.get(suffix, ","), strict=True)
        try:
            yield from ((where, values) for where, values in text_rows.csv_records(reader, path) if values)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{path} is not a complete gzip file ({error}); fetch it again") from error


def located_rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a CSV or TSV file by column, each with the words for its place. See ``records``.

    Raise FileNotFoundError if there is no such file. Raise ValueError as ``records``, or if a column has no name or a
    name that occurs twice, or a row has more or fewer values than there are columns.
    """
    lines = records(path)
    header = text_rows.header_of(lines, path)
    for where, values in lines:
        yield where, text_rows.unguarded_row(header, values, where)


def row_pieces(path: Path, rows: Iterator[dict[str, Any]]) -> Iterator[Piece]:
    """Yield rows from a file as tables, piece by piece, at least one.

    Raise ValueError if the file has changed when the last row is read.
    """
    before = _identity(path)
    yield from _pieces(rows, {}, _Source(before))
    if _identity(path) != before:
        raise ValueError(f"{path} has changed while it was read; run the command again")


def line_pieces(gold_path: Path, pred_path: Path, gold: str, pred: str) -> Iterator[Piece]:
    """Yield two text files with the same number of lines as a table of two columns, piece by piece, at least one."""
    with gold_path.open("rb") as golds, pred_path.open("rb") as preds:
        lines = _Lines(gold_path, golds, encoding_of(gold_path))
        others = _Lines(pred_path, preds, encoding_of(pred_path))

        def rows() -> Iterator[dict[str, Any]]:
            for one, other in zip_longest(lines, others):
                if one is None or other is None:
                    raise ValueError(
                        f"{gold_path} and {pred_path} no longer have the same number of lines, because one has "
                        "changed; run the command again"
                    )
                yield {gold: _line(one), pred: _line(other)}

        for piece in _pieces(rows(), dict.fromkeys((gold, pred)), lines):
            yield piece._replace(state=piece.state + others.hash.digest())


def count_lines(path: Path) -> int:
    r"""Return the number of lines of a text file. The last line may lack a line end."""
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; give two text files with one answer per line")
    if is_wide(encoding := encoding_of(path)):
        with path.open("rb") as file:
            return sum(1 for _ in _Lines(path, file, encoding))
    n, last = 0, b"\n"
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            n += block.count(b"\n")
            last = block[-1:]
    return n + (last != b"\n")


def schema_of(path: Path) -> Any:
    """Return the pyarrow schema of a Parquet file."""
    with _parquet(path) as file:
        return file.schema_arrow


class Types:
    """The type of each column in Parquet, collected piece by piece; as ``files.write`` for a whole table."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}

    def add(self, table: Table) -> None:
        """Add a piece. Raise ValueError if its values and the previous ones share no type."""
        pyarrow = files.pyarrow_module()
        for field in files.to_arrow(table).schema:
            here = self.fields.setdefault(field.name, field)
            if here.type != field.type:
                both = [pyarrow.schema([here]), pyarrow.schema([field])]
                try:
                    self.fields[field.name] = pyarrow.unify_schemas(both, promote_options="permissive").field(0)
                except pyarrow.ArrowException as error:
                    raise ValueError(
                        f"the values of the column {field.name!r} have no common type in Parquet ({error}); write "
                        f".jsonl instead"
                    ) from error

    def schema(self, columns: Sequence[str]) -> Any:
        """Return the schema of these columns. A column without any value is of type string."""
        pyarrow = files.pyarrow_module()
        return pyarrow.schema([self.fields.get(name, pyarrow.field(name, pyarrow.string())) for name in columns])


@contextmanager
def appending(path: Path, suffix: str, columns: Sequence[str], new: Sequence[str], schema: Any) -> Iterator[Append]:
    """Yield a function that appends a piece and the numbers of its rows to a new table in this file.

    ``new``: the columns of the numbers, which come last. ``schema``: for Parquet, the pyarrow schema of ``columns``.
    """
    if suffix == ".parquet":
        with _appending_parquet(path, columns, new, schema) as append:
            yield append
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        if suffix in files.DELIMITERS:
            writer = files.csv_writer(file, suffix)
            writer.writerow([*columns, *new])

        def append_text(table: Table, numbers: Sequence[Sequence[float]]) -> None:
            rows = zip(table.rows, numbers, strict=True)
            if suffix in files.DELIMITERS:
                writer.writerows([*(files.cell(row.get(name)) for name in columns), *more] for row, more in rows)
            else:
                file.writelines(files.to_json(row | dict(zip(new, more, strict=True))) + "\n" for row, more in rows)

        yield append_text


@contextmanager
def _appending_parquet(path: Path, columns: Sequence[str], new: Sequence[str], schema: Any) -> Iterator[Append]:
    pyarrow = files.pyarrow_module()
    whole = schema
    for name in new:
        whole = whole.append(pyarrow.field(name, pyarrow.float64()))
    waiting: list[Any] = []
    with pyarrow.parquet.ParquetWriter(path, whole) as writer:

        def flush() -> None:
            if waiting:
                writer.write_table(pyarrow.concat_tables(waiting))
                waiting.clear()

        def append(table: Table, numbers: Sequence[Sequence[float]]) -> None:
            arrow = table.arrow
            if arrow is None:
                arrays = [pyarrow.array([row.get(field.name) for row in table.rows], field.type) for field in schema]
                arrow = pyarrow.table(arrays, schema=schema)
            by_column = zip(*numbers, strict=True) if len(numbers) else [[] for _ in new]
            for name, column in zip(new, by_column, strict=True):
                arrow = arrow.append_column(name, pyarrow.array(list(column), "float64"))
            waiting.append(arrow)
            if len(waiting) == _GROUP or sum(part.nbytes for part in waiting) > CHARACTERS * _GROUP:
                flush()

        yield append
        flush()


def _pieces(rows: Iterator[dict[str, Any]], columns: dict[str, None], lines: _Source) -> Iterator[Piece]:
    first = 1
    while block := _some(rows, lines):
        for row in block:
            if not row.keys() <= columns.keys():
                columns.update(dict.fromkeys(row))
        yield Piece(Table(tuple(columns), block), first, lines.share, lines.hash.digest())
        first += len(block)
    if first == 1:
        yield Piece(Table(tuple(columns), []), 1, 1.0, lines.hash.digest())


def _some(rows: Iterator[dict[str, Any]], lines: _Source) -> list[dict[str, Any]]:
    """Return the next rows: at most ``ROWS``, and about ``CHARACTERS`` bytes."""
    block: list[dict[str, Any]] = []
    stop = lines.read + CHARACTERS
    for row in islice(rows, ROWS):
        block.append(row)
        if lines.read >= stop:
            break
    return block


def _line(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def _parquet(path: Path) -> AbstractContextManager[Any]:
    """Open the file so that a row group of any size is read page by page."""
    return files.open_parquet(path, buffer_size=1 << 20, pre_buffer=False)


def _parquet_pieces(path: Path, columns: Sequence[str] | None, keep: bool) -> Iterator[Piece]:
    pyarrow = files.pyarrow_module()
    before = _identity(path)
    with _parquet(path) as file:
        names, total = tuple(file.schema_arrow.names), file.metadata.num_rows
        text_rows.check_names(path, names)
        # Long rows are read a few at a time, because their size in memory is known only after reading.
        size = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
        rows = max(1, min(ROWS, int(CHARACTERS * total / size) if size else ROWS))
        needed = [name if name in names else name.partition(".")[0] for name in columns or ()]  # "a.b" is in "a"
        wanted = None if columns is None else [name for name in dict.fromkeys(needed) if name in names]
        done, waiting, here = 0, [], 0
        for batch in file.iter_batches(batch_size=rows, columns=None if keep else wanted):
            waiting.append(batch)
            here += batch.num_rows
            while here >= rows or (here and done + here == total):  # pieces of equal size for any row groups
                arrow = pyarrow.Table.from_batches(waiting)
                waiting = arrow.slice(rows).to_batches()
                arrow, here = arrow.slice(0, rows), max(0, here - rows)
                selected = arrow if wanted is None else arrow.select(wanted)
                share = (done + arrow.num_rows) / total
                yield Piece(Table(names, selected.to_pylist(), arrow), done + 1, share, before)
                done += arrow.num_rows
        if not done:
            yield Piece(Table(names, [], file.schema_arrow.empty_table()), 1, 1.0, before)
    if _identity(path) != before:
        raise ValueError(f"{path} has changed while it was read; run the command again")


def _identity(path: Path) -> bytes:
    """Return what changes when a file is replaced or written: its inode, its size and its modification time."""
    status = path.stat()
    return repr((status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)).encode()
