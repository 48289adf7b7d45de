"""Answers of systems to the same questions, as columns: which ones are read, and some rows of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from json import dumps
from typing import Any, NamedTuple, TypeAlias

from answersim.golds import ChoiceGold, choices_of
from answersim.io import files
from answersim.io.files import Table

CHOICES = "choices"  # the column of the options of multiple-choice questions, which is read if it exists


class Columns(NamedTuple):
    """The columns of answers."""

    gold: str = "gold"  # the gold answers
    preds: tuple[str, ...] = ("pred",)  # the predictions of each system; of several tables, one column
    question: str | None = None  # the questions, or None
    id: str | None = None  # the column that identifies a row, or None for its number. It is "id" for several tables.
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
    share: float = 1.0  # how much of the table was read when this block was complete, from 0 to 1
    # the same rows with all columns that were read; of joined tables, with those of the answers
    table: Table = Table((), [])
    state: bytes = b""  # as of ``chunks.Piece``; empty for data in memory

    def digest(self, has_questions: bool) -> bytes:
        """Return a digest of the answers, and of the questions if they decide scores."""
        questions = self.questions if has_questions else None
        golds = [(gold, choices_of(gold)) if isinstance(gold, ChoiceGold) else gold for gold in self.golds]
        texts = dumps([golds, list(self.predictions.values()), questions]).encode()
        return blake2b(texts, digest_size=16).digest()

    @property
    def pairs(self) -> list[tuple[Any, str]]:
        """The gold and predicted answers of all systems, system by system."""
        return [pair for preds in self.predictions.values() for pair in zip(self.golds, preds, strict=True)]


# Rows before their values are checked, and by the number of the row, why some were left out.
Unchecked: TypeAlias = tuple[AnswerBlock, dict[int, str]]


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


def merged(first: AnswerBlock, others: Sequence[AnswerBlock]) -> AnswerBlock:
    """Return the rows of all blocks as one block."""
    parts = (first, *others)

    def joined(lists: Sequence[list[Any]]) -> list[Any]:
        return [value for values in lists for value in values]

    def column(name: str, blocks: Sequence[tuple[AnswerBlock, Mapping[str, list[Any]]]]) -> list[Any]:
        return joined([columns.get(name) or [None] * len(part.ids) for part, columns in blocks])

    shared = [(part, part.columns) for part in parts]
    own = {system: [(part, part.own[system]) for part in parts] for system in first.own}
    return first._replace(
        ids=joined([part.ids for part in parts]),
        numbers=joined([part.numbers for part in parts]),
        golds=joined([part.golds for part in parts]),
        predictions={name: joined([part.predictions[name] for part in parts]) for name in first.predictions},
        questions=None if first.questions is None else joined([part.questions or [] for part in parts]),
        groups=None if first.groups is None else joined([part.groups or [] for part in parts]),
        columns={name: column(name, shared) for name in dict.fromkeys(name for part in parts for name in part.columns)},
        own={
            system: {name: column(name, of) for name in dict.fromkeys(name for _, columns in of for name in columns)}
            for system, of in own.items()
        },
        table=_concatenated([part.table for part in parts]),
    )


def _concatenated(tables: Sequence[Table]) -> Table:
    """Return the rows of all pieces of a table as one table, with the types of Parquet if it has them."""
    arrow = None
    if all(table.arrow is not None for table in tables):
        arrow = files.pyarrow_module().concat_tables([table.arrow for table in tables])
    return Table(tables[-1].columns, [row for table in tables for row in table.rows], arrow)
