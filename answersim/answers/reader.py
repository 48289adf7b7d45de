"""The one reader of answers: a table, a log of another tool, or a table per system.

A table has a column of predictions per system, or each system has a table, and these are joined by id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from pathlib import Path
from typing import Any

from answersim import arguments
from answersim.answers import answer_values, sources
from answersim.answers.blocks import CHOICES, ID, AnswerBlock, Columns, selected
from answersim.answers.joining import joined
from answersim.answers.sources import Source, rows_by_id
from answersim.errors import ReadingWarning, SkippedRowsWarning, SwappedColumnsWarning, warn_user
from answersim.golds import ChoiceGold, StructuredGold
from answersim.io import detection, files
from answersim.io.files import Table
from answersim.io.text_rows import lines_of

LINES = "lines"  # the format of two text files, one answer per line
_FEWEST = 10  # rows from which on the columns may look swapped
_SENTENCE = 4  # words of a gold answer that looks like the answer of a system


class Answers:
    """The tables with the answers of systems, in memory; what ``read_answers`` returns.

    ``read`` returns the answers that can be scored.

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
        flaws: By the number of the row, why it was left out.
        rows: How many rows the table has.
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
        self._stated = {"encoding": encoding, "delimiter": delimiter}
        self._table: Source
        self._tables: dict[str, Source] = {}  # by system, if each has a table
        self._references: Source | None = None
        with self.reading():
            self._open(data, references)
        for note in self._read_columns():
            warn_user(note)
        self._block = self._checked()
        for system, preds in self._block.predictions.items():
            if look_swapped(self._block.golds, preds):
                warn_user(SwappedColumnsWarning(system, self.columns.gold))
        if self.flaws:
            warn_user(SkippedRowsWarning(len(self.flaws), self.rows, answer_values.listed_rows(self.flaws)))

    def with_columns(self, **changes: Any) -> Answers:
        """Return the same answers with other columns; the arguments are fields of ``Columns``."""
        other = copy(self)
        other.columns = self.columns._replace(**changes)
        other._block = other._checked()
        return other

    def read(self) -> AnswerBlock:
        """Return the answers that can be scored."""
        return self._block

    def _checked(self) -> AnswerBlock:
        """Return the rows that can be scored. One error names all that cannot, unless they are to be left out."""
        if self._tables:
            unchecked, left_out = joined(self._tables, self._references, self.columns, self.skip_bad)
        else:
            unchecked, left_out = _of_table(self._table, self.columns, self.systems), {}
        block, flaws = _checked(unchecked, self.columns, self.path)
        self.flaws, self.rows = left_out | flaws, len(unchecked.ids) + len(left_out)
        if self.flaws and not self.skip_bad:
            raise answer_values.flawed_rows(self.path, self.flaws, "leave them out with --skip-bad (skip_bad=True)")
        if not block.ids:
            raise ValueError(f"{self.path}: no row can be scored: {answer_values.listed_rows(self.flaws)}")
        return block._replace(skipped=len(self.flaws))

    def _read_columns(self) -> list[ReadingWarning]:
        """Read the answers and questions of each table, and return notes on how."""
        notes: list[ReadingWarning] = []

        def read(found: Source) -> Source:
            texts = {}
            for name in (self.columns.gold, self.columns.question, *self.columns.preds):
                if name is not None and found.has(name):
                    golds, lists = name == self.columns.gold, self.columns.split_gold is None
                    texts[name], more = answer_values.read_column(found, name, golds=golds, lists=lists)
                    notes.extend(more)
            return found._replace(texts=texts)

        if self._tables:
            self._tables = {system: read(table) for system, table in self._tables.items()}
            self._references = None if self._references is None else read(self._references)
        else:
            self._table = read(self._table)
        return notes

    def reading(self) -> Any:
        """Return the context in which the stated encoding and delimiter apply, if any is stated."""
        return detection.read_options(**self._stated) if any(self._stated.values()) else nullcontext()

    def _open(self, data: Any, references: Any) -> None:
        if self.format == LINES:
            self._table, self.files = _read_lines(data, self.columns)
            self._name((self.files[1].stem,))
            return
        if isinstance(data, (list, tuple)) and not isinstance(data, (Table, Source)) and len(data) == 1:
            data = data if sources.is_rows(data) else data[0]
        several = sources.by_system(data)
        if several is not None:
            self._open_several(several, references)
            return
        if references is not None:
            raise ValueError(
                "references is for one table per system, but here all answers are in one table; leave it out"
            )
        self._table = sources.source(data, "the table", self.format)
        self.files = [self._table.path] if sources.is_file(data) else []
        one = len(self.columns.preds) == 1 and self._table.path.suffix
        self._name((self._table.path.stem,) if one else self.columns.preds)

    def _open_several(self, several: Mapping[str, Any], references: Any) -> None:
        if len(self.columns.preds) > 1:
            raise ValueError(
                f"there are {len(several)} tables and {len(self.columns.preds)} columns of predictions; with several "
                f"tables, give one column"
            )
        self._tables = {system: sources.source(table, system, self.format) for system, table in several.items()}
        self._references = None if references is None else sources.source(references, "the references")
        self._table = self._references or next(iter(self._tables.values()))
        self.files = [Path(table) for table in (*several.values(), references) if sources.is_file(table)]
        self._name(tuple(several))

    def _name(self, systems: tuple[str, ...]) -> None:
        self.path, self.name, self.systems = self._table.path, self._table.path.stem, systems


def is_data(value: Any) -> bool:
    """Return whether ``read_answers`` reads this, and it is not an array of numbers."""
    if isinstance(value, (Answers, Mapping)) or sources.is_table(value):
        return True
    if not isinstance(value, (list, tuple)) or not value:
        return False
    return all(map(sources.is_file, value)) or sources.is_rows(value)


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

    All tables are read into memory. A million rows with two texts of 200 characters take about 1 GB.

    Args:
        data: A file (CSV, TSV, JSON, JSON lines, Parquet, Excel), a ``pandas.DataFrame``, columns by name or a list of
            rows (mappings by the name of the column), with one or several columns of predictions. For a table per
            system: a list of files, or files or data frames by the name of the system. They are joined by ``id``. An
            ``Answers`` is returned unchanged.
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers. A value may be a list of answers that are all correct, also written as
            text, or for metrics that read it a structure: an object, or a list with objects or lists (see
            ``docs/official.md``). Numbers are read as text (see ``docs/files.md``). A column "choices" with lists of
            texts, or with lists as JSON text, has the options of multiple-choice questions.
        question: The column of the questions.
        id: The column that identifies a row. By default, it is "id"; if one table has no such column, or values that
            repeat or are empty, a row is identified by its number from 1.
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
        ValueError: If a file is malformed, a table has no rows, an id occurs twice in a table, gold answers of one id
            differ between tables, or a value is not an answer (all rows are named).
        TypeError: If data is of another type, or is an ``Answers`` and other arguments are given.

    >>> data = {"gold": ["Rome"], "a": ["in Rome"], "b": ["Paris"]}
    >>> answers = read_answers(data, pred=["a", "b"])
    >>> answers.systems
    ('a', 'b')
    >>> answers.read().predictions
    {'a': ['in Rome'], 'b': ['Paris']}
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


def look_swapped(golds: Sequence[Any], preds: Sequence[str]) -> bool:
    """Return whether gold answers look like predictions: most are longer texts that contain the other one.

    >>> look_swapped(["It is in Rome.", "I think that it is Oslo."] * 5, ["Rome", "Oslo"] * 5)
    True
    """
    if len(preds) < _FEWEST:
        return False
    longer = 0
    for gold, pred in zip(golds, preds, strict=True):
        if isinstance(gold, str) and pred.strip() and pred.strip() in gold:
            longer += len(gold.split()) >= max(_SENTENCE, 3 * len(pred.split()))
    return 2 * longer > len(preds)


def _read_lines(data: Any, columns: Columns) -> tuple[Source, list[Path]]:
    """Return the table of two text files, of gold answers and of predictions, one per line, and the files."""
    if not isinstance(data, (list, tuple)) or len(data) != 2:
        raise TypeError(f"format is {LINES!r}, but data is {arguments.shown(data)}; give two text files, gold first")
    one, other = (Path(arguments.path("data", path)) for path in data)
    if (delimiter := detection.text_format().delimiter) is not None:
        raise ValueError(f"--delimiter is {delimiter!r}, but two files of plain lines have none; leave it out")
    for file in (one, other):
        if file.suffix.lower() in files.READABLE:
            raise ValueError(f"{file} is a table, but two files are read as plain text lines; give the table alone")
        if not file.is_file():
            raise FileNotFoundError(f"no file at {file}; give two text files with one answer per line")
    if columns.question is not None:
        raise ValueError("--question names a column of a table, but two files of plain lines have none; give one table")
    if one.samefile(other):
        raise ValueError(f"{one} and {other} are the same file; give a file of gold answers and a file of predictions")
    golds, preds = (
        [line.removesuffix("\n").removesuffix("\r") for line in lines_of(file, detection.encoding_of(file))]
        for file in (one, other)
    )
    if len(golds) != len(preds):
        raise ValueError(f"{one} has {len(golds)} lines and {other} has {len(preds)}; they must correspond")
    if not golds:
        raise sources.no_rows(one)
    return Source(sources.table_of({columns.gold: golds, columns.preds[0]: preds}), one), [one, other]


def _of_table(source: Source, columns: Columns, systems: tuple[str, ...]) -> AnswerBlock:
    """Return the rows of one table, before their values are checked."""
    numbers = list(range(1, len(source.table.rows) + 1))
    id_column = columns.id or (ID if sources.identifies(source, ID) else None)
    optional = [name for name in (*columns.optional, CHOICES) if source.has(name)]
    own = {name: source.values(name) for name in columns.own if source.has(name)}
    return AnswerBlock(
        source.path.stem,
        [str(i) for i in numbers] if id_column is None else list(rows_by_id(source, id_column)),
        numbers,
        source.values(columns.gold),
        {system: source.values(name) for system, name in zip(systems, columns.preds, strict=True)},
        None if columns.question is None else source.values(columns.question),
        None,
        {name: source.values(name) for name in dict.fromkeys([*columns.shared(), *optional])},
        dict.fromkeys(systems, own),
        table=source.table,
        id_column=id_column,
    )


def _checked(rows: AnswerBlock, columns: Columns, path: Path) -> tuple[AnswerBlock, dict[int, str]]:
    """Return the rows whose values are all answers, and by the number of the row why the others are left out."""
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
