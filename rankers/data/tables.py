"""Lines of a file as cells with their line numbers, and the columns of a table that contain identifiers."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from answersim._base.arguments import is_unicode
from answersim._base.io import text_rows
from rankers.data.pools import Answer, CandidateRow


class Line(NamedTuple):
    """The cells of one line, and a description of its place."""

    where: str
    cells: list[str]


def text(path: Path) -> str:
    """Return the text of this UTF-8 file, unpacked if its name ends in .gz. Raise ValueError for other bytes.

    ``answersim._base.io.files`` does not read gzipped files, so the bytes are decoded here.
    """
    content = path.read_bytes()
    try:
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: byte 0x{error.object[error.start]:02x} at {error.start}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} cannot be unpacked, it is damaged or not a gzip file: {error}") from error


def lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield every line that is not empty, with a description of its place. Only a line feed ends a line."""
    for number, line in enumerate(text(path).split("\n"), start=1):
        if line := line.removesuffix("\r"):
            yield f"{path}, line {number}", line


def objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the object on each line of a file of JSON lines, with a description of its place.

    Raise ValueError if a line is not a JSON object, or a name occurs twice in it, at any depth. The message names the
    line.
    """
    raw_lines = text(path).split("\n")
    numbers = (number for number, line in enumerate(raw_lines, start=1) if line.strip())
    for number, row in zip(numbers, text_rows.json_rows(raw_lines, path), strict=False):
        yield f"{path}, line {number}", row


def document(path: Path) -> dict[str, Any]:
    """Return the one object in this JSON file. Raise ValueError for anything else, or for a name that occurs twice."""
    return next(text_rows.json_rows([text(path) or "null"], path))


def plain(path: Path, width: int, delimiter: str | None = "\t") -> Iterator[Line]:
    """Yield the cells of each line, in which a quote is an ordinary character. None splits at any white space.

    Raise ValueError if a line does not have ``width`` cells.
    """
    for where, line in lines(path):
        yield _wide(Line(where, line.split(delimiter)), width)


def read_quoted(path: Path, width: int | None = None, delimiter: str = "\t") -> Iterator[Line]:
    """Yield the cells of each row, in which a quoted cell may contain the delimiter, doubled quotes and line ends.

    Raise ValueError if a row does not have ``width`` cells (None: any), or quotes do not close.
    """
    reader = csv.reader(io.StringIO(text(path), newline=""), delimiter=delimiter, strict=True)
    records = map(Line._make, text_rows.csv_records(reader, path))
    while True:
        try:
            line = next(records)
        except StopIteration:
            return
        except ValueError as error:
            raise ValueError(f"{error}; if quotes are ordinary characters in this file, pass quotes=False") from error
        if line.cells:
            yield line if width is None else _wide(line, width)


def _wide(line: Line, width: int) -> Line:
    if len(line.cells) != width:
        raise ValueError(f"{line.where}: {len(line.cells)} cells, but each line has {width}")
    return line


def grade(value: Any, where: str) -> int:
    r"""Return the grade in this cell, a whole number from 0. Raise ValueError with the line for anything else.

    >>> grade("1", "a.tsv, line 1"), grade(" 3.0\r", "a.tsv, line 2"), grade(True, "a.jsonl, line 1")
    (1, 3, 1)
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not (number >= 0 and number.is_integer()):
        raise ValueError(f"{where}: the label is {value!r}, but it must be a whole number, 0 (not relevant) or more")
    return int(number)


def pair(line: Line) -> CandidateRow:
    """Return the row of a line that begins with question, candidate, label, if nothing else identifies the question."""
    question, candidate, label = line.cells[:3]
    return CandidateRow(question, question, Answer(candidate, grade(label, line.where)))


QUESTION_ID = ("question_id", "qid", "query_id")
CANDIDATE_ID = ("candidate_id", "docid", "doc_id", "docno", "document_id", "answer_id", "passage_id", "pid")
CANDIDATE_IDS = ("candidate_ids", "docids", "doc_ids", "document_ids", "answer_ids", "passage_ids", "pids")


def column_of(where: str, columns: Iterable[str], names: Iterable[str]) -> str | None:
    """Return the one column that has one of these names, or None if there is none.

    Case and underscores do not matter: "DocID" is "doc_id".

    >>> column_of("a.csv", ["QID", "question"], QUESTION_ID)
    'QID'
    """
    wanted = {_plain(name) for name in names}
    matching = [column for column in columns if _plain(column) in wanted]
    if len(matching) > 1:
        raise ValueError(
            f"{where}: the columns {matching[0]!r} and {matching[1]!r} both name the same identifier; keep one of them"
        )
    return matching[0] if matching else None


def identifier(where: str, column: str, value: Any) -> str:
    """Return this cell as an identifier.

    Raise ValueError if it is not text or a whole number, is empty, or contains white space, which separates the fields
    of TREC files.
    """
    shown = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not shown or shown.split() != [shown] or not is_unicode(shown):
        raise ValueError(
            f"{where}: {column!r} is {value!r}, but an id must not be empty or contain white space, which separates "
            "the fields of TREC files; replace it, for example by '_'"
        )
    return shown


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "")
