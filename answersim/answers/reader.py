"""The answers of systems to the same questions: one reader and joiner for evaluate, compare, gate and label.

A table has a column of predictions per system, or each system has a table, and these are joined by id. One file is read
in pieces, so that a file of any size can be evaluated. Tables that are joined are in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from answersim.errors import SkippedRowsWarning, warn_user
from answersim.answers import sources
from answersim.answers.sources import Ids, Source, listed_ids, rows_by_id
from answersim.io import chunks, files
from answersim.io.chunks import Piece
from answersim.io.files import Table

_BLOCK = 4096  # rows of a block, if a table is in memory


class Columns(NamedTuple):
    """The columns of an evaluation.

    Attributes:
        gold: The gold answers.
        preds: The predictions of each system; of several tables, one column.
        question: The questions, or None.
        id: The column that identifies a row, or None for its number. It is "id" for several tables.
        others: Columns that must exist, such as those that define subsets or groups.
        optional: Columns that are read if they exist.
        own: Columns that each table may have for its own system, such as its labels or scores.
        agreeing: Columns that must agree in all tables that have them, besides gold answers and questions.
        split_gold: The text between several gold answers in one value, or None.
    """

    gold: str = "gold"
    preds: tuple[str, ...] = ("pred",)
    question: str | None = None
    id: str | None = None
    others: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    agreeing: tuple[str, ...] = ()
    split_gold: str | None = None


class Answers(NamedTuple):
    """The answers of systems to the same questions; each sequence has one entry per question row.

    Attributes:
        name: The name of the data.
        ids: What identifies each row: its id as text, or its number from 1.
        numbers: The number of each row in its table, from 1.
        golds: One gold answer, or several.
        predictions: By system.
        questions: The questions, or None.
        columns: The other requested columns by name.
        own: By system, the columns of ``Columns.own`` that its table has.
        skipped: The number of rows that were left out.
        share: How much of the table was read when this block was complete, from 0 to 1.
    """

    name: str
    ids: list[str]
    numbers: list[int]
    golds: list[Any]
    predictions: dict[str, list[str]]
    questions: list[str] | None
    columns: dict[str, list[Any]]
    own: dict[str, dict[str, list[Any]]]
    skipped: int = 0
    share: float = 1.0


class AnswerBlocks:
    """The answers in a table, block by block and as often as needed.

    Args:
        data: A file, a ``pandas.DataFrame``, a ``files.Table`` or columns by name; or, for several systems with a table
            each, a list of files, or files or data frames by the name of the system.
        columns: The columns.
        references: For several tables: the table with the gold answers and questions, if they are not in the others.
        skip_bad: Whether rows that cannot be scored for every system are left out, instead of being an error.

    Attributes:
        name: The name of the data.
        systems: The names of the systems: of the file (without its suffix) if a file has one system, and of the columns
            of predictions if one table has several, or is no file.
        file: The file that is read in pieces; None if the data are in memory.
        flaws: By the number of the row, why it was left out; complete after the blocks were read once.
        rows: How many rows the table has, likewise.

    Raises:
        FileNotFoundError, LookupError: If a file, a column or an id is missing. The message names the ids.
        ValueError: If an id occurs twice in a table, gold answers of one id differ between tables, a value is not an
            answer (all rows are named), or there are no rows. Of a file that is read in pieces, when they are read.
        TypeError: If data is of another type.
    """

    def __init__(self, data: Any, columns: Columns, *, references: Any = None, skip_bad: bool = False) -> None:
        if columns.split_gold == "":
            raise ValueError("split_gold is empty; give the text that separates references, such as '|'")
        roles = {"gold": columns.gold, "question": columns.question, "id": columns.id}
        files.check_distinct_columns(**roles, **{f"pred {i}": name for i, name in enumerate(columns.preds, start=1)})
        if isinstance(data, (list, tuple)) and not isinstance(data, Table) and len(data) == 1:
            (data,) = data
        self.columns, self.skip_bad = columns, skip_bad
        self.flaws: dict[int, str] = {}
        self.rows = 0
        self.file: Path | None = None
        self._whole: _Unchecked | None = None
        several = sources.by_system(data)
        if several is None:
            if references is not None:
                raise ValueError(
                    "references is for one table per system, but here all answers are in one table; leave it out"
                )
            if sources.is_file(data):
                self.file = Path(data)
                files.check_readable(self.file)
                self.name, self.systems = self.file.stem, _systems(columns.preds, self.file)
                return
            source = sources.source(data, "the table")
            self._whole = _one(source, columns, _systems(columns.preds, source.path))
        else:
            if len(columns.preds) > 1:
                raise ValueError(
                    f"there are {len(several)} tables and {len(columns.preds)} columns of predictions; with several "
                    f"tables, give one column"
                )
            tables = {system: sources.source(table, system) for system, table in several.items()}
            held = None if references is None else sources.source(references, "the references")
            self._whole = _joined(tables, held, columns, skip_bad)
        self.name, self.systems = self._whole.path.stem, tuple(self._whole.predictions)

    def __iter__(self) -> Iterator[Answers]:
        """Yield the rows that can be scored. One error names all rows that cannot be scored; see the class."""
        flaws: dict[int, str] = {}
        rows = 0
        path = self.file or Path(self.name)
        for unchecked in self._unchecked():
            path = unchecked.path
            rows += len(unchecked.ids) + len(unchecked.skipped)
            answers, found = _checked(unchecked, self.columns)
            flaws |= found
            if (flaws and not self.skip_bad) or not answers.ids:
                continue  # the rest is only searched for more of them
            yield answers
        if not rows:
            raise ValueError(f"{path} has no rows, so there is nothing to evaluate")
        if flaws and not self.skip_bad:
            raise files.flawed_rows(path, flaws, "leave them out with --skip-bad (skip_bad=True)")
        if len(flaws) == rows:
            raise ValueError(f"{path}: no row can be scored: {files.listed_rows(flaws)}")
        self.flaws, self.rows = flaws, rows

    def warn(self) -> None:
        """Warn of the rows that were left out, if there are any."""
        if self.flaws:
            warn_user(SkippedRowsWarning(len(self.flaws), self.rows, files.listed_rows(self.flaws)))

    def _unchecked(self) -> Iterator[_Unchecked]:
        if self._whole is not None:
            yield from _blocks(self._whole)
            return
        assert self.file is not None
        columns = self.columns
        needed = [columns.gold, *columns.preds, *columns.others, *columns.optional, *columns.own]
        needed += [name for name in (columns.question, columns.id) if name is not None]
        ids = None if columns.id is None else Ids(self.file, columns.id)
        for piece in chunks.pieces(self.file, list(dict.fromkeys(needed))):
            if piece.table.rows:
                yield _of_piece(piece, self.file, columns, self.systems, ids)
        if ids is not None:
            ids.check()


def read_answers(data: Any, columns: Columns, *, references: Any = None, skip_bad: bool = False) -> Answers:
    """Return all answers at once, with a warning that counts the rows that were left out.

    Args and raises as ``AnswerBlocks``.
    """
    blocks = AnswerBlocks(data, columns, references=references, skip_bad=skip_bad)
    first, *others = blocks
    blocks.warn()
    whole = _merged(first, others) if others else first
    return whole._replace(skipped=len(blocks.flaws), share=1.0)


def _merged(first: Answers, others: Sequence[Answers]) -> Answers:
    parts = (first, *others)

    def joined(lists: Sequence[list[Any]]) -> list[Any]:
        return [value for values in lists for value in values]

    return first._replace(
        ids=joined([part.ids for part in parts]),
        numbers=joined([part.numbers for part in parts]),
        golds=joined([part.golds for part in parts]),
        predictions={name: joined([part.predictions[name] for part in parts]) for name in first.predictions},
        questions=None if first.questions is None else joined([part.questions or [] for part in parts]),
        columns={
            name: joined([part.columns.get(name) or [None] * len(part.ids) for part in parts])
            for name in dict.fromkeys(name for part in parts for name in part.columns)
        },
        own={
            system: {
                name: joined([part.own[system].get(name) or [None] * len(part.ids) for part in parts])
                for name in dict.fromkeys(name for part in parts for name in part.own[system])
            }
            for system in first.own
        },
    )


class _Unchecked(NamedTuple):
    """Answers before their values are checked; ``numbers`` is the row of each in its file, from 1."""

    path: Path
    ids: list[str]
    numbers: list[int]
    golds: list[Any]
    predictions: dict[str, list[Any]]
    questions: list[Any] | None
    columns: dict[str, list[Any]]
    own: dict[str, dict[str, list[Any]]]
    skipped: dict[int, str]
    share: float = 1.0


def _systems(preds: tuple[str, ...], path: Path) -> tuple[str, ...]:
    """Return the names of the systems of one table: of the file if there is one system, else of the columns."""
    return (path.stem,) if len(preds) == 1 and path.suffix else preds


def _one(source: Source, columns: Columns, systems: tuple[str, ...]) -> _Unchecked:
    numbers = list(range(1, len(source.table.rows) + 1))
    ids = [str(i) for i in numbers] if columns.id is None else list(rows_by_id(source, columns.id))
    return _of_source(source, columns, systems, ids, numbers)


def _of_piece(piece: Piece, path: Path, columns: Columns, systems: tuple[str, ...], ids: Ids | None) -> _Unchecked:
    """Return the rows of a piece. A field inside objects that no row of a later piece has is missing in all of them."""
    fields = (columns.gold, *columns.preds, columns.question, *columns.others, *columns.optional, *columns.own)
    table = piece.table.with_fields(fields, path)
    if piece.first > 1:
        lost = [name for name in fields if name and "." in name and name not in table.columns]
        table = table._replace(columns=(*table.columns, *lost))
    source = Source(table, path)
    numbers = list(range(piece.first, piece.first + len(table.rows)))
    texts = [str(i) for i in numbers]
    if ids is not None:
        texts = ids.add(source.values(ids.name), piece.first)
    return _of_source(source, columns, systems, texts, numbers)._replace(share=piece.share)


def _of_source(
    source: Source, columns: Columns, systems: tuple[str, ...], ids: list[str], numbers: list[int]
) -> _Unchecked:
    optional = [name for name in columns.optional if source.has(name)]
    own = {name: source.values(name) for name in columns.own if source.has(name)}
    return _Unchecked(
        source.path,
        ids,
        numbers,
        source.values(columns.gold),
        {system: source.values(name) for system, name in zip(systems, columns.preds, strict=True)},
        None if columns.question is None else source.values(columns.question),
        {name: source.values(name) for name in dict.fromkeys([*columns.others, *optional])},
        dict.fromkeys(systems, own),
        {},
    )


def _blocks(rows: _Unchecked) -> Iterator[_Unchecked]:
    """Yield the same rows in blocks. The rows that were skipped are those of the first block."""
    n = len(rows.ids)
    for start in range(0, max(n, 1), _BLOCK):
        part = slice(start, start + _BLOCK)
        yield _Unchecked(
            rows.path,
            rows.ids[part],
            rows.numbers[part],
            rows.golds[part],
            {system: values[part] for system, values in rows.predictions.items()},
            None if rows.questions is None else rows.questions[part],
            {name: values[part] for name, values in rows.columns.items()},
            {system: {name: values[part] for name, values in own.items()} for system, own in rows.own.items()},
            rows.skipped if start == 0 else {},
            min(1.0, (start + _BLOCK) / n) if n else 1.0,
        )


def _joined(tables: Mapping[str, Source], references: Source | None, columns: Columns, skip_bad: bool) -> _Unchecked:
    """Return the rows of the first table, or of the references, with the predictions of the same id in each table."""
    name = columns.id or "id"
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
    optional = [name for name in columns.optional if any(source.has(name) for source in (first, *tables.values()))]
    return _Unchecked(
        first.path,
        kept,
        [order[key] + 1 for key in kept],
        shared(columns.gold),
        {system: picked(source, places[system], pred) for system, source in tables.items()},
        None if columns.question is None else shared(columns.question),
        {other: shared(other) for other in dict.fromkeys([*columns.others, *optional])},
        {
            system: {own: picked(source, places[system], own) for own in columns.own if source.has(own)}
            for system, source in tables.items()
        },
        skipped,
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
        if source is first:
            continue
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


def _checked(rows: _Unchecked, columns: Columns) -> tuple[Answers, dict[int, str]]:
    """Return the rows whose values are all answers, and by the number of the row why the others are left out."""
    flaws: dict[int, str] = {}
    for values, name in _values(rows, columns):
        found = files.flaws_of(name, values, several=values is rows.golds)
        flaws |= {i: flaw for i, flaw in found.items() if i not in flaws}
    at = [i for i in range(len(rows.ids)) if i not in flaws]

    def kept(values: list[Any]) -> list[Any]:
        return [values[i] for i in at] if flaws else values

    golds = files.split_references(kept(rows.golds), columns.split_gold, rows.path, kept(rows.numbers))
    answers = Answers(
        rows.path.stem,
        kept(rows.ids),
        kept(rows.numbers),
        golds,
        {system: kept(preds) for system, preds in rows.predictions.items()},
        None if rows.questions is None else kept(rows.questions),
        {name: kept(values) for name, values in rows.columns.items()},
        {system: {name: kept(values) for name, values in own.items()} for system, own in rows.own.items()},
        share=rows.share,
    )
    return answers, rows.skipped | {rows.numbers[i]: flaw for i, flaw in flaws.items()}


def _values(rows: _Unchecked, columns: Columns) -> Iterator[tuple[list[Any], str]]:
    """Yield all columns of answers and questions, with their names in messages."""
    yield rows.golds, columns.gold
    names = columns.preds
    if len(rows.predictions) > len(names):  # one table per system
        names = tuple(f"{names[0]} of {system}" for system in rows.predictions)
    yield from zip(rows.predictions.values(), names, strict=True)
    if rows.questions is not None:
        yield rows.questions, str(columns.question)
