"""A table per system, joined by the ids of its rows. All systems must have answered the same questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from answersim.answers import sources
from answersim.answers.blocks import CHOICES, ID, AnswerBlock, Columns
from answersim.answers.sources import Source, listed_ids, rows_by_id
from answersim.errors import warn_user


def joined(
    tables: Mapping[str, Source], references: Source | None, columns: Columns, skip_bad: bool
) -> tuple[AnswerBlock, dict[int, str]]:
    """Return the rows of the first table, or of the references, with the predictions of the same id in each table."""
    name = columns.id or ID
    places = {system: rows_by_id(source, name) for system, source in tables.items()}
    first = next(iter(tables.values())) if references is None else references
    order = rows_by_id(first, name)
    skipped = _missing(first, order, tables, places, skip_bad)
    kept = [key for key in order if all(key in place for place in places.values())]
    (pred,) = columns.preds

    def picked(source: Source, place: Mapping[str, int], column: str) -> list[Any]:
        values = source.values(column)
        return [values[place[key]] for key in kept]

    def shared(column: str) -> list[Any]:
        """Return a column of the references if they have it; else of the tables, which must agree on it."""
        if references is not None and references.has(column):
            return picked(references, order, column)
        held = {system: source for system, source in tables.items() if source.has(column)}
        if not held:
            return first.values(column)  # raises
        (one, *others) = [(source, picked(source, places[system], column)) for system, source in held.items()]
        for source, values in others:
            _check_same(column, one, (source, values), kept)
        return one[1]

    for column in columns.agreeing:
        if any(source.has(column) for source in tables.values()):
            shared(column)
    optional = [
        name for name in (*columns.optional, CHOICES) if any(source.has(name) for source in (first, *tables.values()))
    ]
    golds, questions = shared(columns.gold), None if columns.question is None else shared(columns.question)
    preds = {system: picked(source, places[system], pred) for system, source in tables.items()}
    texts = {name: kept, columns.gold: golds, **({} if questions is None else {columns.question: questions}), **preds}
    block = AnswerBlock(
        first.path.stem,
        kept,
        [order[key] + 1 for key in kept],
        golds,
        preds,
        questions,
        None,
        {other: shared(other) for other in dict.fromkeys([*columns.shared(), *optional])},
        {
            system: {own: picked(source, places[system], own) for own in columns.own if source.has(own)}
            for system, source in tables.items()
        },
        table=sources.table_of({str(name): values for name, values in texts.items()}),
        id_column=name,
    )
    return block, skipped


def _missing(
    first: Source,
    order: Mapping[str, int],
    tables: Mapping[str, Source],
    places: Mapping[str, Mapping[str, int]],
    skip_bad: bool,
) -> dict[int, str]:
    """Return the rows of the first table that a system lacks. Raise LookupError unless they are to be left out."""
    problems: list[str] = []
    skipped: dict[int, str] = {}
    for system, source in tables.items():
        lacking = [key for key in order if key not in places[system]]
        strange = [key for key in places[system] if key not in order]
        if lacking:
            problems.append(f"{source.path} lacks {listed_ids(lacking)} of {first.path}")
            skipped |= {order[key] + 1: f"{source.path} has no row with the id {key!r}" for key in lacking}
        if strange:
            problems.append(f"{source.path} has {listed_ids(strange)} that {first.path} lacks")
    if problems and not skip_bad:
        raise LookupError(
            f"{'; '.join(problems)}. All systems must answer the same questions: leave those rows out with --skip-bad "
            "(skip_bad=True)"
        )
    for problem in problems:
        warn_user(UserWarning(f"{problem}; these rows are left out"))
    return skipped


def _check_same(
    column: str, first: tuple[Source, list[Any]], other: tuple[Source, list[Any]], keys: Sequence[str]
) -> None:
    """Raise ValueError with the ids whose values differ. A text and a list of this one text are the same."""
    (one, mine), (two, his) = first, other
    differing = [i for i, (a, b) in enumerate(zip(mine, his, strict=True)) if a != b and [a] != b and a != [b]]
    if differing:
        i = differing[0]
        raise ValueError(
            f"{column!r} differs between {one.path} and {two.path} for {listed_ids([keys[i] for i in differing])}: "
            f"{str(mine[i])[:60]!r} and {str(his[i])[:60]!r}; the same id must mean the same question; give one table "
            f"of references, or repair the ids"
        )
