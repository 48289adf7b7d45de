"""The input of an evaluation: questions, gold answers and the predictions of systems, from columns or from files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from answersim import arguments, files
from answersim.arguments import shown
from answersim.detection import stated
from answersim.errors import SkippedRowsWarning, warn_user
from answersim.files import Table

_MOST = 10  # ids in a message


class Columns(NamedTuple):
    """The columns of an evaluation.

    Attributes:
        gold: The gold answers.
        preds: The predictions of each system; of several tables, one column.
        question: The questions, or None.
        id: What identifies a row, or None for its number.
        others: Columns to make subsets or groups by.
        split_gold: The text between several gold answers in one value, or None.
    """

    gold: str = "gold"
    preds: tuple[str, ...] = ("pred",)
    question: str | None = None
    id: str | None = None
    others: tuple[str, ...] = ()
    split_gold: str | None = None


class Answers(NamedTuple):
    """The answers of systems to the same questions; each sequence has one entry per question row.

    Attributes:
        name: The name of the data.
        ids: What identifies each row: its id as text, or its number from 1.
        golds: One gold answer, or several.
        predictions: By system.
        questions: The questions, or None.
        columns: The other requested columns by name.
        skipped: The number of rows that were left out.
    """

    name: str
    ids: list[str]
    golds: list[str | list[str]]
    predictions: dict[str, list[str]]
    questions: list[str] | None
    columns: dict[str, list[Any]]
    skipped: int = 0


class Source(NamedTuple):
    """A table with its name in messages."""

    table: Table
    path: Path


def read_answers(data: Any, columns: Columns, *, references: Any = None, skip_bad: bool = False) -> Answers:
    """Return the answers in one table with a column per system, or in one table per system, joined by id.

    Args:
        data: A file, a ``pandas.DataFrame`` or columns by name; or, for several systems with a table each, a list of
            files, or files or data frames by the name of the system.
        columns: The columns.
        references: For several tables: the table with the gold answers and questions, if they are not in the others.
        skip_bad: Whether rows that cannot be scored for every system are left out, instead of being an error.

    Raises:
        FileNotFoundError, LookupError: If a file, a column or an id is missing. The message names the ids.
        ValueError: If an id occurs twice in a table, gold answers of one id differ between tables, a value is no
            answer (all rows are named), or there are no rows.
        TypeError: If data is of another type.
    """
    if columns.split_gold == "":
        raise ValueError("split_gold is empty; give the text that separates references, such as '|'")
    roles = {"gold": columns.gold, "question": columns.question, "id": columns.id}
    files.check_distinct_columns(**roles, **{f"pred {i}": name for i, name in enumerate(columns.preds, start=1)})
    if isinstance(data, (list, tuple)) and len(data) == 1:
        (data,) = data
    several = _several(data)
    if several is None:
        if references is not None:
            raise ValueError("references is for one table per system; here the gold answers are in the one table")
        return _checked(_one(_source(data, "the table"), columns), columns, skip_bad)
    if len(columns.preds) > 1:
        raise ValueError(f"{len(several)} tables and {len(columns.preds)} columns of predictions; give one column")
    sources = {system: _source(table, system) for system, table in several.items()}
    held = None if references is None else _source(references, "the references")
    return _checked(_joined(sources, held, columns, skip_bad), columns, skip_bad)


def _several(data: Any) -> dict[str, Any] | None:
    """Return the tables by system if there is one each, or None if there is one table."""
    if isinstance(data, Mapping):
        tables = [isinstance(value, (str, PathLike)) or _is_frame(value) for value in data.values()]
        if not any(tables):
            return None
        if not all(tables):
            raise TypeError(
                "data mixes tables and columns; give columns by name, or a table by the name of each system"
            )
        return {arguments.text("the name of a system", name): table for name, table in data.items()}
    if isinstance(data, (list, tuple)):
        paths = [Path(arguments.path("data", path)) for path in data]
        if not paths:
            raise ValueError("data is an empty list; give at least one file")
        stems = [path.stem for path in paths]
        names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"the file {twice[0]} is given twice; give each system once")
        return dict(zip(names, paths, strict=True))
    return None


def _is_frame(value: Any) -> bool:
    """Return whether this is a DataFrame, without importing pandas."""
    return hasattr(value, "to_dict") and hasattr(value, "columns")


def _source(data: Any, name: str) -> Source:
    """Return the table of these data. ValueError if it has no rows."""
    source = _read(data, name)
    if not source.table.rows:
        raise ValueError(f"{source.path} has no rows, so there is nothing to evaluate")
    return source


def _read(data: Any, name: str) -> Source:
    if isinstance(data, (str, PathLike)):
        path = Path(arguments.path("data", data))
        return Source(files.read(path), path)
    if any(value is not None for value in stated()):
        raise ValueError(f"encoding and delimiter are for files, but {name} is none; leave them out")
    if _is_frame(data):
        columns = [(str(label), data.iloc[:, i].tolist()) for i, label in enumerate(data.columns)]
    elif isinstance(data, Mapping):
        columns = [
            (arguments.text("the name of a column", label), arguments.listed(f"the column {label!r}", values))
            for label, values in data.items()
        ]
    else:
        raise TypeError(f"data is {shown(data)}; give a file, a DataFrame, columns by name, or files by system")
    names = tuple(label for label, _ in columns)
    lengths = {label: len(values) for label, values in columns}
    if twice := [label for label in names if names.count(label) > 1]:
        raise ValueError(f"the table has the column {twice[0]!r} twice; give every column a name of its own")
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns have different lengths: {lengths}")
    rows = [dict(zip(names, values, strict=True)) for values in zip(*(values for _, values in columns), strict=True)]
    return Source(Table(names, rows), Path(name))


class _Unchecked(NamedTuple):
    """Answers before their values are checked; ``numbers`` is the row of each in its file, from 1."""

    path: Path
    ids: list[str]
    numbers: list[int]
    golds: list[Any]
    predictions: dict[str, list[Any]]
    questions: list[Any] | None
    columns: dict[str, list[Any]]
    skipped: dict[int, str]


def _one(source: Source, columns: Columns) -> _Unchecked:
    table, path = source
    systems = (path.stem,) if columns.preds == ("pred",) and path.suffix else columns.preds
    numbers = list(range(1, len(table.rows) + 1))
    return _Unchecked(
        path,
        [str(i) for i in numbers] if columns.id is None else list(_by_id(source, columns.id)),
        numbers,
        table.values(columns.gold, path),
        {system: table.values(name, path) for system, name in zip(systems, columns.preds, strict=True)},
        None if columns.question is None else table.values(columns.question, path),
        {name: table.values(name, path) for name in columns.others},
        {},
    )


def _joined(sources: Mapping[str, Source], references: Source | None, columns: Columns, skip_bad: bool) -> _Unchecked:
    """Return the rows of the first table, or of the references, with the predictions of the same id in each table."""
    name = columns.id or "id"
    places = {system: _by_id(source, name) for system, source in sources.items()}
    first = next(iter(sources.values())) if references is None else references
    order = _by_id(first, name)
    skipped = _missing(first, order, sources, places, skip_bad)
    kept = [key for key in order if all(key in place for place in places.values())]
    (pred,) = columns.preds
    predictions = {
        system: _picked(source.table.values(pred, source.path), places[system], kept)
        for system, source in sources.items()
    }
    if references is None:
        for shared in (columns.gold, columns.question):
            if shared is not None:
                _check_same(shared, sources, places, kept)

    def column(name: str) -> list[Any]:
        return _picked(first.table.values(name, first.path), order, kept)

    return _Unchecked(
        first.path,
        kept,
        [order[key] + 1 for key in kept],
        column(columns.gold),
        predictions,
        None if columns.question is None else column(columns.question),
        {other: column(other) for other in columns.others},
        skipped,
    )


def _by_id(source: Source, name: str) -> dict[str, int]:
    """Return the position of each id. ValueError if an id is missing or occurs twice; all of them are named."""
    values = source.table.values(name, source.path)
    places: dict[str, list[int]] = {}
    for i, value in enumerate(values):
        places.setdefault("" if value is None else str(value), []).append(i)
    if "" in places:
        rows = ", ".join(str(i + 1) for i in places[""][:_MOST])
        raise ValueError(f"{source.path}: {name!r} is empty in {_rows(len(places['']))} {rows}; give every row an id")
    twice = {key: rows for key, rows in places.items() if len(rows) > 1}
    if twice:
        shown_ids = [
            f"{key!r} (rows {', '.join(str(i + 1) for i in rows[:_MOST])})" for key, rows in list(twice.items())[:_MOST]
        ]
        more = f" and {len(twice) - _MOST:,} more" if len(twice) > _MOST else ""
        raise ValueError(
            f"{source.path}: {len(twice):,} ids in {name!r} occur more than once: {', '.join(shown_ids)}{more}; give "
            "every row an id of its own"
        )
    return {key: rows[0] for key, rows in places.items()}


def _rows(count: int) -> str:
    return "row" if count == 1 else f"the {count:,} rows"


def _missing(
    first: Source,
    order: Mapping[str, int],
    sources: Mapping[str, Source],
    places: Mapping[str, Mapping[str, int]],
    skip_bad: bool,
) -> dict[int, str]:
    """Return the rows of the first table that a system lacks. LookupError for them unless they are to be left out."""
    problems: list[str] = []
    skipped: dict[int, str] = {}
    for system, source in sources.items():
        if source is first:
            continue
        lacking = [key for key in order if key not in places[system]]
        strange = [key for key in places[system] if key not in order]
        if lacking:
            problems.append(f"{source.path} lacks {_ids(lacking)} of {first.path}")
            skipped |= {order[key] + 1: f"{source.path} has no row with the id {key!r}" for key in lacking}
        if strange:
            problems.append(f"{source.path} has {_ids(strange)} that {first.path} lacks")
    if problems and not skip_bad:
        raise LookupError(f"{'; '.join(problems)}. Leave those rows out with --skip-bad (skip_bad=True)")
    for problem in problems:
        warn_user(UserWarning(f"{problem}; these rows are left out"))
    return skipped


def _ids(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _MOST:,} more" if len(keys) > _MOST else ""
    return f"{len(keys):,} {'id' if len(keys) == 1 else 'ids'} ({', '.join(map(repr, keys[:_MOST]))}{more})"


def _picked(values: Sequence[Any], places: Mapping[str, int], keys: Iterable[str]) -> list[Any]:
    return [values[places[key]] for key in keys]


def _check_same(
    column: str, sources: Mapping[str, Source], places: Mapping[str, Mapping[str, int]], keys: Sequence[str]
) -> None:
    """Check that tables with this column agree on it. ValueError with the ids for which they differ."""
    (one, *others) = sources.items()
    if column not in one[1].table.columns:
        return  # reading it reports that
    expected = _picked(one[1].table.values(column, one[1].path), places[one[0]], keys)
    for system, source in others:
        if column not in source.table.columns:
            continue
        actual = _picked(source.table.values(column, source.path), places[system], keys)
        differing = [key for key, mine, his in zip(keys, expected, actual, strict=True) if mine != his]
        if differing:
            raise ValueError(
                f"{column!r} differs between {one[1].path} and {source.path} for {_ids(differing)}; give one table of "
                "references, or repair the ids"
            )


def _checked(rows: _Unchecked, columns: Columns, skip_bad: bool) -> Answers:
    """Return the rows whose values are all answers. ValueError for the others unless they are to be left out."""
    flaws: dict[int, str] = {}
    for values, name in _values(rows, columns):
        found = files.flaws_of(name, values, several=values is rows.golds)
        flaws |= {i: flaw for i, flaw in found.items() if i not in flaws}
    n = len(rows.ids) + len(rows.skipped)
    named = rows.skipped | {rows.numbers[i]: flaw for i, flaw in flaws.items()}
    if flaws and not skip_bad:
        raise files.flawed_rows(rows.path, named, "leave them out with --skip-bad (skip_bad=True)")
    if len(named) == n:
        raise ValueError(f"{rows.path}: no row can be scored: {files.listed_rows(named)}")
    if named:
        warn_user(SkippedRowsWarning(len(named), n, files.listed_rows(named)))
    at = [i for i in range(len(rows.ids)) if i not in flaws]
    golds = [rows.golds[i] for i in at]
    if columns.split_gold:
        golds = [gold.split(columns.split_gold) if isinstance(gold, str) else gold for gold in golds]
    return Answers(
        rows.path.stem,
        [rows.ids[i] for i in at],
        golds,
        {system: [preds[i] for i in at] for system, preds in rows.predictions.items()},
        None if rows.questions is None else [rows.questions[i] for i in at],
        {name: [values[i] for i in at] for name, values in rows.columns.items()},
        len(named),
    )


def _values(rows: _Unchecked, columns: Columns) -> Iterator[tuple[list[Any], str]]:
    """Yield all columns of answers and questions, with their names."""
    yield rows.golds, columns.gold
    for system, values in rows.predictions.items():
        yield values, system
    if rows.questions is not None:
        yield rows.questions, str(columns.question)
