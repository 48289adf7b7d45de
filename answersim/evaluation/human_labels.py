"""Human labels of some answers, found by key, by id or by row while the answers are read block by block."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim import arguments
from answersim.answers import answer_values, sources
from answersim.answers.blocks import AnswerBlock
from answersim.answers.reader import Answers
from answersim.answers.sources import Source, listed_ids, rows_by_id
from answersim.answers.stacked import StackedAnswers
from answersim.evaluation import labeling, sheets
from answersim.evaluation.correction import FEWEST_LABELS
from answersim.evaluation.labeling import INCLUSION, KEY, LABEL, STRATUM, Sheet, shown, value_of
from answersim.io import files
from answersim.types import FloatArray

SYSTEM = "system"


class SystemLabels(NamedTuple):
    """The labels of a system, one per row, nan for none; and how the labeled rows were drawn, nan for the others."""

    labels: FloatArray
    inclusion: FloatArray | None = None  # the probability of each row to be labeled; None if it is not known
    strata: FloatArray | None = None  # the stratum of each row; None if it is not known of all labeled rows


class _Label(NamedTuple):
    label: float
    inclusion: float
    stratum: float = math.nan


class _Sheet:
    """The labels of a sheet of ``answersim label``, for the systems whose texts have its keys."""

    def __init__(self, sheet: Sheet, where: Path, split_gold: str | None) -> None:
        self.where, self.split_gold, self.table, self.columns = where, split_gold, sheet.table, sheet.columns
        self.rows = dict(zip(sheet.positions, sheet.rows, strict=True))
        self.inclusion = dict(zip(sheet.positions, sheet.inclusion, strict=True))
        self.strata = dict(zip(sheet.positions, sheet.strata, strict=True))
        self.systems: set[str] | None = None
        self.found: dict[int, _Label] = {}  # by the row of the evaluation
        self.seen = 0

    def add(self, block: AnswerBlock, start: int) -> None:
        for i, number in enumerate(block.numbers):
            row = self.rows.get(number - 1)
            if row is None:
                continue
            self.seen += 1
            match = {system for system, preds in block.predictions.items() if self._is_row(row, block, i, preds[i])}
            self.systems = match if self.systems is None else self.systems & match
            value = value_of(row[LABEL], f"{self.where}, key {row[KEY]}")
            if not math.isnan(value):
                self.found[start + i] = _Label(value, self.inclusion[number - 1], self.strata[number - 1])

    def _is_row(self, row: Mapping[str, Any], block: AnswerBlock, i: int, pred: str) -> bool:
        """Return whether these texts are those that were labeled. The sheet may have a question that is not read."""
        if pred != row[self.columns.pred]:
            return False
        if self.columns.question and block.questions and block.questions[i] != row[self.columns.question]:
            return False
        gold = row[self.columns.gold]
        (split,) = answer_values.split_references([gold], self.split_gold, self.where)
        return block.golds[i] in (gold, split) or shown(block.golds[i]) == gold

    def check(self, rows: int) -> None:
        if rows != self.table:
            raise ValueError(
                f"{self.where} was drawn from a table of {self.table:,} rows, but this table has {rows:,}; give the "
                f"file that it was drawn from"
            )
        if not self.systems and self.seen:
            raise ValueError(
                f"{self.where}: the texts of its rows are not those of any system here; give the same file and the "
                "same columns that the sheet was drawn from"
            )

    def of(self, systems: Sequence[str]) -> dict[str, dict[int, _Label]]:
        return {system: self.found for system in systems if system in (self.systems or ())}


class _ById:
    """The labels of a table, by the ids of its rows."""

    def __init__(self, source: Source, id_: str, system: str | None, systems: Sequence[str]) -> None:
        self.where = source.path
        self.labels = _by_id(source, id_, system, systems)
        self.found: dict[str, dict[int, _Label]] = {name: {} for name in self.labels}
        self.missing = {name: dict.fromkeys(labels) for name, labels in self.labels.items()}

    def add(self, block: AnswerBlock, start: int) -> None:
        for name, labels in self.labels.items():
            for i, key in enumerate(block.ids):
                if key in labels:
                    self.found[name][start + i] = labels[key]
                    del self.missing[name][key]

    def check(self, rows: int) -> None:
        for name, keys in self.missing.items():
            if keys:
                raise LookupError(
                    f"{self.where} has labels for {listed_ids(list(keys))} of {name}, but the answers have no such "
                    "rows (or they were left out); give the labels of these answers, or remove those rows"
                )

    def of(self, systems: Sequence[str]) -> dict[str, dict[int, _Label]]:
        return {system: self.found[system] for system in systems if system in self.found}


class _ByRow:
    """One label per row of the table, in the same order. Predictions that the table repeats must be the same."""

    def __init__(self, labels: Sequence[_Label], where: str, system: str, preds: Sequence[Any] | None) -> None:
        self.labels, self.where, self.system, self.preds = labels, where, system, preds
        self.found: dict[int, _Label] = {}

    def add(self, block: AnswerBlock, start: int) -> None:
        for i, number in enumerate(block.numbers):
            if number > len(self.labels):
                continue  # the check at the end reports that
            if self.preds is not None and self.preds[number - 1] != block.predictions[self.system][i]:
                raise ValueError(
                    f"{self.where}, row {number}: the prediction is {str(self.preds[number - 1])[:60]!r}, but "
                    f"{self.system} answers {block.predictions[self.system][i][:60]!r}; these are labels of other rows"
                )
            if not math.isnan(self.labels[number - 1].label):
                self.found[start + i] = self.labels[number - 1]

    def check(self, rows: int) -> None:
        if len(self.labels) != rows:
            raise ValueError(
                f"{self.where} has {len(self.labels):,} labels for {rows:,} rows; give one per row, nan for no label, "
                "or a table with the ids of the labeled rows"
            )

    def of(self, systems: Sequence[str]) -> dict[str, dict[int, _Label]]:
        return {self.system: self.found}


class HumanLabels:
    """All labels of an evaluation.

    ``labels``: the sheet that ``answersim label`` wrote, beside its plan; a table with the ids of the answers, the
    column "label" and, if they were not drawn with equal probabilities, "inclusion"; one number per row (nan for no
    label); or those by the name of the system. A table may have a column "system" too. Several files are a list.
    ``pred``: the column of predictions, for a table without ids: it must repeat them. Raise FileNotFoundError,
    LookupError, TypeError or ValueError if they cannot be read, a value is not a label, it is unclear which system they
    belong to, or a system has fewer than 10.
    """

    def __init__(
        self, labels: Any, *, id: str | None, systems: Sequence[str], pred: str, split_gold: str | None
    ) -> None:
        self.systems = list(systems)
        self.joins = False  # whether rows are found by id
        self._parts: list[_Sheet | _ById | _ByRow] = []
        for system, part in _parts(labels, systems):
            self._parts.append(self._read(part, system, id or "id", pred, split_gold))
        self._n = 0

    def add(self, block: AnswerBlock) -> None:
        """Find the labels of a block. Raise ValueError if they belong to other texts."""
        for part in self._parts:
            part.add(block, self._n)
        self._n += len(block.ids)

    def of_systems(self, rows: int) -> dict[str, SystemLabels]:
        """Return the labels of each system that has any, after all blocks were added.

        ``rows``: how many rows the table has, with those that were left out. Raise LookupError or ValueError if they
        are labels of other rows, two labels are of one answer, or a system has fewer than 10.
        """
        found: dict[str, dict[int, _Label]] = {}
        for part in self._parts:
            part.check(rows)
            for system, labels in part.of(self.systems).items():
                held = found.setdefault(system, {})
                if twice := held.keys() & labels.keys():
                    raise ValueError(
                        f"{len(twice):,} answers of {system} are labeled twice, the first in row {min(twice) + 1}; "
                        "give one label per answer"
                    )
                held |= labels
        for system, labels in found.items():
            check_enough(len(labels), system)
        return {system: _filled(system, labels, self._n) for system, labels in found.items()}

    def _read(
        self, part: Any, system: str | None, id_: str, pred: str, split_gold: str | None
    ) -> _Sheet | _ById | _ByRow:
        if not sources.is_table(part) and not isinstance(part, Mapping):
            return self._of_numbers(part, system)
        source = sources.read(part, "the labels")
        is_sheet = KEY in source.table.columns and sources.is_file(part)
        if is_sheet and (sheets.plan_path(Path(part)).is_file() or not source.has(id_)):
            return _Sheet(sheets.read(Path(part)), Path(part), split_gold)
        if not source.has(LABEL):
            raise LookupError(
                f"{source.path} has no column {LABEL!r}; its columns are: {', '.join(source.table.columns)}"
            )
        if source.has(id_):
            self.joins = True
            return _ById(source, id_, system, self.systems)
        if not source.has(pred):
            raise LookupError(
                f"{source.path} has no column {id_!r} to find the rows by; add the ids of the answers (--id names the "
                f"column), or their predictions as {pred!r}, or give the sheet of 'answersim label'"
            )
        where = str(source.path)
        return _ByRow(_table_labels(source), where, _one_system(system, self.systems, where), source.values(pred))

    def _of_numbers(self, values: Any, system: str | None) -> _ByRow:
        column = arguments.numbers("labels", values, "one label per row, nan for none")
        if column.ndim != 1 or np.isinf(column).any():
            raise ValueError(
                f"labels have the shape {column.shape} or contain infinity; give one number per row, nan for no label"
            )
        owner = _one_system(system, self.systems, "labels")
        return _ByRow([_Label(float(value), math.nan) for value in column], "labels", owner, None)


def labels_for(answers: Answers, labels: Any) -> tuple[HumanLabels, Answers]:
    """Return the labels of these answers, and the answers with the column "id" if labels are found by it."""
    columns = answers.columns
    with answers.reading():  # the tables of labels have the same encoding
        given = HumanLabels(
            labels, id=columns.id, systems=answers.systems, pred=columns.preds[0], split_gold=columns.split_gold
        )
    return given, answers.with_columns(id="id") if given.joins and columns.id is None else answers


def check_enough(n: int, system: str) -> None:
    """Raise ValueError if a system has too few labels for an interval."""
    if n < FEWEST_LABELS:
        raise ValueError(
            f"{system} has {n} labels, but an interval needs at least {FEWEST_LABELS}; label more "
            "answers ('answersim label' chooses them)"
        )


def _one_system(stated: str | None, systems: Sequence[str], where: str) -> str:
    if stated is None and len(systems) > 1:
        raise ValueError(
            f"{where}: it is unclear which system these labels belong to ({', '.join(systems)}); add a column "
            f"{SYSTEM!r}, or give them by the name of the system (labels={{name: ...}}, --labels NAME=FILE)"
        )
    return systems[0] if stated is None else stated


def _parts(labels: Any, systems: Sequence[str]) -> list[tuple[str | None, Any]]:
    """Return the parts with the system of each, None if it is not stated."""
    if isinstance(labels, Mapping) and labels and set(labels) <= set(systems):
        return [(str(system), part) for system, part in labels.items()]
    if isinstance(labels, Mapping) and any(map(sources.is_table, labels.values())):
        unknown = next(name for name in labels if name not in systems)
        raise LookupError(f"labels are given for {unknown!r}, but the systems are: {', '.join(systems)}")
    if isinstance(labels, (list, tuple)) and not isinstance(labels, files.Table):
        if labels and all(map(sources.is_file, labels)):
            return [(None, part) for part in labels]
        return [(None, [math.nan if value is None else value for value in labels])]
    return [(None, labels)]


def table_labels(source: Source, label: str = LABEL) -> SystemLabels:
    """Return the labels of a table and how they were drawn, one per row.

    ``source``: the table, which may have the columns "inclusion" and "stratum" of ``answersim label``. Raise
    LookupError if there is no such column. Raise ValueError if a value is not a label, a probability or a stratum, or
    some labels have no probability.
    """
    return _of_rows(_table_labels(source, label), str(source.path))


def labels_of_columns(
    columns: Mapping[str, Sequence[Any]], label: str, name: str, places: Sequence[str]
) -> SystemLabels:
    """Return the labels in a column, with the columns "inclusion" and "stratum" if there are such columns.

    ``name``: what they are labels of, and ``places``: what to call each row, for messages. Raise ValueError as
    ``table_labels``.
    """
    return _of_rows(_labels(columns, label, places), name)


def check_uniform(source: Source, rows: Sequence[int], what: str) -> None:
    """Check that these labeled rows, from 0, were drawn with one probability, if the table has the column "inclusion".

    Raise ValueError if they were not.
    """
    if not source.has(INCLUSION):
        return
    values = source.values(INCLUSION)
    shares = [share for i in rows if not math.isnan(share := _inclusion(values[i], f"{source.path}, row {i + 1}"))]
    if shares and not math.isclose(min(shares), max(shares)):
        raise ValueError(
            f"{source.path}: the labeled rows were drawn with probabilities from {min(shares):.3g} to "
            f"{max(shares):.3g} (column {INCLUSION!r}), but {what} counts each label once, so that its shares would be "
            "wrong for the file; label rows of 'answersim label --allocation proportional', or remove the column to "
            "describe the labeled rows alone"
        )


def labeled_rows(answers: StackedAnswers, label: str, what: str) -> tuple[StackedAnswers, list[float]]:
    """Return the answers that have a label, and the labels.

    ``what``: what counts each label once, for the message of labels that were drawn with unequal probabilities. Raise
    LookupError if there is no such column. Raise ValueError if a label is not a finite number, or they were drawn with
    unequal probabilities.
    """
    labels = answers.numbers_in(label, empty=True)
    kept = [i for i, value in enumerate(labels) if value == value]
    check_uniform(Source(answers.table, answers.path), kept, what)
    return answers.at(kept), [labels[i] for i in kept]


def _of_rows(labels: Sequence[_Label], name: str) -> SystemLabels:
    return _filled(name, {i: one for i, one in enumerate(labels) if not math.isnan(one.label)}, len(labels))


def _filled(name: str, found: Mapping[int, _Label], n: int) -> SystemLabels:
    labels, inclusion, strata = (np.full(n, np.nan) for _ in range(3))
    for i, label in found.items():
        labels[i], inclusion[i], strata[i] = label
    drawn = inclusion[list(found)]
    if np.isnan(drawn).all():
        return SystemLabels(labels, None)
    if np.isnan(drawn).any():
        raise ValueError(
            f"{int(np.isnan(drawn).sum()):,} of the {len(found):,} labels of {name} have no inclusion probability; "
            "give one for each labeled row, or for none"
        )
    layers = strata[list(found)]
    return SystemLabels(labels, inclusion, None if np.isnan(layers).any() else strata)


def _table_labels(source: Source, label: str = LABEL) -> list[_Label]:
    columns = {name: source.values(name) for name in (label, INCLUSION, STRATUM) if name == label or source.has(name)}
    return _labels(columns, label, [f"{source.path}, row {row}" for row in range(1, len(columns[label]) + 1)])


def _labels(columns: Mapping[str, Sequence[Any]], label: str, places: Sequence[str]) -> list[_Label]:
    none = [None] * len(places)
    shares, strata = columns.get(INCLUSION, none), columns.get(STRATUM, none)
    labels = []
    for where, value, share, stratum in zip(places, columns[label], shares, strata, strict=True):
        number = value_of(value, where)
        drawn = (math.nan,) if math.isnan(number) else (_inclusion(share, where), _stratum(stratum, where))
        labels.append(_Label(number, *drawn))
    return labels


def _inclusion(value: Any, where: str) -> float:
    share = number_of(value)
    if share is None or share <= 0 or share > 1:
        raise ValueError(
            f"{where}: the inclusion probability is {str(value)[:40]!r}, but it must be above 0 and at most 1"
        )
    return share


def _stratum(value: Any, where: str) -> float:
    stratum = number_of(value)
    if stratum is None or math.isinf(stratum):
        raise ValueError(f"{where}: the stratum is {str(value)[:40]!r}, but it must be a number")
    return stratum


def number_of(value: Any) -> float | None:
    """Return a cell as a number, nan if it is empty, None if it is no number."""
    if labeling.is_open(value):
        return math.nan
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return None if math.isnan(number) else number


def _by_id(source: Source, id_: str, system: str | None, systems: Sequence[str]) -> dict[str, dict[str, _Label]]:
    """Return the labels by system and id. Raise ValueError if an id repeats, LookupError if there is no such system."""
    labels = _table_labels(source)
    if system is None and source.has(SYSTEM):
        owners = [str(value) for value in source.values(SYSTEM)]
        if strange := [name for name in owners if name not in systems]:
            raise LookupError(
                f"{source.path} has labels of the system {strange[0]!r}, but the systems are: {', '.join(systems)}"
            )
        rows: dict[str, list[int]] = {}
        for row, owner in enumerate(owners):
            rows.setdefault(owner, []).append(row)
    else:
        rows = {_one_system(system, systems, str(source.path)): list(range(len(labels)))}
    by_system = {}
    for name, at in rows.items():
        places = rows_by_id(Source(source.table.at(at), source.path), id_)
        of = {key: labels[at[place]] for key, place in places.items()}
        by_system[name] = {key: label for key, label in of.items() if not math.isnan(label.label)}
    return by_system
