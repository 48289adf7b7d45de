"""One row per answer: the answers of all systems below each other, with their labels and recorded scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from answersim.answers.reader import Answers
from answersim.answers.sources import Source
from answersim.errors import unknown
from answersim.io.files import Table

SYSTEM = "system"


class StackedAnswers(NamedTuple):
    """Answers with one entry per answer, system by system."""

    path: Path  # the file, or the name of the data, for messages
    table: Table  # all columns of each row; of several systems, also the column "system"
    numbers: list[int]  # the number of each row in its table, from 1
    golds: list[Any]  # one gold answer, or several
    preds: list[str]  # the predictions; no texts at all if scores are recorded and texts are not read
    questions: list[str] | None  # the questions, or None
    groups: list[str] | None  # the group of each row as text, or None

    def at(self, rows: Sequence[int]) -> StackedAnswers:
        """Return the rows at these positions."""

        def kept(values: Any) -> Any:
            return [values[i] for i in rows] if values else values

        texts = [kept(values) for values in (self.numbers, self.golds, self.preds, self.questions, self.groups)]
        return StackedAnswers(self.path, self.table.at(rows), *texts)

    def numbers_in(self, column: str, *, empty: bool = False) -> list[float]:
        """Return the numbers of a column; see ``Source.numbers``."""
        return Source(self.table, self.path).numbers(column, empty=empty, rows=self.numbers)


def without_texts(source: Source, group: str | None = None) -> StackedAnswers:
    """Return the rows of a table with recorded scores, whose gold answers and predictions are not read."""
    groups = None if group is None else [str(value) for value in source.values(group)]
    return StackedAnswers(source.path, source.table, [*range(1, len(source.table.rows) + 1)], [], [], None, groups)


def stacked(
    answers: Answers, columns: Sequence[str] = (), own: Mapping[str, Sequence[str]] | None = None
) -> StackedAnswers:
    """Read all answers, one row per answer.

    ``own``: by what they contain ("label", "score"), the columns with one value per answer. Of one table with several
    columns of predictions, one column per system, and the result has the first of them; else each table has all of
    them. Raise LookupError if there is no such column. Raise ValueError if there is not one column per system, and as
    ``answersim.read_answers``.
    """
    own = own or {}
    named = tuple(dict.fromkeys(name for names in own.values() for name in names))
    shared = tuple(dict.fromkeys([*answers.columns.others, *columns]))
    block = answers.with_columns(others=shared, own=named).read()
    preds, systems, held = answers.columns.preds, list(block.predictions), block.table.columns
    rows: list[dict[str, Any]] = []
    for i, system in enumerate(systems):
        of_system = {name: source for names in own.values() for name, source in _sources(names, i, len(preds))}
        for source in of_system.values():
            if source not in block.own[system]:
                raise unknown(f"column of {answers.path}", source, [name for name in held if name])
        values = block.columns | {name: block.own[system][source] for name, source in of_system.items()}
        if len(systems) > 1:
            values[SYSTEM] = [system] * len(block.ids)
        else:
            values = {name: column for name, column in values.items() if name not in held}
        rows += _with(block.table.rows, values)
    n = len(systems)
    arrow = block.table.arrow if n == 1 and not values else None  # keeps the types of Parquet
    dropped = {*preds, *(set(named) - set(of_system))} if len(preds) > 1 else set()
    names = dict.fromkeys([*held, *block.columns, *of_system, *([SYSTEM] if n > 1 else ())])
    return StackedAnswers(
        answers.path,
        Table(tuple(name for name in names if name not in dropped), rows, arrow),
        block.numbers * n,
        block.golds * n,
        [pred for preds_of in block.predictions.values() for pred in preds_of],
        None if block.questions is None else block.questions * n,
        None if block.groups is None else block.groups * n,
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
