"""A table per system, joined by the ids of its rows. All systems must have answered the same questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from answersim._base.errors import warn_user
from answersim.answers.tables.sources import Source, listed_ids, rows_by_id


class JoinedTables(NamedTuple):
    """Tables whose rows have one order."""

    ids: list[str]
    tables: dict[str, Source]  # by system
    references: Source | None
    left_out: dict[int, str]  # by the number of the row of the first table, or of the references, why it is left out


def joined(tables: Mapping[str, Source], references: Source | None, id_: str, skip_bad: bool) -> JoinedTables:
    """Return the rows that all tables have, in the order of the first table, or of the references."""
    first = next(iter(tables.values())) if references is None else references
    order = rows_by_id(first, id_)
    places = {system: rows_by_id(source, id_) for system, source in tables.items()}
    left_out = _missing(first, order, tables, places, skip_bad)
    ids = [key for key in order if all(key in place for place in places.values())]
    return JoinedTables(
        ids,
        {system: source.at([places[system][key] for key in ids]) for system, source in tables.items()},
        None if references is None else references.at([order[key] for key in ids]),
        left_out,
    )


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
