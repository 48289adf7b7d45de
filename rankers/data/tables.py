"""Lines of a file as cells with their line numbers, and the columns of a table that contain identifiers."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from answersim._base.arguments import is_unicode
from answersim._base.io import text_rows
from rankers.data.pools import Answer, CandidateRow


def file_lines(path: Path) -> Iterator[str]:
    """Yield the lines of this UTF-8 file, unpacked if its name ends in .gz. Raise ValueError for other bytes."""
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="\n") as file:
            yield from file
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise ValueError(f"{path} is not UTF-8: it has the byte 0x{byte:02x}; convert the file first") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is damaged: {error}; fetch it again") from error


def text(path: Path) -> str:
    """Return the text of a file. See ``file_lines``."""
    return "".join(file_lines(path))


def lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield every line that is not empty, with a description of its place. Only a line feed ends a line."""
    for number, line in enumerate(text(path).split("\n"), start=1):
        if line := line.removesuffix("\r"):
            yield f"{path}, line {number}", line


def objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the object on each line of a file of JSON lines, with a description of its place.

    Raise ValueError for the line if it is not a JSON object, or a name occurs twice in it, at any depth.
    """
    raw_lines = text(path).split("\n")
    numbers = (number for number, line in enumerate(raw_lines, start=1) if line.strip())
    for number, row in zip(numbers, text_rows.json_rows(raw_lines, path), strict=False):
        yield f"{path}, line {number}", row


def document(path: Path) -> dict[str, Any]:
    """Return the one object in this JSON file. Raise ValueError for anything else, or for a name that occurs twice."""
    return next(text_rows.json_rows([text(path) or "null"], path))


def plain(path: Path, width: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the cells of each line, in which a quote is an ordinary character.

    Raise ValueError if a line does not have ``width`` cells.
    """
    for where, line in lines(path):
        yield where, _wide(where, line.split("\t"), width)


def read_quoted(path: Path, width: int | None = None, delimiter: str = "\t") -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the cells of each row. A quoted cell may contain the delimiter, doubled quotes and line ends.

    Raise ValueError if a row does not have ``width`` cells (None: any), or quotes do not close.
    """
    reader = csv.reader(io.StringIO(text(path), newline=""), delimiter=delimiter, strict=True)
    for where, cells in text_rows.csv_records(reader, path):
        if cells:
            yield where, cells if width is None else _wide(where, cells, width)


def _wide(where: str, cells: list[str], width: int) -> list[str]:
    if len(cells) != width:
        raise ValueError(f"{where}: {len(cells)} cells, but each line has {width}")
    return cells


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


def pairs(lines: Iterable[tuple[str, list[str]]]) -> Iterator[CandidateRow]:
    """Yield the row of each line of question, candidate and label, if nothing else identifies the question."""
    for where, (question, candidate, label) in lines:
        yield CandidateRow(question, question, Answer(candidate, grade(label, where)))


QUESTION_ID = ("question_id", "qid", "query_id")
CANDIDATE_ID = ("candidate_id", "docid", "doc_id", "docno", "document_id", "answer_id", "passage_id", "pid")
CANDIDATE_IDS = ("candidate_ids", "docids", "doc_ids", "document_ids", "answer_ids", "passage_ids", "pids")


def column_of(where: str, columns: Iterable[str], names: Iterable[str]) -> str | None:
    """Return the one column that has one of these names, or None if there is none.

    Case and underscores do not matter: "DocID" is "doc_id".

    >>> column_of("a.csv", ["QID", "question"], QUESTION_ID)
    'QID'
    """
    plain_names = set(map(plain_name, names))
    matching = [column for column in columns if plain_name(column) in plain_names]
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
    name = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not name or name.split() != [name] or not is_unicode(name):
        raise ValueError(
            f"{where}: {column!r} is {value!r}, but an id must not be empty or contain white space, which separates "
            "the fields of TREC files; replace it, for example by '_'"
        )
    return name


def plain_name(name: str) -> str:
    """Return the name of a column without case and underscores."""
    return name.strip().lower().replace("_", "")
