"""Sheets of rows to label on disk: a table, and beside it a plan with the row, probability and texts of each key.

Spreadsheet programs rewrite and sort the cells of a table. So everything but the labels is read from the plan, and the
texts of the table are only compared with it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from answersim.answers import answer_values
from answersim.errors import AlteredSheetWarning, warn_user
from answersim.evaluation.labeling import KEY, LABEL, Columns, Sheet, is_open, value_of
from answersim.io import files, output_files
from answersim.runtime.locks import locked

FORMAT = 3


def plan_path(sheet: Path) -> Path:
    """Return the file with the plan of a sheet: sheet.csv has sheet.csv.plan.json."""
    return sheet.with_name(f"{sheet.name}.plan.json")


def alone(sheet: Path) -> AbstractContextManager[None]:
    """Hold the lock file of a sheet. Raise BlockingIOError if another process, or another call, holds it."""
    place = sheet.resolve()
    busy = f"another 'answersim label' has the sheet {sheet} open; wait for it, or name another one with --sheet"
    return locked(place.with_name(f".{place.name}.lock"), busy)


def write(sheet: Sheet, path: Path) -> Sheet:
    """Write the sheet and its plan, and return it with its path. Each file is complete or unchanged."""
    places = zip(sheet.rows, sheet.positions, sheet.inclusion, sheet.strata, strict=True)
    shown = _shown_columns(sheet.columns)
    plan = {
        "format": FORMAT,
        "table": sheet.table,
        "columns": sheet.columns._asdict(),
        "seed": sheet.seed,
        "allocation": sheet.allocation,
        "strata": sheet.n_strata,
        "rows": {
            row[KEY]: [position, inclusion, stratum, *(row[name] for name in shown)]
            for row, position, inclusion, stratum in places
        },
    }
    with output_files.atomic_write(plan_path(path)) as draft:
        draft.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")
    save(sheet, path)
    return replace(sheet, path=path)


def save(sheet: Sheet, path: Path) -> None:
    """Write the sheet only, with the labels so far."""
    files.write(files.Table(tuple(sheet.rows[0]), sheet.rows), path)


def read(path: Path) -> Sheet:
    """Read a sheet and its plan, in the order of the sheet. Blank rows are skipped.

    Texts that a spreadsheet program has rewritten, such as 1/2 as a date, are an ``AlteredSheetWarning``. The sheet has
    those of the plan. Raise FileNotFoundError if the sheet or its plan is missing, LookupError if the sheet lacks the
    column of the keys or of the labels. Raise ValueError if a key is unknown, repeated or missing, a row has the texts
    of another key, a label is invalid, or the plan is damaged.
    """
    if not path.is_file():
        raise FileNotFoundError(f"no sheet at {path}; 'answersim label' without --read draws one")
    table, plan = files.read(path), plan_path(path)
    if not plan.is_file():
        raise FileNotFoundError(f"{path} has no plan: there is no file {plan}, which 'answersim label' wrote beside it")
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
    found = planned.ordered([places[row[KEY]] for row in numbered.values()])
    _check_texts(path, numbered, found.rows)
    rows = [  # the sheet may have further columns, such as remarks
        row | own | {LABEL: "" if is_open(row.get(LABEL)) else row[LABEL]}
        for row, own in zip(numbered.values(), found.rows, strict=True)
    ]
    return replace(found, path=path, rows=rows)


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
            if is_open(there[key]) or (key in self._mine and _equal(there[key], self._mine[key]))
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


def _equal(one: Any, other: Any) -> bool:
    return value_of(one, "the sheet") == value_of(other, "the sheet")


def _shown_columns(columns: Columns) -> list[str]:
    return list(columns.shown({}))


def _planned(plan: Path) -> Sheet:
    """Return the sheet of a plan, without labels."""
    try:
        content = json.loads(plan.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']}, but this version reads {FORMAT}")
        columns, n = Columns(**content["columns"]), int(content["table"])
        names = _shown_columns(columns)
        rows, places = [], []
        for key, (position, share, stratum, *texts) in content["rows"].items():
            rows.append(
                {KEY: str(key), **{name: str(text) for name, text in zip(names, texts, strict=True)}, LABEL: ""}
            )
            places.append((int(position), float(share), int(stratum)))
        at, shares, strata = map(list, zip(*places, strict=True))
        if not all(0 <= position < n for position in at) or len(set(at)) < len(at):
            raise ValueError(f"its rows must be different ones from 0 to {n - 1}")
        if not all(0 < share <= 1 for share in shares):
            raise ValueError("its probabilities must be above 0 and at most 1")
        how = int(content["seed"]), str(content["allocation"]), int(content["strata"])
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        why = str(error) if type(error) is ValueError else repr(error)
        raise ValueError(
            f"{plan} is not a plan of a sheet ({why}); restore the file, or draw a new sample with 'answersim label'"
        ) from None
    return Sheet(rows, at, shares, strata, n, columns, *how)


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
