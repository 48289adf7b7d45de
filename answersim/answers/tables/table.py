"""The answers of systems to the same questions, in memory: the texts by role, and any other column of their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from answersim._base.io.files import Table
from answersim.answers.tables.sources import Source, listed_ids, table_of

ID = "id"  # the column that identifies a row, if no other is named and this one can
CHOICES = "choices"  # the column of the options of multiple-choice questions, which is read if it exists


class Columns(NamedTuple):
    """The columns of answers."""

    gold: str = "gold"  # the gold answers
    preds: tuple[str, ...] = ("pred",)  # the predictions of each system; of several tables, one column
    question: str | None = None  # the questions, or None
    id: str | None = None  # the column that identifies a row; None for ``ID``, or the number if it has none
    group: str | None = None  # what dependent rows have in common, or None
    split_gold: str | None = None  # the text between several gold answers in one value, or None


class Origin(NamedTuple):
    """Where answers come from."""

    path: Path  # the file, or the name of the data in messages
    files: tuple[Path, ...] = ()  # the files that were read
    format: str | None = None  # that of a log, or two files of lines


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers that can be scored, one entry per question row; what ``read_answers`` returns.

    Attributes:
        origin: Where they come from.
        columns: The columns of the roles.
        ids: What identifies each row: its id as text, or its number from 1.
        golds: One gold answer, or several.
        predictions: By system, in the order of the tables or columns. A system is named for its file (without its
            suffix), for its column of predictions if one table has several or is no file, or by the caller.
        questions: The questions, or None.
        groups: The group of each row as text, or None.
        tables: By system, its rows of its table. Systems of one table share it.
        references: The rows of the table with gold answers, if it has no predictions.
        left_out: By the number of the row, why it was left out.
        id_column: The column of the ids; None if they are the numbers of the rows.
    """

    origin: Origin
    columns: Columns
    ids: list[str]
    golds: list[Any]
    predictions: dict[str, list[str]]
    questions: list[str] | None
    groups: list[str] | None
    tables: Mapping[str, Source]
    references: Source | None = None
    left_out: Mapping[int, str] = field(default_factory=dict)
    id_column: str | None = None

    def __repr__(self) -> str:
        return f"Answers({str(self.path)!r}, systems={list(self.systems)}, rows={len(self.ids)})"

    @property
    def path(self) -> Path:
        """The file, or the name of the data in messages."""
        return self.origin.path

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that were read."""
        return self.origin.files

    @property
    def name(self) -> str:
        """The name of the data."""
        return self.path.stem

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.predictions)

    @property
    def pairs(self) -> list[tuple[Any, str]]:
        """The gold and predicted answers of all systems, system by system."""
        return [pair for preds in self.predictions.values() for pair in zip(self.golds, preds, strict=True)]

    @property
    def numbers(self) -> Sequence[int]:
        """The number of each row in its table, from 1."""
        return (self.references or next(iter(self.tables.values()))).numbered

    @cached_property
    def table(self) -> Table:
        """The rows with all columns of their table; of joined tables, with those of the answers."""
        if len(set(map(id, self.tables.values()))) == 1 and self.references is None:
            return next(iter(self.tables.values())).table
        texts = {str(self.id_column): self.ids, self.columns.gold: self.values(self.columns.gold)}
        questions = {} if self.questions is None else {str(self.columns.question): self.questions}
        return table_of({**texts, **questions, **self.predictions})

    @property
    def held_columns(self) -> list[str]:
        """The columns of all tables, those of the references first."""
        held = [*filter(None, [self.references]), *self.tables.values()]
        return list(dict.fromkeys(name for source in held for name in source.table.columns))

    def row(self, system: str, i: int) -> dict[str, Any]:
        """Return row i from 0 as it is in the table of a system, and of the references."""
        reference = {} if self.references is None else self.references.table.rows[i]
        own = self.tables[system].table.rows[i] if system in self.tables else {}
        return {**own, **{name: value for name, value in reference.items() if own.get(name) is None}}

    def place(self, i: int) -> str:
        """Return what a message calls row i from 0: its id, or its number."""
        return f"row {self.ids[i]}" if self.id_column is None else f"id {self.ids[i]!r}"

    def has(self, name: str) -> bool:
        """Return whether a table has this column."""
        return any(source.has(name) for source in (*self.tables.values(), *filter(None, [self.references])))

    def values(self, name: str) -> list[Any]:
        """Return a column that belongs to the rows and not to a system; one entry per row.

        It is that of the references if they have it, else that of the tables. Raise LookupError if there is no such
        column. Raise ValueError with the ids if the tables disagree. A text and a list of this one text are the same.
        """
        if self.references is not None and self.references.has(name):
            return self.references.values(name)
        held = [source for source in self.tables.values() if source.has(name)]
        first, *others = held or [self.references or next(iter(self.tables.values()))]
        values = first.values(name)
        for further in (source for source in others if source is not first):
            theirs = further.values(name)
            at = [i for i, (a, b) in enumerate(zip(values, theirs, strict=True)) if a != b and [a] != b and a != [b]]
            if at:
                i, ids = at[0], listed_ids([self.ids[row] for row in at])
                raise ValueError(
                    f"{name!r} differs between {first.path} and {further.path} for {ids}: {str(values[i])[:60]!r} and "
                    f"{str(theirs[i])[:60]!r}; the same id must mean the same question; give one table of references, "
                    "or repair the ids"
                )
        return values

    def at(self, rows: Sequence[int]) -> Answers:
        """Return the answers in these rows, by their positions."""

        def kept(values: Any) -> Any:
            return None if values is None else [values[i] for i in rows]

        at = {id(source): source.at(rows) for source in self.tables.values()}
        return replace(
            self,
            ids=kept(self.ids),
            golds=kept(self.golds),
            predictions={system: kept(preds) for system, preds in self.predictions.items()},
            questions=kept(self.questions),
            groups=kept(self.groups),
            tables={system: at[id(source)] for system, source in self.tables.items()},
            references=None if self.references is None else self.references.at(rows),
        )
