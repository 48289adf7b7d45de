"""Labels by hand: which rows to label, a sheet to write them on, and the sheet read back by its keys.

A sheet contains the question, the gold answers and the prediction in random order, and neither the score nor the
system, so that the label cannot follow them. A second file, the plan, contains the row, the probability and the
stratum of each key.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim import files
from answersim.arguments import whole
from answersim.stats.resampling import generator
from answersim.stats.stratified import Allocation, Drawn, strata_of, stratified
from answersim.types import FloatArray

KEY, LABEL, INCLUSION, STRATUM = "key", "label", "inclusion", "stratum"
FORMAT, FORMATS = 2, (1, 2)  # written, read; format 1 has no strata
STRATA = 5
WORDS = {"y": 1.0, "yes": 1.0, "true": 1.0, "right": 1.0, "correct": 1.0}
WORDS |= {"n": 0.0, "no": 0.0, "false": 0.0, "wrong": 0.0, "incorrect": 0.0}


class Columns(NamedTuple):
    """The columns of a table that an annotator sees. There may be no question."""

    gold: str = "gold"
    pred: str = "pred"
    question: str | None = None

    def shown(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the texts of a row in the order of the sheet."""
        names = ([self.question] if self.question else []) + [self.gold, self.pred]
        return {name: row.get(name) for name in names}


class Sheet(NamedTuple):
    """Rows to label.

    Attributes:
        rows: The texts of each drawn row by column, with its key and its label ("" if it is open).
        positions: The row of each in the table, from 0.
        inclusion: The probability of each to be drawn.
        seed: The random seed of the sample.
        table: How many rows the table has.
        strata: The stratum of each; None in a plan that was written without them.
    """

    rows: list[dict[str, Any]]
    positions: list[int]
    inclusion: list[float]
    seed: int
    table: int
    strata: list[int] | None = None

    def labeled(self, labels: Mapping[str, str]) -> Sheet:
        """Return a copy of the sheet with these labels, which are given by key."""
        return self._replace(rows=[row | {LABEL: labels.get(row[KEY], row[LABEL])} for row in self.rows])

    @property
    def n_open(self) -> int:
        """The number of rows without a label."""
        return sum(is_open(row[LABEL]) for row in self.rows)


class Labels(NamedTuple):
    """The labels of a table, for ``answersim.corrected``.

    Attributes:
        labels: One per row of the table, nan if it has none; shape (N,).
        inclusion: The probability of each labeled row to be drawn, nan for the others; shape (N,).
        n_open: How many drawn rows have no label.
        strata: The stratum of each labeled row, nan for the others, shape (N,); None if the plan has none.
    """

    labels: FloatArray
    inclusion: FloatArray
    n_open: int
    strata: FloatArray | None = None


def choose(
    scores: Any, n: int, *, allocation: Allocation = "proportional", strata: int = STRATA, seed: int = 0
) -> Drawn:
    """Choose rows to label, stratified by their scores. A seed gives the same rows for the same scores each time.

    Args:
        scores: One finite number per row, shape (N,). Equal scores are in one stratum.
        n: How many rows to choose, from 1 to N.
        allocation: "proportional" takes the same share of each stratum, so every row has the same probability and the
            labels need no weights elsewhere. "equal" takes the same number from each, and so more of the rare scores:
            the intervals of ``answersim.corrected`` became 7 to 10 % narrower (``benchmarks/results/coverage.md``).
        strata: The number of strata.
        seed: The random seed.

    Raises:
        ValueError: If a number is outside its range or a score is not finite.
        LookupError: If no allocation has this name.

    >>> choose([0.1, 0.9, 0.8, 0.2], 2, strata=2, seed=3).rows.tolist()
    [0, 2]
    """
    column = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(column).all():
        at = int(np.flatnonzero(~np.isfinite(column))[0])
        raise ValueError(f"the score of row {at + 1} is {column[at]}, but rows are chosen by finite scores")
    n = whole("n", n, 1, len(column))
    # The scores are part of the seed, so that the samples of two files are independent.
    rng = generator(whole("seed", seed, 0), sha256(column.tobytes()).hexdigest())
    return stratified(strata_of(column, whole("strata", strata, 1)), n, allocation, rng)


def sheet_of(
    table: files.Table, drawn: Drawn, columns: Columns, seed: int, positions: Sequence[int] | None = None
) -> Sheet:
    """Return the sheet of these rows, blind and in random order.

    Args:
        table: The table.
        drawn: The rows, among those that have a score.
        columns: The columns that an annotator sees.
        seed: The random seed of the sample.
        positions: The row of the table of each score, from 0; all rows if not given.
    """
    places = range(len(table.rows)) if positions is None else positions
    at = [places[i] for i in drawn.rows.tolist()]
    rows = [_row(columns.shown(table.rows[i]), i, seed) for i in at]
    strata = drawn.strata[drawn.rows].tolist()
    return Sheet(rows, at, [float(drawn.inclusion[i]) for i in drawn.rows], seed, len(table.rows), strata)


def sheet_like(other: Sheet, table: files.Table, columns: Columns, where: Path) -> Sheet:
    """Return a sheet of another system for the questions of an existing sheet, in another order.

    Both answers to each question are then labeled, with one probability, as ``answersim compare`` needs them.

    Raises:
        ValueError: If the table has other gold answers or questions in these rows.
    """
    if len(table.rows) != other.table:
        raise ValueError(
            f"{where} has {len(table.rows)} rows, but the sheet was drawn from {other.table}; both files must have the "
            "same questions in the same order"
        )
    rows = []
    for row, at in zip(other.rows, other.positions, strict=True):
        texts = columns.shown(table.rows[at])
        *shared, _ = (str(files.cell(text)) for name, text in row.items() if name not in (KEY, LABEL))
        *mine, _ = (str(files.cell(text)) for text in texts.values())
        if shared[-len(mine) :] != mine[-len(shared) :]:
            raise ValueError(
                f"{where}, row {at + 1}: the gold answer or the question is {mine!r}, but the sheet has {shared!r}; "
                "both files must have the same questions in the same order"
            )
        rows.append(_row(texts, at, other.seed))
    order = sorted(range(len(rows)), key=lambda i: str(rows[i][KEY]))  # keys are digests: a random order
    return Sheet(
        [rows[i] for i in order],
        [other.positions[i] for i in order],
        [other.inclusion[i] for i in order],
        other.seed,
        other.table,
        None if other.strata is None else [other.strata[i] for i in order],
    )


def _row(texts: dict[str, Any], position: int, seed: int) -> dict[str, Any]:
    return {KEY: key_of(texts, position, seed), **texts, LABEL: ""}


def key_of(texts: dict[str, Any], position: int, seed: int) -> str:
    """Return the key of a row. It reveals neither the position nor the score, and changes with the texts.

    >>> key_of({"gold": "Rome", "pred": "Paris"}, 4, 0)
    '0375143803b0'
    """
    content = json.dumps([seed, position, list(texts.values())], ensure_ascii=True, default=str)
    return sha256(content.encode()).hexdigest()[:12]


def plan_path(sheet: Path) -> Path:
    """Return the file with the plan of a sheet: sheet.csv has sheet.csv.plan.json."""
    return sheet.with_name(f"{sheet.name}.plan.json")


def write(sheet: Sheet, path: Path) -> None:
    """Write the sheet and its plan. Each is complete or unchanged."""
    # A sheet that was made like one of format 1 has no strata either, and keeps its format.
    strata: list[list[int]] = [[]] * len(sheet.rows) if sheet.strata is None else [[number] for number in sheet.strata]
    plan = {
        "format": FORMATS[0] if sheet.strata is None else FORMAT,
        "seed": sheet.seed,
        "table": sheet.table,
        "rows": {
            row[KEY]: [position, inclusion, *stratum]
            for row, position, inclusion, stratum in zip(
                sheet.rows, sheet.positions, sheet.inclusion, strata, strict=True
            )
        },
    }
    with files.replacing(plan_path(path)) as draft:
        draft.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")
    save(sheet, path)


def save(sheet: Sheet, path: Path) -> None:
    """Write the sheet only, with the labels so far."""
    files.write(files.Table(tuple(sheet.rows[0]), sheet.rows), path)


def read(path: Path) -> Sheet:
    """Read a sheet and its plan, in the order of the sheet.

    Raises:
        FileNotFoundError: If the sheet or its plan is missing.
        LookupError: If the sheet lacks the column of the keys or of the labels.
        ValueError: If a key is unknown, repeated or missing, a label is invalid, or the plan is damaged.
    """
    table, plan = files.read(path), plan_path(path)
    if not plan.is_file():
        raise FileNotFoundError(f"{path} has no plan: there is no file {plan}, which 'answersim label' wrote beside it")
    try:
        content = json.loads(plan.read_text(encoding="utf-8"))
        places = {
            str(key): (int(row), float(share), *map(int, stratum))
            for key, (row, share, *stratum) in content["rows"].items()
        }
        known, seed, n = content["format"] in FORMATS, int(content["seed"]), int(content["table"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{plan} is not a plan of a sheet ({error!r}); draw a new sample with 'answersim label'"
        ) from None
    if not known:
        raise ValueError(
            f"{plan} has the format {content['format']}, but only {FORMATS[0]} to {FORMAT} can be read; update "
            f"answersim"
        )
    for name in (KEY, LABEL):
        if name not in table.columns:
            raise LookupError(f"{path} has no column {name!r}; its columns are: {', '.join(table.columns)}")
    keys = [str(row[KEY]) for row in table.rows]
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
    for row in table.rows:
        value_of(row[LABEL], f"{path}, key {row[KEY]}")
    at = [places[key] for key in keys]
    strata = [int(place[2]) for place in at if len(place) > 2]
    return Sheet(
        table.rows,
        [int(place[0]) for place in at],
        [place[1] for place in at],
        seed,
        n,
        strata if len(strata) == len(at) else None,
    )


def labels_of(sheet: Sheet, table: files.Table, columns: Columns, where: Path) -> Labels:
    """Return the labels of a sheet by the rows of the table that it was drawn from.

    Raises:
        ValueError: If the table is another one: it has more or fewer rows, or a drawn row has other texts.
    """
    if len(table.rows) != sheet.table:
        raise ValueError(
            f"{where} has {len(table.rows)} rows, but the sheet was drawn from {sheet.table}; give the file that it "
            "was drawn from"
        )
    labels, inclusion, strata = (np.full(len(table.rows), math.nan) for _ in range(3))
    layers = sheet.strata or [0] * len(sheet.rows)
    for row, at, share, stratum in zip(sheet.rows, sheet.positions, sheet.inclusion, layers, strict=True):
        key = key_of(columns.shown(table.rows[at]), at, sheet.seed)
        if key != row[KEY]:
            raise ValueError(
                f"{where}, row {at + 1}: its texts are not those that were labeled (key {row[KEY]}, but it has "
                f"{key}); give the same file and the same columns that the sheet was drawn from"
            )
        labels[at], inclusion[at], strata[at] = value_of(row[LABEL], f"key {key}"), share, stratum
    inclusion[np.isnan(labels)] = strata[np.isnan(labels)] = math.nan
    return Labels(labels, inclusion, sheet.n_open, None if sheet.strata is None else strata)


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
