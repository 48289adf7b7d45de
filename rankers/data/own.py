"""Reader of tables of question, candidate and label: JSON lines, CSV or TSV. Error messages name the line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from answersim._base.arguments import is_unicode
from answersim._base.io import text_rows
from rankers.data.pools import Answer, CandidateRow, blocks, gather, shelve
from rankers.data.tables import CANDIDATE_ID, QUESTION_ID, column_of, grade, identifier, lines, objects, read_quoted
from rankers.types import Questions


class Columns(NamedTuple):
    """The column of each part of a row, or None if there is no such column."""

    question: str = "question"
    candidate: str = "candidate"
    label: str = "label"
    question_id: str | None = None
    candidate_id: str | None = None
    golds: str | None = None
    teacher: str | None = None

    def required(self) -> list[str]:
        """Return the required columns.

        Raise TypeError if the name of a column is not text. Raise ValueError if two roles have the same column, so that
        candidates would be compared with themselves.
        """
        given = {role: name for role, name in self._asdict().items() if name is not None}
        for role, name in given.items():
            if not isinstance(name, str):
                raise TypeError(f"{role} is {name!r:.60}, but it must be the name of a column")
            if other := next(
                (other_role for other_role, taken in given.items() if taken == name and other_role != role), None
            ):
                raise ValueError(
                    f"the column {name!r} is given for both {role} and {other}; give each a different column"
                )
        return list(given.values())


def read_jsonl(
    path: str | Path,
    *,
    columns: Columns | None = None,
    corpus: str | None = None,
    split: str = "all",
    relevant: int = 1,
    gains: Mapping[int, int] | None = None,
    contiguous: bool = False,
    seed: int = 0,
) -> Questions:
    """Return the questions of a file with one JSON object per line: question, candidate, label, and other ``columns``.

    Rows belong to one question if they share its id, or without ids its text. Candidates are shuffled by ``seed``.
    If the file does not give an id, the id is a hash of the text. Candidates with the same text are kept.

    Args:
        path: The file, UTF-8, also gzipped (.jsonl.gz).
        columns: The names in the objects, if they are not question, candidate and label. ``golds`` contains a text or a
            list of texts, and ``teacher`` the scores of another ranker or a judge, or nothing.
        corpus: The name of the corpus. The default is the name of the file without its suffixes.
        split: The name of the split.
        relevant: The lowest grade that counts as relevant.
        gains: The gain of each grade in nDCG. A grade that is not given is its own gain.
        contiguous: Whether only adjacent rows belong to one question, for files in which two questions share a text.
        seed: The random seed of the order of the candidates.

    Raises:
        ValueError: If one column is given for two roles, or the file has no rows. If a line is not an object, has a
            name twice (at any depth), lacks a name, or contains something other than text or a grade. If an id is
            empty, contains white space (ids are written to TREC files), occurs twice in a question, or has two texts.
            The message names the line.
        FileNotFoundError: If the file does not exist.
    """
    path, columns = _there(path), columns or Columns()
    rows = _rows(_objects(path, columns.required()), columns)
    return _questions(path, rows, corpus, split, relevant, gains, contiguous, seed)


def read_csv(
    path: str | Path,
    *,
    columns: Columns | None = None,
    header: Sequence[str] | None = None,
    delimiter: str | None = None,
    quotes: bool = True,
    corpus: str | None = None,
    split: str = "all",
    relevant: int = 1,
    gains: Mapping[int, int] | None = None,
    contiguous: bool = False,
    seed: int = 0,
) -> Questions:
    """Return the questions of a CSV or TSV file, in which every cell is text; ``golds`` contains one gold answer.

    The other arguments are those of ``read_jsonl``. ``header`` has the names of the columns in order, for a file
    without a header line. The default ``delimiter`` is a tab for .tsv (.tsv.gz) and a comma for all other files. If
    ``quotes`` is False, a quote is an ordinary character (as in the WikiQA corpus).

    Raises:
        ValueError: As for ``read_jsonl``. Also if a row has more or fewer cells than columns, or a column is missing or
            occurs twice.
        FileNotFoundError: If the file does not exist.
    """
    path, columns = _there(path), columns or Columns()
    if delimiter is None:
        delimiter = "\t" if ".tsv" in path.suffixes else ","
    rows = _rows(_records(path, columns.required(), header, delimiter, quotes), columns)
    return _questions(path, rows, corpus, split, relevant, gains, contiguous, seed)


def header(path: str | Path) -> tuple[str, ...]:
    """Return the columns of a CSV, TSV or JSON lines file, also gzipped. Of JSON lines, the first object counts.

    Raise FileNotFoundError if the file does not exist. Raise ValueError if it is malformed.
    """
    path = _there(path)
    if ".jsonl" in [suffix.lower() for suffix in path.suffixes]:
        return next((tuple(row) for _, row in objects(path)), ())
    delimiter = "\t" if ".tsv" in path.suffixes else ","
    return next((tuple(line.cells) for line in read_quoted(path, delimiter=delimiter)), ())


def chosen(where: str, names: Sequence[str], given: Mapping[str, str]) -> tuple[Columns, tuple[str, ...]]:
    """Return the columns of a labeled table, and the columns that are not read.

    ``where`` names the table in messages. ``given`` has names by role. Ids and teacher are found by their usual names.
    """
    found: dict[str, Any] = {
        "question_id": column_of(where, names, QUESTION_ID),
        "candidate_id": column_of(where, names, CANDIDATE_ID),
        "teacher": "teacher" if "teacher" in names else None,
    }
    columns = Columns()._replace(**{**found, **given})
    for role, name in columns._asdict().items():
        if name is not None and name not in names:
            near = get_close_matches(name, list(map(str, names)), n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}? " if near else ""
            option = f"columns={{{role!r}: ...}}, or --{role.replace('_', '-')} on the command line"
            listed = ", ".join(map(repr, names)) or "none"
            raise LookupError(
                f"{where} has no column {name!r} ({role}); {hint}its columns are {listed}. Give the name: {option}"
            )
    return columns, tuple(name for name in names if name not in columns)


def of_rows(
    rows: Iterable[tuple[str, dict[str, Any]]], columns: Columns, source: str, corpus: str, split: str, seed: int = 0
) -> Questions:
    """Return the questions of rows, each with a description of its place. Errors are those of ``read_jsonl``."""
    needed = columns.required()

    def checked() -> Iterator[tuple[str, dict[str, Any]]]:
        for where, values in rows:
            _check_names(where, values, needed)
            yield where, values

    return _questions(source, _rows(checked(), columns), corpus, split, 1, None, False, seed)


def _there(path: str | Path) -> Path:
    if not (path := Path(path)).is_file():
        raise FileNotFoundError(f"no file at {path}; give a table of question, candidate and label")
    return path


def _objects(path: Path, needed: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for where, values in objects(path):
        _check_names(where, values, needed)
        yield where, values


def _records(
    path: Path, needed: Sequence[str], header: Sequence[str] | None, delimiter: str, quotes: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    if quotes:
        rows: Iterator[Any] = read_quoted(path, delimiter=delimiter)
    else:
        rows = ((where, line.split(delimiter)) for where, line in lines(path))
    if header is not None:
        _check_header(str(path), header, needed)
    for where, cells in rows:
        if header is None:
            header = cells
            _check_header(where, header, needed)
            continue
        yield where, text_rows.by_column(header, cells, where)


def _check_header(where: str, header: Sequence[str], needed: Sequence[str]) -> None:
    """Check that a header has every needed column, and none twice, because only the last would count."""
    _check_names(where, header, needed)
    if twice := [name for name in header if list(header).count(name) > 1]:
        raise ValueError(f"{where}: the column {twice[0]!r} occurs twice; give every column a different name")


def _check_names(where: str, names: Iterable[str], needed: Sequence[str]) -> None:
    for name in needed:
        if name not in names:
            raise ValueError(f"{where}: there is no {name!r} among: {', '.join(map(str, names)) or '(nothing)'}")


def _rows(rows: Iterable[tuple[str, dict[str, Any]]], columns: Columns) -> Iterator[CandidateRow]:
    """Yield the rows in order. Raise ValueError for the line at which two of them contradict each other."""
    texts: dict[str, str] = {}
    seen: set[tuple[object, str]] = set()
    for where, values in rows:
        row = _row(where, values, columns)
        if row.question_id is not None and texts.setdefault(row.question_id, row.question) != row.question:
            raise ValueError(f"{where}: the question {row.question_id!r} has another text here than before")
        if row.answer.id is not None and (row.key, row.answer.id) in seen:
            raise ValueError(f"{where}: the candidate {row.answer.id!r} occurs twice for this question")
        if row.answer.id is not None:
            seen.add((row.key, row.answer.id))
        yield row


def _row(where: str, values: Mapping[str, Any], columns: Columns) -> CandidateRow:
    question = _text(where, columns.question, values[columns.question], empty=False)
    candidate = _text(where, columns.candidate, values[columns.candidate], empty=False)
    question_id, candidate_id = (
        None if name is None else identifier(where, name, values[name])
        for name in (columns.question_id, columns.candidate_id)
    )
    golds = values[columns.golds] if columns.golds is not None else []
    golds = golds if isinstance(golds, list) else [golds]
    return CandidateRow(
        key=question if question_id is None else question_id,
        question=question,
        answer=Answer(
            candidate,
            grade(values[columns.label], where),
            candidate_id,
            None if columns.teacher is None else _score(where, columns.teacher, values[columns.teacher]),
        ),
        question_id=question_id,
        golds=tuple(_text(where, str(columns.golds), gold) for gold in golds),
    )


def _score(where: str, name: str, value: Any) -> float | None:
    """Return a finite number, or None for an empty cell."""
    try:
        score = None if value is None or value == "" else float(value)
    except (TypeError, ValueError):
        score = math.nan
    if score is not None and not math.isfinite(score):
        raise ValueError(f"{where}: {name!r} is {value!r}, but it must be a finite number, or empty for no score")
    return score


def _text(where: str, name: str, value: Any, empty: bool = True) -> str:
    if not isinstance(value, str) or not (empty or value.strip()):
        raise ValueError(f"{where}: {name!r} is {value!r}, but it must be text" + ("" if empty else " and not empty"))
    if not is_unicode(value):
        raise ValueError(
            f"{where}: {name!r} contains half a surrogate pair, which is not a character; write it as UTF-8"
        )
    return value


def _questions(
    path: Path | str,
    rows: Iterable[CandidateRow],
    corpus: str | None,
    split: str,
    relevant: int,
    gains: Mapping[int, int] | None,
    contiguous: bool,
    seed: int,
) -> Questions:
    corpus = Path(path).name.split(".")[0] if corpus is None else corpus
    groups = list(blocks(rows) if contiguous else gather(rows))
    if not groups:
        raise ValueError(f"{path} contains no rows; it must contain question, candidate and label")
    items = shelve(groups, corpus, split, seed)
    if len({item.id for item in items}) < len(items):
        raise ValueError(f"{path}: rows of one question id are not adjacent; leave contiguous=True out")
    return Questions(
        corpus, split, items, relevant=relevant, gains={} if gains is None else gains, pool="given", source=str(path)
    )
