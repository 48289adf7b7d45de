"""The texts of the ids of a run: documents and questions in JSON lines, CSV or TSV, read line by line."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from csv import reader
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

from answersim._base.arguments import is_unicode
from answersim._base.io import text_rows
from rankers.data.identifiers import CANDIDATE_ID, QUESTION_ID, column_of, identifier

SUFFIXES = (".jsonl", ".tsv", ".csv")
_ANY_ID = ("_id", "id")
_DOCUMENT_TEXT = ("text", "candidate", "contents", "passage", "answer", "document")
_QUESTION_TEXT = ("text", "question", "query")
_GOLDS = ("golds", "gold", "answers")


class QueryText(NamedTuple):
    """The text of a question, and its gold answers if the file gives them."""

    text: str
    golds: tuple[str, ...] = ()


class _Names(NamedTuple):
    """The accepted names of the columns of a file."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]


def read_documents(path: str | Path, wanted: Collection[str] | None = None) -> dict[str, str]:
    """Return the texts of documents by their ids.

    JSON lines and tables with a header have the id in ``docid``, ``docno``, ``pid``, ``candidate_id``, ``_id``, ``id``
    and so on, and the text in ``text``, ``candidate``, ``contents``, ``passage``, ``answer`` or ``document``. Case and
    underscores do not matter. A TSV file without such names in its first line has two columns: id and text (MS MARCO).
    Other columns, such as the title of a BEIR corpus, are not read.

    Args:
        path: A .jsonl, .tsv or .csv file, UTF-8, also gzipped (.jsonl.gz).
        wanted: The ids that are kept, so that a large collection needs little memory. None keeps all.

    Raises:
        FileNotFoundError: If the file does not exist.
        LookupError: If it has no column of ids or of texts. The message lists its columns.
        ValueError: If the suffix is not supported, the file is empty or damaged, an id is malformed, a text is not
            text, or a wanted id has two texts. The message names the line.
    """
    texts: dict[str, str] = {}
    for where, name, text, _ in _rows(Path(path), _Names((*CANDIDATE_ID, *_ANY_ID), _DOCUMENT_TEXT)):
        if (wanted is None or name in wanted) and texts.setdefault(name, text) != text:
            raise ValueError(f"{where}: the document {name!r} has another text here than before; keep one of them")
    return texts


def read_queries(path: str | Path) -> dict[str, QueryText]:
    """Return the texts of questions by their ids, with their gold answers.

    The format is that of ``read_documents``; the id is in ``qid``, ``query_id``, ``question_id``, ``_id`` or ``id``,
    the text in ``text``, ``question`` or ``query``, and the gold answers in ``golds``, ``gold`` or ``answers``: a text,
    or in JSON lines also a list of texts. The errors are those of ``read_documents``.
    """
    queries: dict[str, QueryText] = {}
    for where, name, text, row in _rows(Path(path), _Names((*QUESTION_ID, *_ANY_ID), _QUESTION_TEXT)):
        column = column_of(where, row, _GOLDS)
        given = [] if column is None else row[column]
        golds = [_text(where, str(column), gold) for gold in (given if isinstance(given, list) else [given])]
        query = QueryText(text, tuple(gold for gold in golds if gold.strip()))
        if queries.setdefault(name, query) != query:
            raise ValueError(f"{where}: the question {name!r} has another text here than before; keep one of them")
    return queries


def _rows(path: Path, names: _Names) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    """Yield the place, the id, the text and all columns of each line."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = next((suffix for suffix in suffixes[-2:] if suffix in SUFFIXES), "")
    if not kind:
        raise ValueError(f"{path} has the suffix {path.suffix!r}; texts are read from: {', '.join(SUFFIXES)}, or .gz")
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; give a file of ids and texts ({', '.join(SUFFIXES)})")
    columns: dict[tuple[str, ...], tuple[str, str]] = {}
    is_empty = True
    with _opened(path) as lines:
        for where, row in text_rows.json_records(lines, path) if kind == ".jsonl" else _table(lines, path, kind, names):
            header, is_empty = tuple(row), False
            if header not in columns:
                columns[header] = _columns(where, header, names)
            name, text = columns[header]
            yield where, identifier(where, name, row[name]), _text(where, text, row[text]), row
    if is_empty:
        raise ValueError(f"{path} contains no line; it must contain ids and texts")


def _columns(where: str, header: Sequence[str], names: _Names) -> tuple[str, str]:
    """Return the columns of ids and of texts. Raise LookupError if one is missing."""
    result = []
    for what, wanted in (("ids", names.ids), ("texts", names.texts)):
        # The first group of names that is present counts: a table with both "docid" and "id" is named by "docid".
        groups = (wanted[: -len(_ANY_ID)], *((name,) for name in _ANY_ID)) if what == "ids" else ((n,) for n in wanted)
        column = next((column for group in groups if (column := column_of(where, header, group))), None)
        if column is None:
            raise LookupError(
                f"{where}: there is no column of {what} among {', '.join(map(repr, header)) or '(nothing)'}; name one "
                f"of them {', '.join(wanted)}"
            )
        result.append(column)
    return result[0], result[1]


def _table(lines: Iterable[str], path: Path, kind: str, names: _Names) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a table. A TSV file without a header has the columns ``id`` and ``text``."""
    remaining = iter(lines)
    first = next(remaining, "")
    cells = first.rstrip("\r\n").split("\t")
    known = {_plain(name) for name in (*names.ids, *names.texts)}
    if kind == ".tsv" and not any(_plain(cell) in known for cell in cells):
        for number, line in enumerate(chain([first], remaining), start=1):
            if stripped := line.rstrip("\r\n"):
                name, tab, text = stripped.partition("\t")
                if not tab:
                    raise ValueError(f"{path}, line {number}: no tab, but each line must be an id, a tab and a text")
                yield f"{path}, line {number}", {"id": name, "text": text}
        return
    delimiter = "," if kind == ".csv" else "\t"
    rows = text_rows.csv_records(reader(chain([first], remaining), delimiter=delimiter, strict=True), path)
    header = next(rows, ("", []))[1]
    for where, values in rows:
        if values:
            yield where, text_rows.by_column(header, values, where)


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "")


def _text(where: str, column: str, value: Any) -> str:
    if not isinstance(value, str) or not is_unicode(value):
        raise ValueError(f"{where}: {column!r} is {value!r:.60}, but it must be text")
    return value


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    """Open a text file, plain or gzipped. Raise ValueError if it is damaged or not UTF-8."""
    try:
        if path.suffix.lower() == ".gz":
            with gzip.open(path, "rt", encoding="utf-8-sig", newline="\n") as lines:
                yield lines
        else:
            with path.open(encoding="utf-8-sig", newline="\n") as lines:
                yield lines
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8 ({error.reason} at byte {error.start}); convert the file first"
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is damaged: {error}; fetch it again") from error
