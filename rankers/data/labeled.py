"""Labeled questions from what a user has: a file, a DataFrame, a Hugging Face Dataset, lists, or a named corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from answersim._base.arguments import is_unicode
from answersim._base.errors import unknown
from answersim._base.io import text_rows
from answersim._base.io.files import Table
from answersim.answers.tables import sources
from answersim.answers.tables.sources import Source
from rankers.data import catalog
from rankers.data.pools import Answer, CandidateRow, gather, shelve
from rankers.data.tables import CANDIDATE_ID, QUESTION_ID, column_of, grade, identifier, objects, read_quoted
from rankers.types import Questions

Data: TypeAlias = "Questions | str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Mapping[str, Iterable[Any]] | Any"
ROLES = ("question", "candidate", "label", "question_id", "candidate_id", "golds")  # of columns
_BY_LINE = (".csv", ".tsv", ".jsonl")  # files whose errors name a line, also gzipped
# the columns with lists of a row per question, by role
LISTED = {"candidate": "candidates", "label": "labels", "candidate_id": "candidate_ids"}


def questions(
    data: Data,
    *,
    split: str = "all",
    columns: Mapping[str, str] | None = None,
    relevant: int | None = None,
    notice: Callable[[str], None] = lambda line: None,
) -> Questions:
    """Return labeled questions.

    A table has one row per candidate, in the columns question, candidate and label; or one row per question, in the
    columns question, candidates and labels, which are lists of one length. Ids are read from question_id, qid,
    candidate_id, docid and so on, if these columns exist. Rows belong to one
    question if they share its id, or without ids its text. An id that is not given is a hash of the text.

    Args:
        data: Questions, which are returned as they are; the name of a corpus; a file (.csv, .tsv, .jsonl, .json,
            .parquet, .xlsx; the first three also gzipped); a DataFrame; a Hugging Face ``Dataset``; a list of mappings;
            or a mapping of lists by column.
        split: The split of a corpus, or the name that the questions of a table get.
        columns: The names of columns by role: question, candidate, label, question_id, candidate_id, golds (a text or a
            list of texts).
        relevant: The lowest grade that counts as relevant. The default is that of the corpus, or 1.
        notice: Called with a line that lists columns that are not read.

    Raises:
        FileNotFoundError: If there is no such file.
        LookupError: If a text is the name of neither a corpus nor a file, a role is unknown, or a column is missing.
        TypeError: If data is of another type.
        ValueError: If one column is given for two roles, or the content is malformed. The message names the line or the
            row, from 1.

    >>> table = {"question": ["Who?"] * 2, "candidate": ["Ann.", "It rained."]}
    >>> (question,) = questions(table | {"label": [1, 0]})
    >>> [(candidate.text, candidate.grade) for candidate in question.candidates]
    [('Ann.', 1), ('It rained.', 0)]
    """
    if isinstance(data, Questions):
        loaded = data
    elif isinstance(data, str) and data in catalog.corpora():
        if columns is not None:
            raise ValueError(f"columns are given, but {data} is a corpus, which has none; leave them out")
        loaded = catalog.load(data, split)
    else:
        loaded = _of_table(data, split, columns, notice)
    return loaded if relevant is None else replace(loaded, relevant=relevant)


def names(columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return the names of columns by role. Raise LookupError for an unknown role, TypeError for another type."""
    if not isinstance(columns, Mapping | None):
        raise TypeError(f"columns are {columns!r:.60}, but they must be names by role, such as {{'question': 'q'}}")
    named = {role: name for role, name in (columns or {}).items() if name is not None}
    for role, name in named.items():
        if role not in ROLES:
            raise unknown("role of a column", role, ROLES)
        if not isinstance(name, str):
            raise TypeError(f"{role} is {name!r:.60}, but it must be the name of a column")
    return named


def source_of(data: Any) -> Source:
    """Return the table in a file, a DataFrame, a Dataset, mappings, or a mapping of lists."""
    if callable(getattr(data, "to_dicts", None)):  # a DataFrame of polars
        data = data.to_dicts()
    elif not isinstance(data, str | bytes | os.PathLike | Mapping) and not hasattr(data, "columns"):
        data = list(data) if isinstance(data, Iterable) else data  # such as a Dataset of Hugging Face
    return Source(Table((), []), Path("data")) if isinstance(data, list) and not data else sources.read(data, "data")


def check_source(data: str | os.PathLike[str]) -> None:
    """Check that this is a corpus or a file, without reading it. Raise LookupError or FileNotFoundError if not."""
    path = Path(data)
    if (isinstance(data, str) and data in catalog.corpora()) or path.is_file():
        return
    if isinstance(data, str) and not path.suffix and not path.exists():
        raise unknown("corpus (nor is it a file)", data, catalog.corpora())
    raise FileNotFoundError(f"no file at {path}; give a table of question, candidate and label")


def _of_table(data: Any, split: str, columns: Mapping[str, str] | None, notice: Callable[[str], None]) -> Questions:
    by_role = names(columns)
    source = str(data) if isinstance(data, str | os.PathLike) else ""
    suffix = next((s for s in map(str.lower, reversed(Path(source).suffixes)) if s != ".gz"), "")
    if source:
        check_source(source)
    if suffix in _BY_LINE:
        placed = _by_line(Path(source))
        stem = Path(source).name.split(".")[0]
        corpus = Path(source).name if stem in catalog.corpora() else stem  # a file is not the corpus of its name
    else:
        found = source_of(data)
        name = found.path.name.split(".")[0]
        source, corpus = source or name, f"{name}-table" if name in catalog.corpora() else name
        placed = [(f"{source}, row {i}", row) for i, row in enumerate(found.table.rows, start=1)]
    if not placed:
        raise ValueError(f"{source} contains no rows; it must contain question, candidate and label")
    one_per_question = lists_of(placed[0][1], by_role)
    placed = list(_one_per_candidate(placed, by_role))
    by_role = {role: name for role, name in by_role.items() if role not in one_per_question}
    header = tuple(placed[0][1])
    used = _columns(source, header, by_role)
    if unread := [name for name in header if name not in used.values()]:
        notice(f"{source}: not read: {', '.join(map(repr, unread))}")
    return Questions(corpus, split, shelve(gather(_rows(placed, used)), corpus, split, 0), pool="given", source=source)


def _by_line(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return the rows of a file, each with its line."""
    if ".jsonl" in map(str.lower, path.suffixes):
        return list(objects(path))
    lines = read_quoted(path, delimiter="\t" if ".tsv" in path.suffixes else ",")
    where, header = next(lines, ("", []))
    if twice := [name for name in header if header.count(name) > 1]:
        raise ValueError(f"{where}: the column {twice[0]!r} occurs twice; give every column a different name")
    return [(where, text_rows.by_column(header, cells, where)) for where, cells in lines]


def lists_of(row: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the columns with lists by role, if this row has all candidates of a question; {} if not."""
    names = {role: columns.get(role, usual) for role, usual in LISTED.items()}
    usual = LISTED["candidate"] in row and "candidate" not in row
    return names if (_is_list(row.get(names["candidate"])) if "candidate" in columns else usual) else {}


def _one_per_candidate(
    rows: Iterable[tuple[str, dict[str, Any]]], columns: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield rows with one candidate each. Rows that have no list of candidates are yielded as they are."""
    for where, row in rows:
        if not (names := lists_of(row, columns)):
            yield where, row
            continue
        several = {role: row.get(name) for role, name in names.items() if name in row or role != "candidate_id"}
        lists = {role: list(value) if _is_list(value) else [] for role, value in several.items()}
        if not all(lists.values()) or len(set(map(len, lists.values()))) > 1:
            found = " and ".join(f"{names[role]!r} is {value!r:.60}" for role, value in several.items())
            raise ValueError(f"{where}: {found}, but they must be lists of one length")
        others = {name: value for name, value in row.items() if name not in names.values()}
        for values in zip(*lists.values(), strict=True):
            yield where, {**others, **dict(zip(lists, values, strict=True))}


def _is_list(value: Any) -> TypeGuard[Iterable[Any]]:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _columns(source: str, header: Sequence[str], by_role: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of a table that are read, by role. Ids are found by their usual names."""
    usual = {
        "question_id": column_of(source, header, QUESTION_ID),
        "candidate_id": column_of(source, header, CANDIDATE_ID),
    }
    columns = {role: role for role in ROLES[:3]} | {role: name for role, name in usual.items() if name} | {**by_role}
    for role, name in columns.items():
        if name not in header:
            near = get_close_matches(name, list(map(str, header)), n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            option = f"columns={{{role!r}: ...}}, or --{role.replace('_', '-')} on the command line"
            listed = ", ".join(map(repr, header)) or "none"
            raise LookupError(
                f"{source} has no column {name!r} ({role}); {hint}its columns are {listed}. Give the name: {option}"
            )
        if same := [first for first in columns if columns[first] == name and first != role]:
            raise ValueError(
                f"the column {name!r} is given for both {role} and {same[0]}; give each a different column"
            )
    return columns


def _rows(placed: Iterable[tuple[str, Mapping[str, Any]]], columns: Mapping[str, str]) -> Iterator[CandidateRow]:
    """Yield the rows in order. Raise ValueError for the line at which two of them contradict each other."""
    texts: dict[str, str] = {}
    seen: set[tuple[object, str]] = set()
    for where, values in placed:
        for name in columns.values():
            if name not in values:
                raise ValueError(f"{where}: there is no {name!r} among: {', '.join(map(str, values)) or '(nothing)'}")
        row = _row(where, columns, {role: values[name] for role, name in columns.items()})
        if row.question_id is not None and texts.setdefault(row.question_id, row.question) != row.question:
            raise ValueError(f"{where}: the question {row.question_id!r} has another text here than before")
        if row.answer.id is not None:
            if (row.key, row.answer.id) in seen:
                raise ValueError(f"{where}: the candidate {row.answer.id!r} occurs twice for this question")
            seen.add((row.key, row.answer.id))
        yield row


def _row(where: str, columns: Mapping[str, str], cells: Mapping[str, Any]) -> CandidateRow:
    """Return the row of these cells by role."""
    question, candidate = (_text(where, columns[role], cells[role], empty=False) for role in ROLES[:2])
    question_id, candidate_id = (
        identifier(where, columns[role], cells[role]) if role in columns else None
        for role in ("question_id", "candidate_id")
    )
    golds = cells.get("golds", [])
    golds = golds if isinstance(golds, list) else [golds]
    return CandidateRow(
        key=question if question_id is None else question_id,
        question=question,
        answer=Answer(candidate, grade(cells["label"], where), candidate_id),
        question_id=question_id,
        golds=tuple(_text(where, columns["golds"], gold) for gold in golds),
    )


def _text(where: str, name: str, value: Any, empty: bool = True) -> str:
    if not isinstance(value, str) or not (empty or value.strip()):
        raise ValueError(f"{where}: {name!r} is {value!r}, but it must be text" + ("" if empty else " and not empty"))
    if not is_unicode(value):
        raise ValueError(
            f"{where}: {name!r} contains half a surrogate pair, which is not a character; write it as UTF-8"
        )
    return value
