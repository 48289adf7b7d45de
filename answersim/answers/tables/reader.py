"""The one reader of answers: a table, a log of another tool, or a table per system.

A table has a column of predictions per system, or each system has a table, and these are joined by id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from answersim._base import arguments
from answersim._base.errors import SkippedRowsWarning, SwappedColumnsWarning, warn_user
from answersim._base.io import detection, files
from answersim._base.io.files import Table
from answersim._base.io.text_rows import lines_of
from answersim.answers.tables import answer_values, options, sources
from answersim.answers.tables.sources import Source, listed_ids, rows_by_id
from answersim.answers.tables.table import CHOICES, ID, Answers, Columns, Origin

LINES = "lines"  # the format of two text files, one answer per line
_FEWEST = 10  # rows, and different sentences in a smaller share of them, from which on columns may look swapped
_MANY = 0.2  # of the gold answers that look like answers of a system; on shipped data it is 0.27 or more, or below 0.08
_SENTENCE = 4  # words of a gold answer that looks like the answer of a system


def is_data(value: Any) -> bool:
    """Return whether ``read_answers`` reads this, and it is not an array of numbers."""
    if not isinstance(value, (list, tuple)) or not value or sources.is_table(value):
        return isinstance(value, (Answers, Mapping)) or sources.is_table(value)
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
            texts, also written as text, has the options of multiple-choice questions (``docs/values.md``).
        question: The column of the questions.
        id: The column that identifies a row. By default, it is "id"; if one table has no such column, or values that
            repeat or are empty, a row is identified by its number from 1.
        group: The column of what dependent answers have in common, if it is not the question.
        references: For several tables, the table with gold answers and questions, if they are in none of them.
        split_gold: A separator between several gold answers in one value.
        skip_bad: Whether rows without an answer of every system, or without a gold answer, are left out and counted. By
            default, an empty list, a row without the column and anything but a text is an error, and null and nan mean
            that there is no answer, as an empty cell does. A note counts them.
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
    >>> answers.predictions
    {'a': ['in Rome'], 'b': ['Paris']}
    """
    if isinstance(data, Answers):
        stated_values = {"pred": pred != "pred", "gold": gold != "gold", "skip_bad": skip_bad, "split_gold": split_gold}
        stated_values |= {"question": question, "id": id, "group": group, "references": references is not None}
        stated_values |= {"format": format, "encoding": encoding, "delimiter": delimiter}
        if stated := [name for name, value in stated_values.items() if value]:
            raise TypeError(f"data is an Answers, which has its columns; give {stated[0]} to read_answers instead")
        return data
    if format is not None and (encoding or delimiter) and format != LINES:
        given_name = "encoding" if encoding else "delimiter"
        raise ValueError(f"{given_name} is given, but a log ({format}) has its own format; leave it out")
    columns = _columns(pred, gold, question, id, group, split_gold)
    skip_bad = arguments.flag("skip_bad", skip_bad)
    with detection.read_options(encoding, delimiter) if encoding or delimiter else nullcontext():
        tables, held, paths = _tables(data, references, columns, format)
    origin = Origin((held or next(iter(tables.values()))).path, paths, format)
    answers = _checked(_aligned(tables, held, columns, origin, skip_bad), skip_bad)
    _warn(answers, gold)
    return answers


def _warn(answers: Answers, gold: str) -> None:
    """Warn of columns that look swapped, and of rows that are left out."""
    for system, predictions in answers.predictions.items():
        if look_swapped(answers.golds, predictions):
            text = f"many gold answers (column {gold!r}) are longer texts that contain the prediction of {system}; if "
            remedy = "the two columns are swapped, name the other ones with --gold and --pred (gold=, pred=)"
            warn_user(SwappedColumnsWarning(text + remedy))
    if skipped := len(answers.left_out):
        rows = f"{skipped:,} of {len(answers.ids) + skipped:,} rows are left out"
        warn_user(SkippedRowsWarning(f"{rows}: {answer_values.listed_rows(answers.left_out)}"))


def _columns(pred: str | Sequence[str], gold: str, *optional: str | None) -> Columns:
    """Return the names of the columns, checked. ``optional``: the question, the id, the group, and ``split_gold``."""
    question, id_, group, split_gold = optional
    preds = (arguments.text("pred", pred),) if isinstance(pred, str) else tuple(arguments.texts("pred", pred))
    if not preds:
        raise ValueError("pred names no column; give at least one column of predictions")
    gold = arguments.text("gold", gold)
    for name, value in (("question", question), ("id", id_), ("group", group)):
        if value is not None:
            arguments.text(name, value)
    if split_gold == "":
        raise ValueError("split_gold is empty; give the text that separates references, such as '|'")
    names = [f"pred {i}" for i in range(1, len(preds) + 1)] if len(preds) > 1 else ["pred"]
    files.check_distinct_columns(gold=gold, **dict(zip(names, preds, strict=True)), question=question, id=id_)
    return Columns(gold, preds, question, id_, group, split_gold)


def _tables(
    data: Any, references: Any, columns: Columns, format: str | None
) -> tuple[dict[str, Source], Source | None, tuple[Path, ...]]:
    """Return the table of each system, that of the references, and the files. Systems of one table share it."""
    if format == LINES:
        table, (gold_file, pred_file) = _read_lines(data, columns)
        return {pred_file.stem: table}, None, (gold_file, pred_file)
    if isinstance(data, (list, tuple)) and not isinstance(data, (Table, Source)) and len(data) == 1:
        data = data if sources.is_rows(data) else data[0]
    several = sources.by_system(data)
    if several is not None:
        if len(columns.preds) > 1:
            raise ValueError(
                f"there are {len(several)} tables and {len(columns.preds)} columns of predictions; with several "
                f"tables, give one column"
            )
        held = None if references is None else sources.source(references, "the references")
        paths = tuple(Path(table) for table in (*several.values(), references) if sources.is_file(table))
        return {system: sources.source(table, system, format) for system, table in several.items()}, held, paths
    if references is not None:
        raise ValueError("references is for one table per system, but here all answers are in one table; leave it out")
    table = sources.source(data, "the table", format)
    is_default = columns.preds == ("pred",) and table.path.suffix
    systems = (table.path.stem,) if is_default else columns.preds
    return dict.fromkeys(systems, table), None, (table.path,) if sources.is_file(data) else ()


def _aligned(
    tables: dict[str, Source], references: Source | None, columns: Columns, origin: Origin, skip_bad: bool
) -> Answers:
    """Return the rows of all tables in one order, before their values are checked. Warn of how they are read."""
    nulls = not skip_bad and origin.format is None  # a log has null for samples that failed
    read = {id(table): _with_texts(table, columns, nulls) for table in (*tables.values(), *filter(None, [references]))}
    tables = {system: read[id(table)] for system, table in tables.items()}
    references = None if references is None else read[id(references)]
    left_out: Mapping[int, str] = {}
    if references is not None or len(read) > 1:
        id_column: str | None = columns.id or ID
        ids, tables, references, left_out = joined(tables, references, str(id_column), skip_bad)
        preds = dict.fromkeys(tables, columns.preds[0])
    else:
        table = next(iter(tables.values()))
        id_column = columns.id or (ID if sources.identifies(table, ID) else None)
        ids = list(map(str, table.numbered)) if id_column is None else list(rows_by_id(table, id_column))
        preds = dict(zip(tables, columns.preds, strict=True))
    try:
        predictions = {system: table.values(preds[system]) for system, table in tables.items()}
    except LookupError as error:
        remedy = "name the columns of predictions, one per system: --pred A,B (pred=['A', 'B'])"
        raise LookupError(f"{error.args[0]}; {remedy}") from None
    answers = Answers(origin, columns, ids, [], predictions, None, None, tables, references, left_out, id_column)
    return replace(
        answers,
        golds=answers.values(columns.gold),
        questions=None if columns.question is None else answers.values(columns.question),
        groups=None if columns.group is None else [str(value) for value in answers.values(columns.group)],
    )


def _with_texts(table: Source, columns: Columns, nulls: bool) -> Source:
    """Return a table with its answers and questions as read, and warn of how. ``nulls``: whether null is no answer."""
    texts = {}
    for name in (columns.gold, columns.question, *columns.preds):
        if name is not None and table.has(name):
            golds, lists = name == columns.gold, columns.split_gold is None
            texts[name], notes = answer_values.read_column(table, name, golds=golds, lists=lists, nulls=nulls)
            for note in notes:
                warn_user(note)
    return table._replace(texts=texts)


def look_swapped(golds: Sequence[Any], preds: Sequence[str]) -> bool:
    """Return whether gold answers look like predictions: many are sentences that contain the other one, few contrary.

    Half of the rows are enough, or a smaller share of them in different sentences.
    """
    if len(preds) < _FEWEST:
        return False
    holding, contrary = list[str](), list[str]()
    for gold, pred in zip(golds, preds, strict=True):
        if isinstance(gold, str):
            longer, shorter = (gold, pred) if len(gold) > len(pred) else (pred, gold)
            shorter = shorter.strip().casefold()
            is_longer = len(longer.split()) >= max(_SENTENCE, 3 * len(shorter.split()))
            if is_longer and shorter and shorter in longer.casefold():
                (holding if longer is gold else contrary).append(longer)
    is_large = len(holding) >= _MANY * len(preds) and len(set(holding)) >= _FEWEST
    return 10 * len(contrary) <= len(holding) and (is_large or 2 * len(holding) > len(preds))


def _read_lines(data: Any, columns: Columns) -> tuple[Source, tuple[Path, Path]]:
    """Return the table of two text files, of gold answers and of predictions, one per line, and the files."""
    if not isinstance(data, (list, tuple)) or len(data) != 2:
        raise TypeError(f"format is {LINES!r}, but data is {arguments.shown(data)}; give two text files, gold first")
    gold_file, pred_file = (Path(arguments.path("data", path)) for path in data)
    if (delimiter := detection.text_format()[1]) is not None:
        raise ValueError(f"--delimiter is {delimiter!r}, but two files of plain lines have none; leave it out")
    for file in (gold_file, pred_file):
        if file.suffix.lower() in files.READABLE:
            raise ValueError(f"{file} is a table, but two files are read as plain text lines; give the table alone")
        if not file.is_file():
            raise FileNotFoundError(
                f"no file at {file}; give two text files with one answer per line, or one pair: --gold TEXT --pred TEXT"
            )
    if columns.question is not None:
        raise ValueError("--question names a column of a table, but two files of plain lines have none; give one table")
    if gold_file.samefile(pred_file):
        raise ValueError(
            f"{gold_file} and {pred_file} are the same file; give a file of gold answers and a file of predictions"
        )
    golds, preds = (
        [line.removesuffix("\n").removesuffix("\r") for line in lines_of(file, detection.encoding_of(file))]
        for file in (gold_file, pred_file)
    )
    if len(golds) != len(preds):
        raise ValueError(f"{gold_file} has {len(golds)} lines and {pred_file} has {len(preds)}; they must correspond")
    if not golds:
        raise sources.no_rows(gold_file)
    return Source(sources.table_of({columns.gold: golds, columns.preds[0]: preds}), gold_file), (gold_file, pred_file)


def _checked(answers: Answers, skip_bad: bool) -> Answers:
    """Return the rows whose values are all answers. One error names all others, unless they are to be left out."""
    columns, numbers, names = answers.columns, answers.numbers, answers.columns.preds
    if len(answers.predictions) > len(names):  # one table per system
        names = tuple(f"{names[0]} of {system}" for system in answers.predictions)
    texts = [(columns.gold, answers.golds), *zip(names, answers.predictions.values(), strict=True)]
    texts += [] if answers.questions is None else [(str(columns.question), answers.questions)]
    flaws: dict[int, str] = {}
    for name, values in texts:
        flaws = answer_values.flaws_of(name, values, several=values is answers.golds) | flaws
    cells = answers.values(CHOICES) if answers.has(CHOICES) else []
    flaws = {i: flaw for i, cell in enumerate(cells) if (flaw := options.flaw(cell))} | flaws
    left_out = {**answers.left_out, **{numbers[i]: flaw for i, flaw in flaws.items()}}
    if left_out and not skip_bad:
        raise answer_values.flawed_rows(answers.path, left_out, "leave them out with --skip-bad (skip_bad=True)")
    at = [i for i in range(len(answers.ids)) if i not in flaws]
    if not at:
        raise ValueError(f"{answers.path}: no row can be scored: {answer_values.listed_rows(left_out)}")
    complete = replace(answers.at(at) if flaws else answers, left_out=left_out)
    golds = answer_values.split_references(complete.golds, columns.split_gold, complete.path, complete.numbers)
    if cells:
        golds, notes = options.with_options(golds, [cells[i] for i in at], str(complete.path), complete.numbers)
        for note in notes:
            warn_user(note)
    return replace(complete, golds=golds)


def joined(
    tables: Mapping[str, Source], references: Source | None, id_: str, skip_bad: bool
) -> tuple[list[str], dict[str, Source], Source | None, dict[int, str]]:
    """Return the rows that all tables have, in the order of the first table, or of the references.

    The result: the ids, the tables by system, the references, and by the number of the row of the first table, or of
    the references, why it is left out. Raise LookupError if a system lacks a row, unless it is to be left out.
    """
    first = next(iter(tables.values())) if references is None else references
    order = rows_by_id(first, id_)
    places = {system: rows_by_id(source, id_) for system, source in tables.items()}
    problems: list[str] = []
    left_out: dict[int, str] = {}
    for system, source in tables.items():
        lacking = [key for key in order if key not in places[system]]
        strange = [key for key in places[system] if key not in order]
        if lacking:
            problems.append(f"{source.path} lacks {listed_ids(lacking)} of {first.path}")
            left_out |= {order[key] + 1: f"{source.path} has no row with the id {key!r}" for key in lacking}
        if strange:
            problems.append(f"{source.path} has {listed_ids(strange)} that {first.path} lacks")
    if problems and not skip_bad:
        raise LookupError(
            f"{'; '.join(problems)}. All systems must answer the same questions: leave those rows out with --skip-bad "
            "(skip_bad=True)"
        )
    for problem in problems:
        warn_user(UserWarning(f"{problem}; these rows are left out"))
    ids = [key for key in order if all(key in place for place in places.values())]
    at = {system: source.at([places[system][key] for key in ids]) for system, source in tables.items()}
    return ids, at, None if references is None else references.at([order[key] for key in ids]), left_out
