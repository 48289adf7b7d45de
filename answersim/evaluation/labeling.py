"""Labels by hand: which rows to label, the sheet that shows them, and the labels by the rows of the table.

A sheet contains the question, the gold answers and the prediction in random order, and neither the score nor the
system, so that the label cannot follow them. ``sheets`` writes and reads it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim.arguments import seed as seed_of
from answersim.arguments import whole
from answersim.extraction.extractor import extractor
from answersim.io import files
from answersim.stats.resampling import generator
from answersim.stats.stratified import INCLUSION as INCLUSION
from answersim.stats.stratified import STRATUM as STRATUM
from answersim.stats.stratified import Allocation, Drawn, strata_of, stratified
from answersim.text_tables import Result, counted
from answersim.types import FloatArray, Rng

KEY, LABEL = "key", "label"
FINAL_ANSWER = "final answer"
_OPTIONS = {"rng": "rng (--seed)"}
STRATA = 5
WORDS = {"y": 1.0, "yes": 1.0, "true": 1.0, "right": 1.0, "correct": 1.0}
WORDS |= {"n": 0.0, "no": 0.0, "false": 0.0, "wrong": 0.0, "incorrect": 0.0}


class Columns(NamedTuple):
    """The columns of a table that an annotator sees. There may be no question and no id.

    ``extract`` is the rule that reads the final answer out of the prediction, as in a signature ("auto.2"), or None.
    """

    gold: str = "gold"
    pred: str = "pred"
    question: str | None = None
    id: str | None = None
    extract: str | None = None

    def texts(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the question, the gold answers and the prediction of a row, which decide its key."""
        names = ([self.question] if self.question else []) + [self.gold, self.pred]
        return {name: row.get(name) for name in names}

    def shown(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Return what an annotator sees of a row, in the order of the sheet: several gold answers with "or" between.

        >>> Columns().shown({"gold": ["Rome", "Roma"], "pred": "Oslo"})
        {'gold': 'Rome or Roma', 'pred': 'Oslo'}
        """
        cells = ({self.id: row.get(self.id)} if self.id else {}) | self.texts(row)
        if (rule := extractor(self.extract)) is not None:
            cells[FINAL_ANSWER] = rule(str(row.get(self.pred, ""))).text
        return {name: shown(value) for name, value in cells.items()}


def shown(value: Any) -> str:
    """Return a cell as an annotator sees it."""
    texts = value if isinstance(value, list) else [value]
    return " or ".join("" if text is None else str(text) for text in texts)


@dataclass(frozen=True)
class Sheet(Result):
    """Rows to label.

    Attributes:
        rows: The texts of each drawn row by column, with its key and its label ("" if it is open).
        positions: The row of each in the table, from 0.
        inclusion: The probability of each to be drawn.
        strata: The stratum of each.
        table: How many rows the table has.
        columns: The columns of the table that the sheet shows.
        seed: The random seed of the sample.
        allocation: How the rows were allocated to the strata.
        n_strata: The maximum number of strata.
        path: The file of the sheet, if it has one.
    """

    rows: list[dict[str, Any]]
    positions: list[int]
    inclusion: list[float]
    strata: list[int]
    table: int
    columns: Columns
    seed: int
    allocation: str
    n_strata: int
    path: Path | None = field(default=None, compare=False)

    def labeled(self, labels: Mapping[str, str]) -> Sheet:
        """Return a copy of the sheet with these labels, which are given by key."""
        return replace(self, rows=[row | {LABEL: labels.get(row[KEY], row[LABEL])} for row in self.rows])

    def ordered(self, order: Sequence[int]) -> Sheet:
        """Return the rows at these positions of the sheet, in this order."""
        names = ("rows", "positions", "inclusion", "strata")
        columns: dict[str, Any] = {name: [getattr(self, name)[i] for i in order] for name in names}
        return replace(self, **columns)

    @property
    def n_open(self) -> int:
        """The number of rows without a label."""
        return sum(is_open(row[LABEL]) for row in self.rows)

    def check_drawing(self, **given: Any) -> None:
        """Check that the sheet was drawn in this way, so that a call can be repeated.

        Args:
            given: Arguments of ``answersim.label``: rows, allocation, strata, rng. None is not compared.

        Raises:
            ValueError: If it was drawn in another way.
        """
        held = {"rows": len(self.rows), "allocation": self.allocation, "strata": self.n_strata, "rng": self.seed}
        for name, value in given.items():
            if value is not None and value != held[name]:
                raise ValueError(
                    f"{_OPTIONS.get(name, name)} is {value}, but the sheet {self.path} was drawn with {held[name]}; "
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


@dataclass(frozen=True)
class Labels(Result):
    """The labels of a table, for ``answersim.estimate_mean``.

    Attributes:
        labels: One per row of the table, nan if it has none; shape (N,).
        inclusion: The probability of each labeled row to be drawn, nan for the others; shape (N,).
        n_open: How many drawn rows have no label.
        strata: The stratum of each labeled row, nan for the others, shape (N,).
    """

    labels: FloatArray
    inclusion: FloatArray
    n_open: int
    strata: FloatArray

    @property
    def columns(self) -> dict[str, FloatArray]:
        """The columns "label", "inclusion" and "stratum", by which every command knows the labels of a table."""
        return {LABEL: self.labels, INCLUSION: self.inclusion, STRATUM: self.strata}

    def summary(self) -> list[str]:
        """Return how many rows have a label."""
        n = len(self.labels) - int(np.isnan(self.labels).sum())
        return [f"{n:,} of {counted(len(self.labels), 'row')} labeled; {self.n_open:,} drawn without a label"]

    def records(self) -> list[dict[str, Any]]:
        """Return the label, the probability and the stratum of each row of the table, None if it has none."""
        columns = ([None if value != value else value for value in values.tolist()] for values in self.columns.values())
        return [dict(zip(self.columns, values, strict=True)) for values in zip(*columns, strict=True)]


def choose(
    scores: Any, n: int, *, allocation: Allocation = "proportional", strata: int = STRATA, rng: Rng = 0
) -> Drawn:
    """Choose rows to label, stratified by their scores. A seed gives the same rows for the same scores each time.

    ``scores``: one finite number per row, shape (N,). Equal scores are in one stratum. ``allocation``: "proportional"
    takes the same share of each stratum, so every row has the same probability and the labels need no weights
    elsewhere. "equal" takes the same number from each, and so more of the rare scores: the intervals of
    ``answersim.estimate_mean`` became 7 to 10 % narrower (``benchmarks/results/coverage.md``). Raise ValueError if a
    number is outside its range or a score is not finite, LookupError if no allocation has this name.

    >>> choose([0.1, 0.9, 0.8, 0.2], 2, strata=2, rng=3).rows.tolist()
    [0, 2]
    """
    column = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(column).all():
        at = int(np.flatnonzero(~np.isfinite(column))[0])
        raise ValueError(f"the score of row {at + 1} is {column[at]}, but rows are chosen by finite scores")
    if whole("n", n, 1) > len(column):
        raise ValueError(
            f"n is {n:,}, but the file has {len(column):,} row{'s' if len(column) != 1 else ''} to draw from; give a "
            "smaller n"
        )
    # The scores are part of the seed, so that the samples of two files are independent.
    rng = generator(seed_of("rng", rng), sha256(column.tobytes()).hexdigest())
    return stratified(strata_of(column, whole("strata", strata, 1)), n, allocation, rng)


def sheet_of(
    table: files.Table,
    drawn: Drawn,
    columns: Columns,
    seed: int,
    positions: Sequence[int] | None = None,
    *,
    allocation: str = "proportional",
    strata: int = STRATA,
) -> Sheet:
    """Return the sheet of these rows, blind and in random order.

    ``drawn``: the rows, among those that have a score. ``positions``: the row of the table of each score, from 0; all
    rows if not given.
    """
    places = range(len(table.rows)) if positions is None else positions
    at = [places[i] for i in drawn.rows.tolist()]
    return Sheet(
        [_row(table.rows[i], columns, i, seed) for i in at],
        at,
        [float(drawn.inclusion[i]) for i in drawn.rows],
        drawn.strata[drawn.rows].tolist(),
        len(table.rows),
        columns,
        seed,
        allocation,
        strata,
    )


def sheet_like(other: Sheet, table: files.Table, columns: Columns, where: Path) -> Sheet:
    """Return a sheet of another system for the questions of an existing sheet, in another order.

    Both answers to each question are then labeled, with one probability, as ``answersim compare`` needs them. Raise
    ValueError if the table has other gold answers or questions in these rows.
    """
    if len(table.rows) != other.table:
        raise ValueError(
            f"{where} has {len(table.rows)} rows, but the sheet was drawn from {other.table}; both files must have the "
            "same questions in the same order"
        )
    rows = []
    for row, at in zip(other.rows, other.positions, strict=True):
        pairs = [(columns.gold, other.columns.gold)]
        if columns.question and other.columns.question:
            pairs.append((columns.question, other.columns.question))
        mine = columns.shown(table.rows[at])
        for name, theirs in pairs:
            if mine[name] != row[theirs]:
                raise ValueError(
                    f"{where}, row {at + 1}: {name!r} is {mine[name][:60]!r}, but the sheet has {row[theirs][:60]!r}; "
                    "both files must have the same questions in the same order"
                )
        rows.append(_row(table.rows[at], columns, at, other.seed))
    order = sorted(range(len(rows)), key=lambda i: str(rows[i][KEY]))  # keys are digests: a random order
    return replace(other, rows=rows, columns=columns).ordered(order)


def _row(row: Mapping[str, Any], columns: Columns, position: int, seed: int) -> dict[str, Any]:
    return {KEY: key_of(columns.texts(row), position, seed), **columns.shown(row), LABEL: ""}


def key_of(texts: Mapping[str, Any], position: int, seed: int) -> str:
    """Return the key of a row. It reveals neither the position nor the score, and changes with the texts.

    It begins with a letter, so that no spreadsheet program takes it for a number.

    >>> key_of({"gold": "Rome", "pred": "Paris"}, 4, 0)
    'k0375143803b0'
    """
    content = json.dumps([seed, position, list(texts.values())], ensure_ascii=True, default=str)
    return f"k{sha256(content.encode()).hexdigest()[:12]}"


def labels_of(sheet: Sheet, table: files.Table, columns: Columns, where: Path) -> Labels:
    """Return the labels of a sheet by the rows of the table that it was drawn from.

    Raise ValueError if the table is another one: it has more or fewer rows, or a drawn row has other texts.
    """
    if len(table.rows) != sheet.table:
        raise ValueError(
            f"{where} has {len(table.rows)} rows, but the sheet was drawn from {sheet.table}; give the file that it "
            "was drawn from"
        )
    labels, inclusion, strata = (np.full(len(table.rows), math.nan) for _ in range(3))
    for row, at, share, stratum in zip(sheet.rows, sheet.positions, sheet.inclusion, sheet.strata, strict=True):
        key = key_of(columns.texts(table.rows[at]), at, sheet.seed)
        if key != row[KEY]:
            raise ValueError(
                f"{where}, row {at + 1}: its texts are not those that were labeled (key {row[KEY]}, but it has "
                f"{key}); give the same file and the same columns that the sheet was drawn from"
            )
        labels[at], inclusion[at], strata[at] = value_of(row[LABEL], f"key {key}"), share, stratum
    inclusion[np.isnan(labels)] = strata[np.isnan(labels)] = math.nan
    return Labels(labels, inclusion, sheet.n_open, strata)


def is_open(value: Any) -> bool:
    """Return whether a cell has no label: it is empty, null or nan."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def value_of(value: Any, where: str) -> float:
    """Return a label as a number, nan if the cell is empty.

    >>> [value_of(value, "here") for value in ("1", "No", 0.5, True)]
    [1.0, 0.0, 0.5, 1.0]

    Raises:
        ValueError: If it is neither a number from 0 to 1 nor one of yes, no, right, wrong and so on.
    """
    if is_open(value):
        return math.nan
    text = str(value).strip().lower()
    try:
        number = WORDS[text] if text in WORDS else float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise ValueError(
            f"{where}: the label is {str(value)[:40]!r}, but a label is 1 (correct), 0 (not correct), a grade between, "
            f"one of {', '.join(WORDS)}, or empty"
        )
    return number
