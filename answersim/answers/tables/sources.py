"""Tables with a name for messages: a file, a data frame or columns; one table per system; and their rows by id."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from answersim._base import arguments
from answersim._base.arguments import shown
from answersim._base.errors import first_ones
from answersim._base.io import files
from answersim._base.io.detection import text_format
from answersim._base.io.files import Table
from answersim.answers.logs import formats

_MOST = 10  # ids in a message


class Source(NamedTuple):
    """A table with its name in messages."""

    table: Table
    path: Path
    # by column, the answers and questions as they are read, which may differ from the cells of the table: numbers as
    # text, and lists in texts as lists
    texts: Mapping[str, list[Any]] = MappingProxyType({})
    rows: Sequence[int] | None = None  # the number of each row in its file; None for 1, 2, 3 ...

    @property
    def numbered(self) -> Sequence[int]:
        """The number of each row in its file, from 1."""
        return range(1, len(self.table.rows) + 1) if self.rows is None else self.rows

    def at(self, rows: Sequence[int]) -> Source:
        """Return the rows at these positions."""
        texts = {name: [values[i] for i in rows] for name, values in self.texts.items()}
        numbers = self.numbered
        return Source(self.table.at(rows), self.path, texts, [numbers[i] for i in rows])

    def values(self, name: str) -> list[Any]:
        """Return the values in this column. Errors are those of ``files.Table.values``."""
        return self.texts[name] if name in self.texts else self.table.values(name, self.path)

    def numbers(self, name: str, *, empty: bool = False) -> list[float]:
        """Return the numbers in this column.

        ``empty``: whether a cell may be empty, null or nan, which is returned as nan. Raise LookupError if there is no
        such column, ValueError if a cell is not a finite number.
        """
        cells = zip(self.numbered, self.values(name), strict=True)
        return [_number(cell, f"{self.path}, row {i}: {name!r}", empty) for i, cell in cells]

    def has(self, name: str) -> bool:
        """Return whether the table has this column, or this field inside objects."""
        try:
            self.values(name)
        except LookupError:
            return False
        return True


def _number(cell: Any, where: str, empty: bool) -> float:
    if empty and (cell is None or (isinstance(cell, str) and not cell.strip())):
        return math.nan
    try:
        number = float(cell)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):
        raise ValueError(f"{where} is {repr(cell)[:60]}, but it must be a number") from None
    if math.isinf(number) or (math.isnan(number) and not empty):
        raise ValueError(f"{where} is {repr(cell)[:60]}, but it must be a finite number")
    return number


def by_system(data: Any) -> dict[str, Any] | None:
    """Return the tables by the name of their system, or None if this is one table.

    A system is named for its file without the suffix, or for the whole path if names are equal. Raise TypeError if a
    mapping mixes tables and columns. Raise ValueError if there is no file, or one is given twice.
    """
    if isinstance(data, Mapping):
        # Rows are structures if other columns have texts.
        if all(is_table(value) or _has_only_rows(value) for value in data.values()):
            return {arguments.text("the name of a system", name): table for name, table in data.items()}
        if any(map(is_table, data.values())):
            raise TypeError(
                "data mixes tables and columns; give columns by name, or a table by the name of each system"
            )
    elif isinstance(data, (list, tuple)) and not isinstance(data, (Table, Source)) and not is_rows(data):
        paths = [Path(arguments.path("data", path)) for path in data]
        if not paths:
            raise ValueError("data is an empty list; give at least one row, or one file")
        stems = [path.stem for path in paths]
        names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
        if twice := [name for name in names if names.count(name) > 1]:
            remedy = "columns of one file: the file once, and --pred A,B, pred=['A', 'B']"
            raise ValueError(f"the file {twice[0]} is given twice; give each system once ({remedy})")
        return dict(zip(names, paths, strict=True))
    return None


def is_table(value: Any) -> bool:
    """Return whether this is a file, a table or a data frame, without importing pandas."""
    is_frame = hasattr(value, "to_dict") and hasattr(value, "columns")
    return is_frame or isinstance(value, (str, PathLike, Table, Source))


def _has_only_rows(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(row, Mapping) for row in value)


def is_rows(data: Any) -> bool:
    """Return whether this is a list of rows, each by the name of the column. Raise TypeError for a mixture."""
    if not isinstance(data, (list, tuple)) or isinstance(data, (Table, Source)):
        return False
    rows = [isinstance(row, Mapping) for row in data]
    if any(rows) and not all(rows):
        raise TypeError("data mixes rows and files; give a list of rows (columns by name), or a list of files")
    return any(rows)


def is_file(data: Any) -> bool:
    """Return whether this is the path of a file."""
    return isinstance(data, (str, PathLike))


def source(data: Any, name: str, format: str | None = None) -> Source:
    """Return the table of these data. Raise the errors of ``read``, and ValueError if it has no rows."""
    table_source = read(data, name, format)
    if not table_source.table.rows:
        raise no_rows(table_source.path)
    return table_source


def no_rows(path: Path) -> ValueError:
    """Return the error for a table without rows."""
    return ValueError(f"{path} has no rows; give a table with at least one pair of answers")


def read(data: Any, name: str, format: str | None = None) -> Source:
    """Return the table in a file, a data frame, columns by name or a list of rows; it may have no rows.

    ``name``: the name of the data in messages, if they are not a file. ``format``: the format of a log, see
    ``logs.formats``; None for a table. Raise FileNotFoundError or ValueError as ``files.read``, or if columns differ in
    length or share a name. Raise TypeError if data is of another type.
    """
    if isinstance(data, Source):
        return data
    if is_file(data):
        path = Path(arguments.path("data", data))
        return Source(files.read(path) if format is None else formats.read(path, format), path)
    if isinstance(data, Table):
        return Source(data, Path(name))
    if any(value is not None for value in text_format()):
        raise ValueError(f"encoding and delimiter are for files, but {name} is not a file; leave them out")
    if is_table(data):
        columns = [(str(label), data.iloc[:, i].tolist()) for i, label in enumerate(data.columns)]
    elif is_rows(data):
        every = dict.fromkeys(arguments.text("the name of a column", label) for row in data for label in row)
        return Source(Table(tuple(every), [dict(row) for row in data]), Path(name))
    elif isinstance(data, Mapping):
        columns = [
            (arguments.text("the name of a column", label), arguments.listed(f"the column {label!r}", values))
            for label, values in data.items()
        ]
    else:
        raise TypeError(f"data is {shown(data)}; give a file, a DataFrame, columns by name, rows, or files by system")
    names = tuple(label for label, _ in columns)
    if twice := [label for label in names if names.count(label) > 1]:
        raise ValueError(f"the table has the column {twice[0]!r} twice; give every column a different name")
    lengths = {label: len(values) for label, values in columns}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns have different lengths: {lengths}")
    return Source(table_of(dict(columns)), Path(name))


def table_of(columns: Mapping[str, Sequence[Any]]) -> Table:
    """Return the table of these columns, which have one length."""
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return Table(tuple(columns), rows)


def ids_of(values: Iterable[Any]) -> list[str | None]:
    """Return ids as texts, and None for values that cannot be one: empty, nan, or neither text nor number."""
    ids: list[str | None] = []
    for value in values:
        is_none = value is None or value != value or isinstance(value, (bool, list, dict))
        ids.append(None if is_none or not str(value).strip() else str(value))
    return ids


def rows_by_id(table_source: Source, name: str) -> dict[str, int]:
    """Return the position of each id, from 0.

    Raise LookupError if there is no such column. Raise ValueError if an id is missing or occurs twice; all of them are
    named with their rows.
    """
    rows: dict[str, int] = {}
    twice: dict[str, list[int]] = {}
    empty: list[int] = []
    for i, key in enumerate(ids_of(table_source.values(name))):
        if key is None:
            empty.append(i + 1)
        elif (before := rows.setdefault(key, i)) != i:
            twice.setdefault(key, [before + 1]).append(i + 1)
    if empty:
        count = "row" if len(empty) == 1 else f"the {len(empty):,} rows"
        raise ValueError(
            f"{table_source.path}: {name!r} is empty in {count} {', '.join(map(str, empty[:_MOST]))}; give every row "
            "a text or a number as its id"
        )
    if twice:
        named = [f"{key!r} (rows {', '.join(map(str, at[:_MOST]))})" for key, at in twice.items()]
        count, verb = ("1 id", "occurs") if len(twice) == 1 else (f"{len(twice):,} ids", "occur")
        raise ValueError(
            f"{table_source.path}: {count} in {name!r} {verb} more than once: {first_ones(named, _MOST)}; give every "
            "row a unique id"
        )
    return rows


def identifies(table_source: Source, name: str) -> bool:
    """Return whether there is such a column, and each row has another id in it."""
    if not table_source.has(name):
        return False
    ids = ids_of(table_source.values(name))
    return None not in ids and len(set(ids)) == len(ids)


def listed_ids(keys: Sequence[str]) -> str:
    """Return how many ids these are, and the first ones."""
    return f"{len(keys):,} {'id' if len(keys) == 1 else 'ids'} ({first_ones([*map(repr, keys)], _MOST)})"
