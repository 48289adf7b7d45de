"""Answers of systems to the same questions, as columns: which ones are read, and their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from answersim.io.files import Table

ID = "id"  # the column that identifies a row, if no other is named and this one can
CHOICES = "choices"  # the column of the options of multiple-choice questions, which is read if it exists


class Columns(NamedTuple):
    """The columns of answers."""

    gold: str = "gold"  # the gold answers
    preds: tuple[str, ...] = ("pred",)  # the predictions of each system; of several tables, one column
    question: str | None = None  # the questions, or None
    id: str | None = None  # the column that identifies a row; None for ``ID``, or the number if it has none
    group: str | None = None  # what dependent rows have in common, or None
    others: tuple[str, ...] = ()  # columns that must exist, such as those that define subsets
    optional: tuple[str, ...] = ()  # columns that are read if they exist
    own: tuple[str, ...] = ()  # columns that each table may have for its own system, such as its labels or scores
    # columns that must agree in all tables that have them, besides gold answers and questions
    agreeing: tuple[str, ...] = ()
    split_gold: str | None = None  # the text between several gold answers in one value, or None

    def shared(self) -> tuple[str, ...]:
        """Return the columns that must exist and have no role of their own in a block."""
        return tuple(dict.fromkeys([*self.others, *([self.group] if self.group is not None else [])]))


class AnswerBlock(NamedTuple):
    """The answers of systems to the same questions; each sequence has one entry per question row."""

    name: str  # the name of the data
    ids: list[str]  # what identifies each row: its id as text, or its number from 1
    numbers: list[int]  # the number of each row in its table, from 1
    golds: list[Any]  # one gold answer, or several
    predictions: dict[str, list[str]]  # by system
    questions: list[str] | None  # the questions, or None
    groups: list[str] | None  # the group of each row as text, or None
    columns: dict[str, list[Any]]  # the other requested columns by name
    own: dict[str, dict[str, list[Any]]]  # by system, the columns of ``Columns.own`` that its table has
    skipped: int = 0  # the number of rows that were left out
    table: Table = Table((), [])  # the same rows with all columns; of joined tables, with those of the answers
    id_column: str | None = None  # the column of the ids; None if they are the numbers of the rows

    def place(self, i: int) -> str:
        """Return what a message calls row i from 0: its id, or its number."""
        return f"row {self.ids[i]}" if self.id_column is None else f"id {self.ids[i]!r}"

    @property
    def pairs(self) -> list[tuple[Any, str]]:
        """The gold and predicted answers of all systems, system by system."""
        return [pair for preds in self.predictions.values() for pair in zip(self.golds, preds, strict=True)]


# Rows before their values are checked, and by the number of the row, why some were left out.


def selected(rows: AnswerBlock, kept: Callable[[list[Any]], list[Any]]) -> AnswerBlock:
    """Return the block with the same entries of every list: those that ``kept`` returns. The table is not changed."""
    return rows._replace(
        ids=kept(rows.ids),
        numbers=kept(rows.numbers),
        golds=kept(rows.golds),
        predictions={system: kept(values) for system, values in rows.predictions.items()},
        questions=None if rows.questions is None else kept(rows.questions),
        columns={name: kept(values) for name, values in rows.columns.items()},
        own={system: {name: kept(values) for name, values in own.items()} for system, own in rows.own.items()},
    )
