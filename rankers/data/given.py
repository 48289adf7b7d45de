"""Labeled questions from what a user has: a file, a DataFrame, a Hugging Face Dataset, lists, or a named corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from answersim._base.errors import unknown
from answersim._base.io import files
from rankers.data import catalog, own
from rankers.data.own import Columns
from rankers.types import Questions

Data: TypeAlias = "Questions | str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Mapping[str, Iterable[Any]] | Any"
ColumnNames: TypeAlias = "Columns | Mapping[str, str]"
LINES = (".csv", ".tsv", ".jsonl")  # what the readers of lines read, also gzipped
_LISTED = ("candidates", "labels")  # one row per question


def questions(
    data: Data,
    *,
    split: str = "all",
    columns: ColumnNames | None = None,
    relevant: int | None = None,
    notice: Callable[[str], None] = lambda line: None,
) -> Questions:
    """Return labeled questions.

    A table has one row per candidate, in the columns question, candidate and label; or one row per question, in the
    columns question, candidates and labels, which are lists of one length. Ids are read from question_id, qid,
    candidate_id, docid and so on, the scores of a teacher from teacher, if these columns exist.

    Args:
        data: Questions, which are returned as they are; the name of a corpus; a file (.csv, .tsv, .jsonl, .json,
            .parquet, .xlsx; the first three also gzipped); a DataFrame; a Hugging Face ``Dataset``; a list of mappings;
            or a mapping of lists by column.
        split: The split of a corpus, or the name that the questions of a table get.
        columns: The names of columns by role: question, candidate, label, question_id, candidate_id, golds, teacher.
        relevant: The lowest grade that counts as relevant. The default is that of the corpus, or 1.
        notice: Called with a line that lists columns that are not read.

    Raises:
        FileNotFoundError: If there is no such file.
        LookupError: If a text is the name of neither a corpus nor a file, a role is unknown, or a column is missing.
        TypeError: If data is of another type.
        ValueError: If the content is malformed. The message names the line or the row, from 1.

    >>> table = {"question": ["Who?"] * 2, "candidate": ["Ann.", "It rained."]}
    >>> asked = questions(table | {"label": [1, 0]})
    >>> [[(one.text, one.grade) for one in each.candidates] for each in asked]
    [[('Ann.', 1), ('It rained.', 0)]]
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


def names(columns: ColumnNames | None) -> dict[str, str]:
    """Return the names of columns by role. Raise LookupError for an unknown role, TypeError for another type."""
    if columns is None:
        return {}
    if isinstance(columns, Columns):
        return {role: name for role, name in columns._asdict().items() if name is not None}
    if not isinstance(columns, Mapping):
        raise TypeError(f"columns are {columns!r:.60}, but they must be names by role, such as {{'question': 'q'}}")
    for role in columns:
        if role not in Columns._fields:
            raise unknown("role of a column", role, Columns._fields)
    return {role: name for role, name in columns.items() if name is not None}


def rows_of(data: Any, what: str = "data") -> tuple[str, list[dict[str, Any]]]:
    """Return the name of a table and its rows: of a file, a DataFrame, a Dataset, mappings, or a mapping of lists."""
    if isinstance(data, str | os.PathLike):
        check_source(data)
        path = Path(data)
        return path.name.split(".")[0], [dict(row) for row in files.read(path).rows]
    if callable(getattr(data, "to_dict", None)) and hasattr(data, "columns"):  # a DataFrame of pandas
        return what, [{str(name): value for name, value in row.items()} for row in data.to_dict("records")]
    if callable(getattr(data, "to_dicts", None)):  # a DataFrame of polars
        return what, list(data.to_dicts())
    if hasattr(data, "column_names") and hasattr(data, "features"):  # a Dataset of Hugging Face
        return str(getattr(data, "split", None) or what), [dict(row) for row in data]
    if isinstance(data, Mapping):
        listed = {str(name): _list(name, values, what) for name, values in data.items()}
        if len({len(values) for values in listed.values()}) > 1:
            lengths = ", ".join(f"{name} {len(values):,}" for name, values in listed.items())
            raise ValueError(f"{what}: the columns have different lengths ({lengths}); give one value per row in each")
        return what, [dict(zip(listed, row, strict=True)) for row in zip(*listed.values(), strict=True)]
    if isinstance(data, Iterable) and not isinstance(data, bytes):
        rows = list(data)
        for i, row in enumerate(rows, start=1):
            if not isinstance(row, Mapping):
                raise TypeError(f"{what}, row {i} is {row!r:.60}, but it must be a mapping with question and candidate")
        return what, [dict(row) for row in rows]
    raise TypeError(
        f"{what} is {data!r:.60} ({type(data).__name__}), but it must be a file, a corpus, a DataFrame, a Dataset, a "
        "list of mappings, or a mapping of lists"
    )


def check_source(data: str | os.PathLike[str]) -> None:
    """Check that this is a corpus or a file, without reading it. Raise LookupError or FileNotFoundError if not."""
    path = Path(data)
    if (isinstance(data, str) and data in catalog.corpora()) or path.is_file():
        return
    if isinstance(data, str) and not path.suffix and not path.exists():
        raise unknown("corpus (nor is it a file)", data, catalog.corpora())
    raise FileNotFoundError(f"no file at {path}; give a table of question, candidate and label")


def _list(name: object, values: Any, what: str) -> list[Any]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{what}: the column {name!r} is {values!r:.60}, but it must be a list with one value per row")
    return list(values)


def _of_table(data: Any, split: str, columns: ColumnNames | None, notice: Callable[[str], None]) -> Questions:
    given = names(columns)
    if isinstance(data, str | os.PathLike) and (path := Path(data)).suffixes:
        ending = next((suffix for suffix in map(str.lower, reversed(path.suffixes)) if suffix != ".gz"), "")
        if ending in LINES and "candidates" not in own.header(path):
            chosen, unread = own.chosen(str(path), own.header(path), given)
            _report(str(path), unread, notice)
            read = own.read_jsonl if ending == ".jsonl" else own.read_csv
            stem = path.name.split(".")[0]
            corpus = path.name if stem in catalog.corpora() else stem  # a file is not the corpus of its name
            return read(path, columns=chosen, split=split, corpus=corpus)
    name, rows = rows_of(data)
    where = str(data) if isinstance(data, str | os.PathLike) else name
    if not rows:
        raise ValueError(f"{where} contains no rows; it must contain question, candidate and label")
    placed = [(f"{where}, row {i}", row) for i, row in enumerate(rows, start=1)]
    placed = list(_one_per_candidate(placed))
    chosen, unread = own.chosen(where, tuple(placed[0][1]), given)
    _report(where, unread, notice)
    corpus = f"{name}-table" if name in catalog.corpora() else name
    return own.of_rows(placed, chosen, where, corpus, split)


def _one_per_candidate(rows: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield rows with one candidate each. Rows that have no list of candidates are yielded as they are."""
    for where, row in rows:
        several, labels = (row.get(name) for name in _LISTED)
        if "candidates" not in row or "candidate" in row:
            yield where, row
            continue
        lists = [list(value) if _is_list(value) else [] for value in (several, labels)]
        if not lists[0] or len(lists[0]) != len(lists[1]):
            raise ValueError(
                f"{where}: 'candidates' is {several!r:.60} and 'labels' is {labels!r:.60}, but both must be lists of "
                "one length"
            )
        ids = row.get("candidate_ids")
        others = {name: value for name, value in row.items() if name not in (*_LISTED, "candidate_ids")}
        for i, (text, label) in enumerate(zip(lists[0], lists[1], strict=True)):
            named = {} if ids is None else {"candidate_id": list(ids)[i]}
            yield where, {**others, **named, "candidate": text, "label": label}


def _is_list(value: Any) -> TypeGuard[Iterable[Any]]:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _report(where: str, unread: tuple[str, ...], notice: Callable[[str], None]) -> None:
    if unread:
        notice(f"{where}: not read: {', '.join(map(repr, unread))}")
