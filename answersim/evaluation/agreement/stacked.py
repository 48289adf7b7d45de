"""One row per answer: the answers of all systems below each other, with their labels and recorded scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from answersim._base.errors import unknown
from answersim._base.io.files import Table
from answersim.answers.tables.sources import Source
from answersim.answers.tables.table import Answers

SYSTEM = "system"


class StackedAnswers(NamedTuple):
    """Answers with one entry per answer, system by system."""

    source: Source  # all columns of each row; of several systems, also the column "system"
    golds: list[Any]  # one gold answer, or several
    preds: list[str]
    questions: list[str] | None

    @property
    def path(self) -> Path:
        """The file, or the name of the data, for messages."""
        return self.source.path

    def at(self, rows: Sequence[int]) -> StackedAnswers:
        """Return the rows at these positions."""
        golds, preds = [self.golds[i] for i in rows], [self.preds[i] for i in rows]
        questions = None if self.questions is None else [self.questions[i] for i in rows]
        return StackedAnswers(self.source.at(rows), golds, preds, questions)


def stacked(
    answers: Answers, columns: Sequence[str] = (), own: Mapping[str, Sequence[str]] | None = None
) -> StackedAnswers:
    """Return the answers of all systems, one row per answer.

    ``columns``: further columns of the rows. ``own``: by what they contain ("label", "score"), the columns with one
    value per answer. Of one table with several columns of predictions, one column per system, and the result has the
    first of them; else each table has all of them.
    """
    own, preds, n = own or {}, answers.columns.preds, len(answers.systems)
    named = [name for names in own.values() for name in names]
    held = answers.table.columns
    shared = {name: answers.values(name) for name in columns}
    rows: list[dict[str, Any]] = []
    for i, system in enumerate(answers.systems):
        table = answers.tables[system]
        of_system = {name: source for names in own.values() for name, source in _sources(names, i, len(preds))}
        for source in of_system.values():
            if not table.has(source):
                raise unknown(f"column of {answers.path}", source, [name for name in held if name])
        values = shared | {name: table.values(source) for name, source in of_system.items()}
        if n > 1:
            values[SYSTEM] = [system] * len(answers.ids)
        else:
            values = {name: column for name, column in values.items() if name not in held}
        rows += _with(answers.table.rows, values)
    arrow = answers.table.arrow if n == 1 and not values else None  # keeps the types of Parquet
    dropped = {*preds, *(set(named) - set(of_system))} if len(preds) > 1 else set()
    names = dict.fromkeys([*held, *shared, *of_system, *([SYSTEM] if n > 1 else ())])
    table_of_all = Table(tuple(name for name in names if name not in dropped), rows, arrow)
    return StackedAnswers(
        Source(table_of_all, answers.path, rows=list(answers.numbers) * n),
        answers.golds * n,
        [pred for preds_of in answers.predictions.values() for pred in preds_of],
        None if answers.questions is None else answers.questions * n,
    )


def _sources(names: Sequence[str], i: int, n: int) -> list[tuple[str, str]]:
    """Return the columns of a role of system i of n in one table, by the names that they get."""
    if n == 1 or not names:
        return [(name, name) for name in names]
    if len(names) != n:
        columns = "1 column is" if len(names) == 1 else f"{len(names)} columns are"
        raise ValueError(
            f"{columns} given for {n} systems in one table ({', '.join(names)}); give one column per system, in the "
            "order of the systems"
        )
    return [(names[0], names[i])]


def _with(rows: Sequence[dict[str, Any]], columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    if not columns:
        return list(rows)
    return [row | {name: values[i] for name, values in columns.items()} for i, row in enumerate(rows)]
