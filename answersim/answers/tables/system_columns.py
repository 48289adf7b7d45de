"""Columns per system: which column is of which system, and scores of other tools."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.text_tables import counted
from answersim.answers.tables import sources
from answersim.answers.tables.table import ID, Answers, Columns, Origin


def by_system(answers: Answers, content: str, columns: Sequence[str]) -> dict[str, str]:
    """Return the column of each system. ``columns``: one column for all tables, or one per system of one table."""
    systems, several = answers.systems, len(answers.columns.preds) == 1
    if len(columns) != (1 if several else len(systems)):
        rule = "one column, which each table has" if several else "one column per system, in the order of the systems"
        raise ValueError(f"{counted(len(columns), 'column')} of {content}s for {len(systems)} systems; give {rule}")
    return dict.fromkeys(systems, columns[0]) if several else dict(zip(systems, columns, strict=True))


def own_column(answers: Answers, system: str, column: str, content: str) -> list[Any]:
    """Return a column of the table of a system. Raise LookupError if it has none."""
    if answers.tables[system].has(column):
        return answers.tables[system].values(column)
    names = ", ".join(map(str, answers.table.columns))
    raise LookupError(f"{system} has no column {column!r} of {content}{names and f'; its columns are: {names}'}")


def scores(
    answers: Answers, columns: Mapping[str, str], rows: Mapping[str, Sequence[int]] | None = None
) -> dict[str, FloatArray]:
    """Return the scores of each system, by the name of its column.

    ``rows``: the positions of the scores that are needed, by system; all if not given. Raise LookupError if a system
    has no such column, ValueError if a value is not a finite number.
    """
    by_system_name = {}
    for system, column in columns.items():
        cells = own_column(answers, system, column, "scores")
        at = range(len(answers.ids)) if rows is None else rows.get(system, ())
        values = np.array([np.nan if (number := number_of(cells[i])) is None else number for i in at])
        if len(bad := np.flatnonzero(~np.isfinite(values))):
            i = at[int(bad[0])]
            raise ValueError(
                f"{system}, {answers.place(i)}: the score {column!r} is {str(cells[i])[:40]!r}, but it must be a "
                f"finite number ({len(bad):,} of {len(values):,} values are not)"
            )
        by_system_name[system] = values
    return by_system_name


def recorded_rows(data: Any, id_: str | None = None, group: str | None = None) -> Answers:
    """Return the rows of a table with recorded scores. Its gold answers and predictions are not read.

    ``data``: the table. ``Answers`` are returned unchanged. Raise LookupError if there is no column of ids or groups,
    ValueError if these are several files, or ids are not unique.
    """
    if isinstance(data, Answers):
        return data
    if isinstance(data, (list, tuple)) and data and all(isinstance(path, (str, Path)) for path in data):
        if len(data) > 1:
            raise ValueError(f"{len(data)} files are given with --score, but recorded scores are in one; give one file")
        data = data[0]
    source = sources.source(data, "the table")
    column = id_ or (ID if source.has(ID) else None)
    ids = list(map(str, source.numbered)) if column is None else list(sources.rows_by_id(source, column))
    system = source.path.stem if source.path.suffix else "pred"
    groups = None if group is None else [str(value) for value in source.values(group)]
    columns, origin = Columns(id=column, group=group), Origin(source.path)
    return Answers(origin, columns, ids, [], {system: []}, None, groups, {system: source}, id_column=column)


def number_of(value: Any) -> float | None:
    """Return a cell as a number, nan if it is empty, None if it is no number."""
    if is_open(value):
        return math.nan
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return None if math.isnan(number) else number


def is_open(value: Any) -> bool:
    """Return whether a cell has no label: it is empty, null or nan."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())
