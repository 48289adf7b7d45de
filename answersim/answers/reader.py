"""The one reader of answers: a table, a log of another tool, or a table per system, block by block.

A table has a column of predictions per system, or each system has a table, and these are joined by id. One file is read
in pieces, so that a file of any size can be read. Tables that are joined are in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from operator import itemgetter
from pathlib import Path
from typing import Any

from answersim import arguments
from answersim.answers import answer_values, sources
from answersim.answers.blocks import CHOICES, AnswerBlock, Columns, Unchecked, merged, selected
from answersim.answers.joining import joined
from answersim.answers.sources import Ids, Source, rows_by_id
from answersim.errors import SkippedRowsWarning, warn_user
from answersim.golds import ChoiceGold, StructuredGold, structured
from answersim.io import chunks, detection, files
from answersim.io.chunks import Piece
from answersim.io.files import Table
from answersim.logs import formats

LINES = "lines"  # the format of two text files, one answer per line


class Answers:
    """The answers of systems, read block by block and as often as needed; what ``read_answers`` returns.

    Iterating yields an ``AnswerBlock`` at a time, of the rows that can be scored. ``read`` returns all of them.

    Args:
        data: As of ``read_answers``.
        columns: The columns.
        references: As of ``read_answers``, and so are the others.
        skip_bad: Whether rows that cannot be scored for every system are left out.
        encoding: The encoding of text files.
        delimiter: The delimiter of CSV and TSV files.
        format: The format of a log.

    Attributes:
        columns: The columns.
        name: The name of the data.
        path: The file, or the name of the data in messages.
        systems: The names of the systems: of the file (without its suffix) if a file has one system, and of the columns
            of predictions if one table has several, or is no file.
        files: The files that are read.
        flaws: By the number of the row, why it was left out; complete after the blocks were read once.
        rows: How many rows the table has, likewise.
    """

    def __init__(
        self,
        data: Any,
        columns: Columns = Columns(),  # noqa: B008 # immutable
        *,
        references: Any = None,
        skip_bad: bool = False,
        encoding: str | None = None,
        delimiter: str | None = None,
        format: str | None = None,
    ) -> None:
        if columns.split_gold == "":
            raise ValueError("split_gold is empty; give the text that separates references, such as '|'")
        preds = [f"pred {i}" for i in range(1, len(columns.preds) + 1)] if len(columns.preds) > 1 else ["pred"]
        roles = {"gold": columns.gold, **dict(zip(preds, columns.preds, strict=True))}
        files.check_distinct_columns(**roles, question=columns.question, id=columns.id)
        if format is not None and (encoding or delimiter) and format != LINES:
            given = "encoding" if encoding else "delimiter"
            raise ValueError(f"{given} is given, but a log ({format}) has its own format; leave it out")
        self.columns, self.skip_bad, self.format = columns, skip_bad, format
        self.flaws: dict[int, str] = {}
        self.rows = 0
        self.name = ""
        self.path = Path()
        self.systems: tuple[str, ...] = ()
        self.files: list[Path] = []
        self._given = {"references": references, "skip_bad": skip_bad, "encoding": encoding, "delimiter": delimiter}
        self._data = data
        self._joined: Unchecked | None = None  # the rows of tables that were joined
        self._held: Source | None = None
        with self.reading():
            self._open(data, references)

    def with_columns(self, **changes: Any) -> Answers:
        """Return the same answers with other columns; the arguments are fields of ``Columns``."""
        return Answers(self._data, self.columns._replace(**changes), format=self.format, **self._given)

    def __iter__(self) -> Iterator[AnswerBlock]:
        """Yield the rows that can be scored. One error names all rows that cannot be scored; see ``read_answers``."""
        return self.blocks()

    def blocks(self, *, all_columns: bool = False, keep: bool = False) -> Iterator[AnswerBlock]:
        """Yield the same blocks as iteration.

        Args:
            all_columns: Whether the tables of the blocks have all columns of a Parquet file, and not the needed ones.
            keep: As of ``chunks.pieces``.
        """
        flaws: dict[int, str] = {}
        rows = 0
        for unchecked, skipped in self._in_context(self._unchecked(all_columns, keep)):
            rows += len(unchecked.ids) + len(skipped)
            block, found = _checked(unchecked, self.columns, self.path)
            flaws |= skipped | found
            if (flaws and not self.skip_bad) or not block.ids:
                continue  # the rest is only searched for more of them
            yield block
        if not rows:
            raise sources.no_rows(self.path)
        if flaws and not self.skip_bad:
            raise answer_values.flawed_rows(self.path, flaws, "leave them out with --skip-bad (skip_bad=True)")
        if len(flaws) == rows:
            raise ValueError(f"{self.path}: no row can be scored: {answer_values.listed_rows(flaws)}")
        self.flaws, self.rows = flaws, rows

    def read(self, *, all_columns: bool = False) -> AnswerBlock:
        """Return all answers at once, with a warning that counts the rows that were left out.

        Args:
            all_columns: Whether the block has the table of all columns; otherwise it has none.
        """
        blocks = self.blocks(all_columns=all_columns)
        first, *others = [block if all_columns else block._replace(table=Table((), [])) for block in blocks]
        self.warn()
        whole = merged(first, others) if others else first
        return whole._replace(skipped=len(self.flaws), share=1.0, state=b"")

    def warn(self) -> None:
        """Warn of the rows that were left out, if there are any."""
        if self.flaws:
            warn_user(SkippedRowsWarning(len(self.flaws), self.rows, answer_values.listed_rows(self.flaws)))

    @property
    def file(self) -> Path | None:
        """The one file that is read in pieces; None if the data are in memory."""
        return None if self._joined is not None or self._held is not None else self.path

    def reading(self) -> Any:
        """Return the context in which the stated encoding and delimiter apply, if any is stated."""
        encoding, delimiter = self._given["encoding"], self._given["delimiter"]
        return detection.read_options(encoding, delimiter) if encoding or delimiter else nullcontext()

    def _in_context(self, rows: Iterator[Unchecked]) -> Iterator[Unchecked]:
        """Yield these rows. What the caller reads between two blocks has no stated encoding."""
        while True:
            with self.reading():
                unchecked = next(rows, None)
            if unchecked is None:
                return
            yield unchecked

    def _open(self, data: Any, references: Any) -> None:
        preds = self.columns.preds
        if self.format == LINES:
            self.files = _line_files(data, self.columns)
            self.path = self.files[0]
            self.name, self.systems = self.path.stem, (self.files[1].stem,)
            return
        if isinstance(data, (list, tuple)) and not isinstance(data, (Table, Source)) and len(data) == 1:
            (data,) = data
        several = sources.by_system(data)
        if several is not None:
            self._join(several, references)
            return
        if references is not None:
            raise ValueError(
                "references is for one table per system, but here all answers are in one table; leave it out"
            )
        if sources.is_file(data):
            self.path = Path(arguments.path("data", data))
            self.files = [self.path]
            if self.format is None:
                files.check_readable(self.path)
            else:
                formats.resolved(self.format, self.path)
        else:
            self._held = sources.source(data, "the table")
            self.path = self._held.path
            if self.columns.id is not None:
                rows_by_id(self._held, self.columns.id)
        self.name, self.systems = self.path.stem, _systems(preds, self.path)

    def _join(self, several: Mapping[str, Any], references: Any) -> None:
        if len(self.columns.preds) > 1:
            raise ValueError(
                f"there are {len(several)} tables and {len(self.columns.preds)} columns of predictions; with several "
                f"tables, give one column"
            )
        tables = {system: sources.source(table, system, self.format) for system, table in several.items()}
        held = None if references is None else sources.source(references, "the references")
        self._joined = joined(tables, held, self.columns, self.skip_bad)
        self.files = [Path(table) for table in (*several.values(), references) if sources.is_file(table)]
        self.path = next(iter(tables.values())).path if held is None else held.path
        self.name, self.systems = self.path.stem, tuple(several)

    def _unchecked(self, all_columns: bool, keep: bool) -> Iterator[Unchecked]:
        if self._joined is not None:
            yield from _slices(self._joined)
            return
        columns = self.columns
        ids = None if columns.id is None else Ids(self.path, columns.id)
        for piece in self._pieces(all_columns, keep):
            if piece.table.rows:
                yield _of_piece(piece, self.path, columns, self.systems, ids)
        if ids is not None:
            ids.check()

    def _pieces(self, all_columns: bool, keep: bool) -> Iterator[Piece]:
        columns = self.columns
        if self._held is not None:
            yield from _pieces_of(self._held.table)
        elif self.format == LINES:
            yield from chunks.line_pieces(self.files[0], self.files[1], columns.gold, columns.preds[0])
        elif self.format is not None:
            yield from formats.pieces(self.path, self.format)
        else:
            needed = [columns.gold, *columns.preds, *columns.shared(), *columns.optional, *columns.own, CHOICES]
            needed += [name for name in (columns.question, columns.id) if name is not None]
            wanted = None if all_columns else list(dict.fromkeys(needed))
            yield from chunks.pieces(self.path, wanted, keep=keep)


def is_data(value: Any) -> bool:
    """Return whether ``read_answers`` reads this, and it is not an array of numbers."""
    if isinstance(value, (Answers, Mapping)) or sources.is_table(value):
        return True
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(map(sources.is_file, value))


def read_answers(
    data: Any,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    group: str | None = None,
    references: Any = None,
    split_gold: str | None = None,
    skip_bad: bool = False,
    encoding: str | None = None,
    delimiter: str | None = None,
    format: str | None = None,
) -> Answers:
    """Return the answers in a file, a table, a log, or a table per system, for every function that reads answers.

    Nothing but the beginning of a file is read before the answers are used. A single file is read in pieces, so it may
    have any size.

    Args:
        data: A file (CSV, TSV, JSON, JSON lines, Parquet, Excel), a ``pandas.DataFrame`` or columns by name, with one
            or several columns of predictions. For a table per system: a list of files, or files or data frames by the
            name of the system. They are joined by ``id``. An ``Answers`` is returned unchanged.
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers. A value may be a list of answers that are all correct, or for metrics that
            read it a structure: an object, or a list with objects or lists (see ``docs/official.md``). A column
            "choices" with lists of texts, or with lists as JSON text, has the options of multiple-choice questions.
        question: The column of the questions.
        id: The column that identifies a row. It is "id" for several tables.
        group: The column of what dependent answers have in common, if it is not the question.
        references: For several tables, the table with gold answers and questions, if they are in none of them.
        split_gold: A separator between several gold answers in one value.
        skip_bad: Whether rows without an answer of every system, or without a gold answer, are left out and counted,
            instead of being an error.
        encoding: The encoding of text files, instead of the detected one.
        delimiter: The delimiter of CSV and TSV files, instead of the detected one.
        format: The format of a log of another tool: "auto", "inspect" or "lm-eval". Its columns are id, question,
            gold and pred. "lines" is for two text files, of gold answers and of predictions.

    Raises:
        FileNotFoundError, LookupError: If a file, a column or an id is missing. The message names the ids.
        ValueError: If an id occurs twice in a table, gold answers of one id differ between tables, a value is not an
            answer (all rows are named), or there are no rows. Of a file that is read in pieces, when they are read.
        TypeError: If data is of another type, or is an ``Answers`` and other arguments are given.

    >>> data = {"gold": ["Rome"], "a": ["in Rome"], "b": ["Paris"]}
    >>> answers = read_answers(data, pred=["a", "b"])
    >>> answers.systems
    ('a', 'b')
    >>> [(block.golds, block.predictions["b"]) for block in answers]
    [(['Rome'], ['Paris'])]
    """
    if isinstance(data, Answers):
        given = {"pred": pred != "pred", "gold": gold != "gold", "skip_bad": skip_bad, "split_gold": split_gold}
        given |= {"question": question, "id": id, "group": group, "references": references, "format": format}
        given |= {"encoding": encoding, "delimiter": delimiter}
        if stated := [name for name, value in given.items() if value]:
            raise TypeError(f"data is an Answers, which has its columns; give {stated[0]} to read_answers instead")
        return data
    preds = (arguments.text("pred", pred),) if isinstance(pred, str) else tuple(arguments.texts("pred", pred))
    if not preds:
        raise ValueError("pred names no column; give at least one column of predictions")
    gold = arguments.text("gold", gold)
    for name, value in (("question", question), ("id", id), ("group", group)):
        if value is not None:
            arguments.text(name, value)
    columns = Columns(gold, preds, question, id, group, split_gold=split_gold)
    skip_bad = arguments.flag("skip_bad", skip_bad)
    return Answers(
        data, columns, references=references, skip_bad=skip_bad, encoding=encoding, delimiter=delimiter, format=format
    )


def _line_files(data: Any, columns: Columns) -> list[Path]:
    """Return the files of gold answers and predictions, one per line. Check that they correspond."""
    if not isinstance(data, (list, tuple)) or len(data) != 2:
        raise TypeError(f"format is {LINES!r}, but data is {arguments.shown(data)}; give two text files, gold first")
    one, other = (Path(arguments.path("data", path)) for path in data)
    if (delimiter := detection.text_format().delimiter) is not None:
        raise ValueError(f"--delimiter is {delimiter!r}, but two files of plain lines have none; leave it out")
    for file in (one, other):
        if file.suffix.lower() in files.READABLE:
            raise ValueError(f"{file} is a table, but two files are read as plain text lines; give the table alone")
    n, m = chunks.count_lines(one), chunks.count_lines(other)
    if n != m:
        raise ValueError(f"{one} has {n} lines and {other} has {m}; they must correspond")
    if columns.question is not None:
        raise ValueError("--question names a column of a table, but two files of plain lines have none; give one table")
    if one.samefile(other):
        raise ValueError(f"{one} and {other} are the same file; give a file of gold answers and a file of predictions")
    return [one, other]


def _systems(preds: tuple[str, ...], path: Path) -> tuple[str, ...]:
    """Return the names of the systems of one table: of the file if there is one system, else of the columns."""
    return (path.stem,) if len(preds) == 1 and path.suffix else preds


def _pieces_of(table: Table) -> Iterator[Piece]:
    """Yield a table in memory in pieces."""
    n = len(table.rows)
    for start in range(0, n, chunks.ROWS):
        part = slice(start, start + chunks.ROWS)
        yield Piece(Table(table.columns, table.rows[part]), start + 1, min(1.0, part.stop / n), b"")


def _of_piece(piece: Piece, path: Path, columns: Columns, systems: tuple[str, ...], ids: Ids | None) -> Unchecked:
    """Return the rows of a piece. A field inside objects that no row of a later piece has is missing in all of them."""
    fields = (columns.gold, *columns.preds, columns.question, *columns.shared(), *columns.optional, *columns.own)
    table = piece.table.with_fields(fields, path)
    if piece.first > 1:
        lost = [name for name in fields if name and "." in name and name not in table.columns]
        table = table._replace(columns=(*table.columns, *lost))
    source = Source(table, path)
    numbers = list(range(piece.first, piece.first + len(table.rows)))
    optional = [name for name in (*columns.optional, CHOICES) if source.has(name)]
    own = {name: source.values(name) for name in columns.own if source.has(name)}
    block = AnswerBlock(
        path.stem,
        [str(i) for i in numbers] if ids is None else ids.add(source.values(ids.name), piece.first),
        numbers,
        source.values(columns.gold),
        {system: source.values(name) for system, name in zip(systems, columns.preds, strict=True)},
        None if columns.question is None else source.values(columns.question),
        None,
        {name: source.values(name) for name in dict.fromkeys([*columns.shared(), *optional])},
        dict.fromkeys(systems, own),
        share=piece.share,
        table=piece.table,
        state=piece.state,
    )
    return block, {}


def _slices(joined: Unchecked) -> Iterator[Unchecked]:
    """Yield the same rows in blocks. The rows that were skipped are those of the first block."""
    rows, skipped = joined
    n = len(rows.ids)
    for start in range(0, max(n, 1), chunks.ROWS):
        part = slice(start, start + chunks.ROWS)
        block = selected(rows, itemgetter(part))
        share = min(1.0, part.stop / n) if n else 1.0
        table = Table(rows.table.columns, rows.table.rows[part])
        yield block._replace(share=share, table=table), skipped if start == 0 else {}


def _checked(rows: AnswerBlock, columns: Columns, path: Path) -> tuple[AnswerBlock, dict[int, str]]:
    """Return the rows whose values are all answers, and by the number of the row why the others are left out."""
    rows = rows._replace(golds=[gold if isinstance(gold, str) else structured(gold) for gold in rows.golds])
    flaws: dict[int, str] = {}
    for values, name in _values(rows, columns):
        found = answer_values.flaws_of(name, values, several=values is rows.golds)
        flaws |= {i: flaw for i, flaw in found.items() if i not in flaws}
    choices = [sources.choices(value) for value in rows.columns.get(CHOICES, ())]
    flaws |= {i: found for i, found in enumerate(choices) if isinstance(found, str) and i not in flaws}
    at = [i for i in range(len(rows.ids)) if i not in flaws]

    def kept(values: list[Any]) -> list[Any]:
        return [values[i] for i in at] if flaws else values

    block = selected(rows, kept)
    golds = answer_values.split_references(block.golds, columns.split_gold, path, block.numbers)
    if any(choices):
        golds = [_with_choices(gold, found) for gold, found in zip(golds, kept(choices), strict=True)]
    groups = None if columns.group is None else [str(value) for value in block.columns[columns.group]]
    table = rows.table.at(at) if flaws else rows.table
    return block._replace(golds=golds, groups=groups, table=table), {rows.numbers[i]: flaw for i, flaw in flaws.items()}


def _with_choices(gold: Any, choices: Sequence[str]) -> Any:
    """Return a gold answer, or each of several, with the options of its question."""
    if isinstance(gold, list):
        return [_with_choices(one, choices) for one in gold]
    return ChoiceGold(gold, choices) if choices and not isinstance(gold, StructuredGold) else gold


def _values(rows: AnswerBlock, columns: Columns) -> Iterator[tuple[list[Any], str]]:
    """Yield all columns of answers and questions, with their names in messages."""
    yield rows.golds, columns.gold
    names = columns.preds
    if len(rows.predictions) > len(names):  # one table per system
        names = tuple(f"{names[0]} of {system}" for system in rows.predictions)
    yield from zip(rows.predictions.values(), names, strict=True)
    if rows.questions is not None:
        yield rows.questions, str(columns.question)
