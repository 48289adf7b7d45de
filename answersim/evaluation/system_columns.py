"""Columns of numbers per system: which column is of which system, scores of other tools, and human labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from answersim.answers.blocks import AnswerBlock
from answersim.evaluation.human_labels import SystemLabels, labels_of_columns, number_of
from answersim.text_tables import counted
from answersim.types import FloatArray


def by_system(answers: AnswerBlock, what: str, columns: Sequence[str], several: bool) -> dict[str, str]:
    """Return the column of each system. ``columns``: one column for all tables, or one per system of one table."""
    systems = list(answers.predictions)
    if len(columns) != (1 if several else len(systems)):
        rule = "one column, which each table has" if several else "one column per system, in the order of the systems"
        raise ValueError(f"{counted(len(columns), 'column')} of {what}s for {len(systems)} systems; give {rule}")
    return dict.fromkeys(systems, columns[0]) if several else dict(zip(systems, columns, strict=True))


def scores(answers: AnswerBlock, columns: Mapping[str, str]) -> dict[str, FloatArray]:
    """Return the scores of each system, by the name of its column.

    Raise LookupError if a system has no such column, ValueError if a value is not a finite number.
    """
    found = {}
    for system, column in columns.items():
        own = answers.own[system]
        if column not in own:
            raise LookupError(f"{system} has no column {column!r} of scores")
        values = np.array([np.nan if (number := number_of(value)) is None else number for value in own[column]])
        if len(bad := np.flatnonzero(~np.isfinite(values))):
            i = int(bad[0])
            raise ValueError(
                f"{system}, id {answers.ids[i]!r}: the score {column!r} is {str(own[column][i])[:40]!r}, but it must "
                f"be a finite number ({len(bad):,} of {len(values):,} values are not)"
            )
        found[system] = values
    return found


def labels(answers: AnswerBlock, columns: Mapping[str, str]) -> dict[str, SystemLabels]:
    """Return the labels of the systems that have their column, and how their labeled rows were drawn.

    Raise ValueError if a value is no label, probability or stratum, or a labeled row has no probability although others
    have one.
    """
    return {
        system: labels_of_columns(answers.own[system], column, system, [f"{system}, id {key!r}" for key in answers.ids])
        for system, column in columns.items()
        if column in answers.own[system]
    }
