"""Tables of entities and their other names: any CSV of aliases, and the US legislators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from answersim._base.io.text_rows import located_rows

_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")  # what distinguishes namesakes: "John Smith (politician)"


class Entity(NamedTuple):
    """One person or thing: its name, its other spellings, and the groups (nationalities) it belongs to."""

    name: str  # never empty
    aliases: tuple[str, ...] = ()  # other spellings, each once, without the name itself. There may be none.
    groups: tuple[str, ...] = ()  # the groups for the filter of ``alias_pairs``. There may be none.


def read_aliases(path: Path, separator: str | None = None) -> list[Entity]:
    """Read the entities of a CSV or TSV table (also .gz), in order of appearance, at least one.

    Its columns are ``entity``, ``alias`` and optionally ``group``. A row contains an entity, one alias or none, and the
    group of the entity. Rows with the same entity and group form one entity. With a separator, a row contains several
    aliases of an entity: "Bill|Billy|Will". Raise ValueError if a column or name is missing, or there are no rows.
    """
    if separator == "":
        rule = "it must separate two aliases; leave it out if a row contains one alias"
        raise ValueError(f"separator is empty, but {rule}")
    by_name: dict[tuple[str, str], list[str]] = {}
    for where, row in located_rows(path):
        _check_columns(path, row, ["entity", "alias"])
        name, cell = row["entity"].strip(), row["alias"]
        if not name:
            rule = "every alias needs an entity; fill in the name"
            raise ValueError(f"{where}: the column 'entity' is empty, but {rule}")
        aliases = by_name.setdefault((name, row.get("group", "").strip()), [])
        aliases += cell.split(separator) if separator else [cell]
    if not by_name:
        raise ValueError(f"{path} contains no entities; give a table with at least one row")
    return [_entity([name, *aliases], group) for (name, group), aliases in by_name.items()]


def read_legislators(paths: Iterable[Path]) -> list[Entity]:
    """Read the members of the US Congress with their spellings in the congress-legislators CSV files, each once.

    The name is the official one, else first and last name. The group is the state. A person in several files
    (``bioguide_id``) is read from the first file. Raise ValueError if a column, or a first or last name is missing.
    """
    entities: dict[str, Entity] = {}
    for path in paths:
        for where, row in located_rows(path):
            _check_columns(path, row, ["first_name", "middle_name", "last_name", "suffix", "nickname", "bioguide_id"])
            row = {column: " ".join(value.split()) for column, value in row.items()}
            if not row["first_name"] or not row["last_name"]:
                raise ValueError(f"{where}: the first or the last name is missing; add it")
            entities.setdefault(row["bioguide_id"] or where, _entity(_legislator(row), row.get("state", "")))
    return list(entities.values())


def _legislator(row: dict[str, str]) -> list[str]:
    first, middle, last, suffix = (row[name] for name in ("first_name", "middle_name", "last_name", "suffix"))
    nickname = row["nickname"].strip("\"'“”")
    spellings = [
        row.get("official_full") or row.get("full_name", ""),
        f"{first} {last}",
        f"{first} {middle} {last}" if middle else "",
        f"{first} {middle} {last} {suffix}" if suffix else "",
        f"{nickname} {last}" if nickname else "",
        _QUALIFIER.sub("", row.get("wikipedia_id", "")),
    ]
    return [" ".join(spelling.split()) for spelling in spellings]


def _entity(spellings: Sequence[str], group: str) -> Entity:
    """Return the entity whose first spelling is its name. Blanks are trimmed, empty texts and repetitions left out."""
    name, *aliases = dict.fromkeys(spelling.strip() for spelling in spellings if spelling.strip())
    return Entity(name, tuple(aliases), (group,) if group else ())


def _check_columns(path: Path, header: Iterable[str], wanted: Sequence[str]) -> None:
    header = list(header)
    if lacking := [column for column in wanted if column not in header]:
        raise ValueError(f"{path} has no column {lacking[0]!r}; its columns are: {', '.join(header[:50])}")
