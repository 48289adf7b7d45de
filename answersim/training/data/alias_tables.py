"""Tables of things and their other names: any CSV of aliases, the DBpedia tables of the paper, the US legislators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from answersim.chunks import located_rows, records
from answersim.files import by_column

_MISSING = ("", "NULL")  # missing values in the tables of DBpedia
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")  # what distinguishes namesakes: "John Smith (politician)"


class Entity(NamedTuple):
    """One person or thing: its name, its other spellings, and the groups (nationalities) it belongs to.

    Attributes:
        name: Never empty.
        aliases: Other spellings, each once, without the name itself; perhaps none.
        groups: For the filter of ``alias_pairs``; perhaps none.
    """

    name: str
    aliases: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


def read_aliases(
    path: Path,
    *,
    entity: str = "entity",
    alias: str = "alias",
    group: str = "group",
    separator: str | None = None,
    delimiter: str | None = None,
) -> list[Entity]:
    """Read the entities of a CSV or TSV table (also .gz), in order of appearance, at least one.

    A row contains an entity, one alias or none, and the entity's group. Rows of one entity and group stand anywhere in
    the file, and are one entity. With a separator, a row contains all aliases of an entity: "Bill|Billy|Will".

    Args:
        path: The table; its first line names the columns.
        entity: The column of names.
        alias: The column of aliases.
        group: The column of groups; a table without a column of the default name has none.
        separator: Between the aliases of one cell; None if a cell contains one.
        delimiter: Between columns; a tab for .tsv and else a comma, unless given.

    Raises:
        FileNotFoundError: If the file is missing.
        ValueError: A column that the table lacks, an entity without a name, no rows, or no table
            (``chunks.records``); names the line.
    """
    if separator == "":
        raise ValueError(
            "separator is empty, but something must stand between two aliases; leave it away where a row holds one"
        )
    by_name: dict[tuple[str, str], list[str]] = {}
    for where, row in located_rows(path, delimiter):
        _check_columns(path, row, [entity, alias] if group == "group" else [entity, alias, group])
        name = row[entity].strip()
        if not name:
            raise ValueError(f"{where}: the column {entity!r} is empty, but an alias belongs to something")
        cell = row[alias]
        aliases = by_name.setdefault((name, row.get(group, "").strip()), [])
        aliases += cell.split(separator) if separator else [cell]
    if not by_name:
        raise ValueError(f"{path} contains no entities; one row at least is needed")
    return [_entity([name, *aliases], (of,) if of else ()) for (name, of), aliases in by_name.items()]


def read_dbpedia(
    path: Path,
    *,
    name: str = "rdf-schema#label",
    aliases: Sequence[str] = ("name", "alias", "birthName"),
    groups: Sequence[str] = ("nationality_label", "nationality"),
) -> Iterator[Entity]:
    """Read the entities of one class of "DBpedia as tables" (Politician.csv, Person.csv.gz), one by one.

    Such a table opens with four lines (the properties' names, their URIs, their types, the types' URIs); the first
    column is the URI of a thing. Several values are written ``{a|b}``, and a missing one ``NULL``. A thing without a
    name is left out, and so is what distinguishes namesakes: "John Smith (politician)" is "John Smith". Groups written
    as URIs are given by their last part: ``.../United_States`` is "United States".

    Args:
        path: The table, perhaps gzipped.
        name: The column of names.
        aliases: The columns of other spellings: those of them that the table has, one at least.
        groups: The columns of groups: likewise.

    Raises:
        FileNotFoundError: If the file is missing.
        ValueError: Fewer than four lines of header, a table without the columns, or no such table; names the line.
    """
    lines = records(path, ",")
    header = [values for _, values in (next(lines, ("", [])) for _ in range(4))]
    if not all(header) or not all(value.startswith("http") or value in ("URI", *_MISSING) for value in header[1]):
        raise ValueError(f"{path} is not a DBpedia table: four lines of header come first, the second one with URIs")
    names = header[0]
    _check_columns(path, names, [name])
    used = [_some(path, names, wanted) for wanted in (aliases, groups)]
    for where, values in lines:
        row = by_column(names, values, where)
        labels = [_QUALIFIER.sub("", label) for label in _several(row[name])]
        if labels and labels[0].strip():
            others = [value for column in used[0] for value in _several(row[column])]
            of = [_last_part(value) for column in used[1] for value in _several(row[column])]
            yield _entity([*labels, *others], tuple(dict.fromkeys(of)))


def read_legislators(paths: Iterable[Path]) -> list[Entity]:
    """Read the members of the US Congress with their spellings in the congress-legislators CSV files, each once.

    A spelling is the official full name, first and last name with and without middle name and suffix, the nickname
    with the last name, and the title of the Wikipedia page. The name is the official one, else first and last name.
    The group is the state. A person in several files (``bioguide_id``) is taken from the first.

    Raises:
        FileNotFoundError: If the file is missing.
        ValueError: A column that a file lacks, a person without first or last name, or no such table; names the line.
    """
    entities: dict[str, Entity] = {}
    for path in paths:
        for where, row in located_rows(path, ","):
            _check_columns(path, row, ["first_name", "middle_name", "last_name", "suffix", "nickname", "bioguide_id"])
            row = {column: " ".join(value.split()) for column, value in row.items()}
            if not row["first_name"] or not row["last_name"]:
                raise ValueError(f"{where}: no first or last name; every legislator has both")
            state = row.get("state", "")
            entities.setdefault(row["bioguide_id"] or where, _entity(_legislator(row), (state,) if state else ()))
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


def _entity(spellings: Sequence[str], groups: tuple[str, ...]) -> Entity:
    """Return the entity whose first spelling is its name. Blanks are trimmed, empty texts and repetitions left out."""
    name, *aliases = dict.fromkeys(spelling.strip() for spelling in spellings if spelling.strip())
    return Entity(name, tuple(aliases), groups)


def _several(cell: str) -> list[str]:
    """Return the values of a DBpedia cell: none for NULL, those of ``{a|b}``, else the one."""
    cell = cell.strip()
    values = cell[1:-1].split("|") if cell.startswith("{") and cell.endswith("}") else [cell]
    return [value.strip() for value in values if value.strip() not in _MISSING]


def _last_part(value: str) -> str:
    """Return the last part of a URI as words, and any other text unchanged."""
    if not value.startswith(("http://", "https://")):
        return value
    return unquote(value.rstrip("/").rsplit("/", 1)[-1]).replace("_", " ")


def _some(path: Path, header: Iterable[str], wanted: Sequence[str]) -> list[str]:
    header = list(header)
    if not (there := [column for column in wanted if column in header]):
        raise ValueError(
            f"{path} has none of the columns {', '.join(wanted) or '(none given)'}; its columns are: "
            f"{', '.join(header[:50])}"
        )
    return there


def _check_columns(path: Path, header: Iterable[str], wanted: Sequence[str]) -> None:
    header = list(header)
    if lacking := [column for column in wanted if column not in header]:
        raise ValueError(f"{path} has no column {lacking[0]!r}; its columns are: {', '.join(header[:50])}")
