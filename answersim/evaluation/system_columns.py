"""Columns per system: which column is of which system, and scores of other tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from answersim.answers import sources
from answersim.answers.blocks import ID, AnswerBlock, Columns
from answersim.answers.reader import Answers
from answersim.evaluation.human_labels import number_of
from answersim.text_tables import counted
from answersim.types import FloatArray


def by_system(answers: AnswerBlock, what: str, columns: Sequence[str], several: bool) -> dict[str, str]:
    """Return the column of each system. ``columns``: one column for all tables, or one per system of one table."""
    systems = list(answers.predictions)
    if len(columns) != (1 if several else len(systems)):
        rule = "one column, which each table has" if several else "one column per system, in the order of the systems"
        raise ValueError(f"{counted(len(columns), 'column')} of {what}s for {len(systems)} systems; give {rule}")
    return dict.fromkeys(systems, columns[0]) if several else dict(zip(systems, columns, strict=True))


def own_column(answers: AnswerBlock, system: str, column: str, what: str) -> list[Any]:
    """Return a column of a system that was read with its answers. Raise LookupError if its table has none."""
    if column in answers.own[system]:
        return answers.own[system][column]
    names = ", ".join(map(str, answers.table.columns))
    raise LookupError(f"{system} has no column {column!r} of {what}{names and f'; its columns are: {names}'}")


def scores(
    answers: AnswerBlock, columns: Mapping[str, str], rows: Mapping[str, Sequence[int]] | None = None
) -> dict[str, FloatArray]:
    """Return the scores of each system, by the name of its column.

    ``rows``: the positions of the scores that are needed, by system; all if not given. Raise LookupError if a system
    has no such column, ValueError if a value is not a finite number.
    """
    found = {}
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
        found[system] = values
    return found


def recorded_rows(
    data: Any, own: Sequence[str], id_: str | None = None, group: str | None = None
) -> tuple[AnswerBlock, Columns]:
    """Return the rows of a table with recorded scores. Its gold answers and predictions are not read.

    ``data``: the table. ``Answers`` are read with their texts. ``own``: the columns of scores and labels, which may be
    missing. Raise LookupError if there is no column of ids or groups, ValueError if these are several files, or ids are
    not unique.
    """
    if isinstance(data, Answers):
        given = data.with_columns(own=tuple(own))
        return given.read(), given.columns
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, (str, Path)) for one in data):
        if len(data) > 1:
            raise ValueError(f"{len(data)} files are given with --score, but recorded scores are in one; give one file")
        data = data[0]
    source = sources.source(data, "the table")
    n = len(source.table.rows)
    column = id_ or (ID if source.has(ID) else None)
    ids = [str(i) for i in range(1, n + 1)] if column is None else list(sources.rows_by_id(source, column))
    system = source.path.stem if source.path.suffix else "pred"
    groups = None if group is None else [str(value) for value in source.values(group)]
    held = {system: {name: source.values(name) for name in own if source.has(name)}}
    numbers, name = list(range(1, n + 1)), source.path.name
    columns = Columns(id=column)
    return AnswerBlock(
        name, ids, numbers, [], {system: []}, None, groups, {}, held, table=source.table, id_column=column
    ), columns
