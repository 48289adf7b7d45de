"""The answers of several systems to the same questions, from one file per system, joined by id."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim import files
from answersim.evaluation.labeling import value_of
from answersim.types import FloatArray

_LISTED = 3  # ids in a message


class Fields(NamedTuple):
    """The names of the columns. A question and a label may be missing in all files."""

    id: str = "id"
    gold: str = "gold"
    pred: str = "pred"
    question: str = "question"
    label: str = "label"


FIELDS = Fields()


class Answers(NamedTuple):
    """The answers of systems to questions, in the order of the first file.

    Attributes:
        ids: The id of each question, shape (n,).
        golds: The gold answers: a text each, or a list of texts that are all correct.
        questions: The questions; None if no file has any.
        preds: The predictions by system, n each.
        labels: The human labels by system, nan for no label, of those files that have the column.
        columns: All columns of each file by system, in the order of the ids.
    """

    ids: list[str]
    golds: list[Any]
    questions: list[str] | None
    preds: dict[str, list[str]]
    labels: dict[str, FloatArray]
    columns: dict[str, dict[str, list[Any]]]

    def numbers(self, system: str, column: str) -> FloatArray:
        """Return a column of scores of a system. LookupError if it is missing, ValueError if a value is no number."""
        columns = self.columns[system]
        if column not in columns:
            raise LookupError(f"{system} has no column {column!r}; its columns are: {', '.join(columns)}")
        values = np.empty(len(self.ids))
        for i, value in enumerate(columns[column]):
            try:
                values[i] = float(value)
            except (TypeError, ValueError):
                values[i] = math.nan
            if not math.isfinite(values[i]):
                raise ValueError(
                    f"{system}, id {self.ids[i]!r}: the score {column!r} is {str(value)[:40]!r}, but it must be a "
                    "finite number"
                )
        return values


def read_systems(paths: Sequence[Path], fields: Fields = FIELDS, gold_file: Path | None = None) -> Answers:
    """Read one file per system and join them by id. The first file decides the order of the questions.

    Args:
        paths: A table per system (CSV, TSV, JSON lines, Parquet). A system is named for its file.
        fields: The names of the columns.
        gold_file: A table with the ids and the gold answers, if the files have none. Ids without an answer are an
            error too.

    Raises:
        LookupError: If a file lacks a column.
        ValueError: If an id is missing, repeated or in some files only, or two files have another gold answer or
            question under one id. The message names the ids.
    """
    tables = {name: files.read(path) for name, path in zip(_names(paths), paths, strict=True)}
    by_id = {name: _by_id(table, path, fields.id) for (name, table), path in zip(tables.items(), paths, strict=True)}
    first, *others = by_id
    ids = list(by_id[first])
    if not ids:
        raise ValueError(f"{paths[0]} has no rows; give the answers of a system")
    for name in others:
        _check_same(by_id[first], by_id[name], first, name)
    gold_rows = by_id[first]
    gold_path = paths[0]
    if gold_file is not None:
        gold_path = gold_file
        gold_rows = _by_id(files.read(gold_file), gold_file, fields.id)
        _check_same(by_id[first], gold_rows, first, gold_file.name)
    columns = {
        name: {column: [rows[key].get(column) for key in ids] for column in tables[name].columns}
        for name, rows in by_id.items()
    }
    golds = _answers(gold_rows, ids, fields.gold, gold_path, several=True)
    for name in others if gold_file is None else ():
        if fields.gold in columns[name]:
            _check_equal(golds, columns[name][fields.gold], ids, "gold answer", first, name)
    return Answers(
        ids,
        golds,
        _questions(columns, ids, fields.question),
        {name: _answers(by_id[name], ids, fields.pred, path) for name, path in zip(by_id, paths, strict=True)},
        {
            name: np.array([value_of(value, f"{name}, id {key!r}") for key, value in zip(ids, found, strict=True)])
            for name in by_id
            if (found := columns[name].get(fields.label)) is not None
        },
        columns,
    )


def _names(paths: Sequence[Path]) -> list[str]:
    """Return the name of each system: of its file without the suffix, or the whole path if names are equal."""
    stems = [path.stem for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice} is given twice; give one file per system")
    return names


def _by_id(table: files.Table, path: Path, column: str) -> dict[str, dict[str, Any]]:
    if column not in table.columns:
        raise LookupError(
            f"{path} has no column {column!r} to join files by; its columns are: {', '.join(table.columns) or '(none)'}"
        )
    rows: dict[str, dict[str, Any]] = {}
    places: dict[str, int] = {}
    for i, row in enumerate(table.rows, start=1):
        value = row.get(column)
        if value is None or isinstance(value, (bool, list, dict)) or not str(value).strip():
            raise ValueError(f"{path}, row {i}: the id is {value!r}, but each row needs a text or a number as its id")
        key = str(value)
        if key in places:
            raise ValueError(
                f"{path} has the id {key!r} in rows {places[key]} and {i}; give every row an id of its own"
            )
        rows[key], places[key] = row, i
    return rows


def _check_same(first: dict[str, Any], other: dict[str, Any], name: str, other_name: str) -> None:
    lacking, extra = [key for key in first if key not in other], [key for key in other if key not in first]
    parts = [
        f"{where} lacks {len(keys)} of the ids of {of}: {', '.join(map(repr, keys[:_LISTED]))}"
        + (" ..." if len(keys) > _LISTED else "")
        for where, of, keys in ((other_name, name, lacking), (name, other_name, extra))
        if keys
    ]
    if parts:
        raise ValueError(f"{'; '.join(parts)}; all systems must answer the same questions, so add or remove these rows")


def _check_equal(golds: Sequence[Any], others: Sequence[Any], ids: Sequence[str], what: str, *names: str) -> None:
    for key, one, other in zip(ids, golds, others, strict=True):
        if one != other and [one] != other and one != [other]:
            raise ValueError(
                f"the {what} of the id {key!r} is {str(one)[:60]!r} in {names[0]} and {str(other)[:60]!r} in "
                f"{names[1]}; the same id must be the same question"
            )


def _answers(rows: dict[str, Any], ids: Sequence[str], column: str, path: Path, several: bool = False) -> list[Any]:
    names = tuple(dict.fromkeys(name for row in rows.values() for name in row))
    return files.Table(names, [rows[key] for key in ids]).answers(column, path, several=several)


def _questions(columns: dict[str, dict[str, list[Any]]], ids: Sequence[str], column: str) -> list[str] | None:
    given = {name: found[column] for name, found in columns.items() if column in found}
    for name, values in given.items():
        for key, value in zip(ids, values, strict=True):
            if not isinstance(value, str):
                raise ValueError(f"{name}, id {key!r}: the question is {value!r}, but it must be text")
    if not given:
        return None
    (first, questions), *others = given.items()
    for name, values in others:
        _check_equal(questions, values, ids, "question", first, name)
    return questions
