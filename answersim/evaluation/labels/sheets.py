"""Sheets of rows to label: a table, and beside it a plan with the id, the probability and the texts of each key.

A sheet contains the question, the gold answers and the prediction in random order, and neither the score nor the
system, so that the label cannot follow them. Spreadsheet programs rewrite and sort the cells of a table. So everything
but the labels is read from the plan, and the texts of the table are only compared with it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from answersim._base.errors import AlteredSheetWarning, warn_user
from answersim._base.io import files, output_files
from answersim._base.runtime.locks import locked
from answersim._base.text_tables import Result, counted
from answersim.answers.tables import answer_values
from answersim.answers.tables.system_columns import is_open
from answersim.evaluation.labels.human_labels import LABEL, HumanLabels, Label, Texts, value_of
from answersim.stats.few_labels.stratified import LEAST_INCLUSION

FORMAT = 4
KEY = "key"
_OPTIONS = {"rng": "rng (--seed)"}


class Drawing(NamedTuple):
    """How the rows of a sheet were drawn; see ``answersim.label``."""

    rows: int
    allocation: str
    strata: int
    rng: int
    table: int  # how many rows the table has


class ShownColumns(NamedTuple):
    """The columns that an annotator sees, in their order. There may be no id, no question and no final answer."""

    id: str | None
    question: str | None
    gold: str
    pred: str
    final: str | None = None

    @property
    def names(self) -> list[str]:
        """The names of those that there are."""
        return [name for name in self if name is not None]


@dataclass(frozen=True)
class Sheet(Result):
    """Rows to label.

    Attributes:
        rows: The texts of each drawn row by column, with its key and its label ("" if it is open).
        drawn: The id of each row, with the probability and the stratum that it was drawn with.
        columns: The columns that it shows.
        drawing: How the rows were drawn.
        path: The file of the sheet, if it has one.
    """

    rows: list[dict[str, Any]]
    drawn: list[tuple[str, float, float]]
    columns: ShownColumns
    drawing: Drawing
    path: Path | None = field(default=None, compare=False)

    def labeled(self, labels: Mapping[str, str]) -> Sheet:
        """Return a copy of the sheet with these labels, which are given by key."""
        return replace(self, rows=[row | {LABEL: labels.get(row[KEY], row[LABEL])} for row in self.rows])

    @property
    def n_open(self) -> int:
        """The number of rows without a label."""
        return sum(is_open(row[LABEL]) for row in self.rows)

    @property
    def labels(self) -> HumanLabels:
        """The labels by id, also of the rows that are open, with the texts that were labeled."""
        name, columns = str(self.path or "the sheet"), self.columns
        labels, texts = {}, {}
        for row, (id_, *inclusion_and_stratum) in zip(self.rows, self.drawn, strict=True):
            labels[id_] = Label(value_of(row[LABEL], f"{name}, key {row[KEY]}"), *inclusion_and_stratum)
            question = None if columns.question is None else row[columns.question]
            texts[id_] = Texts(question, row[columns.gold], row[columns.pred])
        return HumanLabels(labels, name=name, texts=texts, table=self.drawing.table)

    def check_drawing(self, **stated: Any) -> None:
        """Raise ValueError unless the sheet was drawn with these arguments of ``answersim.label``, as far as given."""
        for name, value in stated.items():
            held = getattr(self.drawing, name)
            if value is not None and value != held:
                raise ValueError(
                    f"{_OPTIONS.get(name, name)} is {value}, but the sheet {self.path} was drawn with {held}; "
                    "leave it out to continue with the sheet, or name another one"
                )

    def summary(self) -> list[str]:
        """Return how many rows have a label."""
        n = len(self.rows)
        where = "" if self.path is None else f"{self.path}: "
        return [f"{where}{counted(n, 'row')} to label, {n - self.n_open:,} of them labeled"]

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as they are in the sheet."""
        return self.rows


def plan_path(sheet: Path) -> Path:
    """Return the file with the plan of a sheet: sheet.csv has sheet.csv.plan.json."""
    return sheet.with_name(f"{sheet.name}.plan.json")


def alone(sheet: Path) -> AbstractContextManager[None]:
    """Hold the lock file of a sheet. Raise BlockingIOError if another process, or another call, holds it."""
    place = sheet.resolve()
    busy = f"another 'answersim label' has the sheet {sheet} open; wait for it, or name another one with --sheet"
    return locked(place.with_name(f".{place.name}.lock"), busy)


def write(sheet: Sheet, path: Path) -> Sheet:
    """Write the sheet and then its plan, both or none, and return the sheet with its path."""
    rows = {
        row[KEY]: [*drawn, *(row[name] for name in sheet.columns.names)]
        for row, drawn in zip(sheet.rows, sheet.drawn, strict=True)
    }
    plan = {"format": FORMAT, "columns": sheet.columns._asdict(), "drawing": sheet.drawing._asdict(), "rows": rows}
    save(sheet, path)
    try:
        with output_files.atomic_write(plan_path(path)) as draft:
            draft.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
    return replace(sheet, path=path)


def save(sheet: Sheet, path: Path) -> None:
    """Write the sheet only, with the labels so far."""
    files.write(files.Table(tuple(sheet.rows[0]), sheet.rows), path)


def read(path: Path) -> Sheet:
    """Read a sheet and its plan, in the order of the sheet. Blank rows are skipped.

    Texts that a spreadsheet program has rewritten, such as 1/2 as a date, are an ``AlteredSheetWarning``, and the sheet
    has those of the plan. A row with the texts of another key is an error.
    """
    if not path.is_file():
        raise FileNotFoundError(f"no sheet at {path}; 'answersim label' draws one")
    table, plan = files.read(path), plan_path(path)
    if not plan.is_file():
        raise FileNotFoundError(
            f"{path} has no plan: there is no file {plan}, which 'answersim label' writes beside it; restore it, or "
            "remove the sheet if it has no labels yet, and draw it again"
        )
    planned = _planned(plan)
    for name in (KEY, LABEL):
        if name not in table.columns:
            raise LookupError(f"{path} has no column {name!r}; its columns are: {', '.join(table.columns)}")
    numbered = {
        i: row | {KEY: str(row.get(KEY) or "").strip()}
        for i, row in enumerate(table.rows, start=1)
        if not all(map(is_open, row.values()))
    }
    places = {row[KEY]: i for i, row in enumerate(planned.rows)}
    _check_keys(path, plan, [row[KEY] for row in numbered.values()], places)
    for row in numbered.values():
        value_of(row.get(LABEL), f"{path}, key {row[KEY]}")
    order = [places[row[KEY]] for row in numbered.values()]
    own = [planned.rows[i] for i in order]
    _check_texts(path, numbered, own)
    rows = [  # the sheet may have further columns, such as remarks
        row | texts | {LABEL: "" if is_open(row.get(LABEL)) else row[LABEL]}
        for row, texts in zip(numbered.values(), own, strict=True)
    ]
    return replace(planned, path=path, rows=rows, drawn=[planned.drawn[i] for i in order])


class LabelWriter:
    """Adds labels to a sheet on disk, which other programs may save meanwhile. Their labels are kept."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._mine: dict[str, str] = {}

    def save(self, labels: Mapping[str, str]) -> Sheet:
        """Add these labels, by key, to the sheet as it is on disk now, and return it.

        A label that another program wrote is kept instead of ours. Labels of earlier calls that the file has lost,
        because another program saved an older state, are added again.
        """
        before = _state(self.path)
        sheet = read(self.path)
        there = {row[KEY]: row[LABEL] for row in sheet.rows}
        new = {
            key: label
            for key, label in {**self._mine, **labels}.items()
            if is_open(there[key])
            or (key in self._mine and value_of(there[key], "the sheet") == value_of(self._mine[key], "the sheet"))
        }
        merged = sheet.labeled(new)
        if _state(self.path) != before:  # another program has saved it since
            return self.save(labels)
        self._mine = new
        if merged != sheet:
            save(merged, self.path)
        return merged


def _state(path: Path) -> tuple[int, int, int]:
    """Return what changes when a file is saved."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _planned(plan: Path) -> Sheet:
    """Return the sheet of a plan, without labels."""
    try:
        content = json.loads(plan.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']}, but this version reads {FORMAT}")
        columns, drawing = ShownColumns(**content["columns"]), Drawing(**content["drawing"])
        rows, drawn = [], []
        for key, (id_, share, stratum, *texts) in content["rows"].items():
            cells = {name: str(text) for name, text in zip(columns.names, texts, strict=True)}
            rows.append({KEY: str(key), **cells, LABEL: ""})
            drawn.append((str(id_), float(share), float(stratum)))
        if not rows or len({id_ for id_, _, _ in drawn}) < len(drawn):
            raise ValueError("it must have rows with different ids")
        if not all(share != share or LEAST_INCLUSION <= share <= 1 for _, share, _ in drawn):
            raise ValueError(f"its probabilities must be from {LEAST_INCLUSION:g} to 1")
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        why = str(error) if type(error) is ValueError else repr(error)
        raise ValueError(
            f"{plan} is not a plan of a sheet ({why}); restore the file, or draw a new sample with 'answersim label'"
        ) from None
    return Sheet(rows, drawn, columns, drawing)


def _check_keys(path: Path, plan: Path, keys: Sequence[str], places: Mapping[str, int]) -> None:
    if unknown := [key for key in keys if key not in places]:
        raise ValueError(
            f"{path} has the key {unknown[0]!r}, which is not in {plan}; a sheet can only be read with its own plan"
        )
    present = Counter(keys)
    if twice := [key for key, times in present.items() if times > 1]:
        raise ValueError(f"{path} has the key {twice[0]!r} twice; keep one row of each key")
    if missing := [key for key in places if key not in present]:
        raise ValueError(
            f"{path} lacks {len(missing)} of {len(places)} keys, the first is {missing[0]!r}; restore the rows, and "
            f"leave their labels empty if they are not to be labeled"
        )


def _check_texts(path: Path, numbered: Mapping[int, Mapping[str, Any]], planned: Sequence[Mapping[str, str]]) -> None:
    """Check that each row has the texts of its key. A text that no other row has was rewritten, and is no error."""
    names = [name for name in planned[0] if name not in (KEY, LABEL) and name in next(iter(numbered.values()), {})]
    owners: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in planned:
        for name in names:
            owners[name, _loose(row[name])].add(row[KEY])
    moved: dict[int, str] = {}
    altered: dict[int, str] = {}
    for (number, row), own in zip(numbered.items(), planned, strict=True):
        differing = [name for name in names if _loose(row.get(name)) != _loose(own[name])]
        if not differing:
            continue
        name = next((name for name in differing if owners.get((name, _loose(row.get(name))))), differing[0])
        words = f"{name!r} is {str(row.get(name))[:60]!r}, but the row of the key {own[KEY]} has {own[name][:60]!r}"
        is_moved = len(differing) == len(names) or (name, _loose(row.get(name))) in owners
        (moved if is_moved else altered)[number] = words
    if moved:
        raise ValueError(
            f"{path}: {len(moved):,} row{'s have' if len(moved) > 1 else ' has'} other texts than those that were "
            f"drawn with the key: {answer_values.listed_rows(moved)}; a key, its texts and its label belong together: "
            "restore the sheet, or put the label beside its key"
        )
    if altered:
        words = f"{path}: {len(altered):,} row{'s have' if len(altered) > 1 else ' has'} a text that was rewritten"
        warn_user(
            AlteredSheetWarning(f"{words} ({answer_values.listed_rows(altered)}); the labels are used"), once=True
        )


def _loose(value: Any) -> str:
    """Return a text without what spreadsheet programs often change: white space, case, and the digits of a number."""
    text = " ".join(str("" if value is None else value).split()).casefold().removeprefix("'")
    try:
        return repr(float(text))
    except ValueError:
        return text
