"""Columns of a table as numbers, texts and scores, for the commands that read whole tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answersim.commands.options import ReadingOptions, RunOptions
from answersim.io import files

if TYPE_CHECKING:
    from answersim.calibration.model import Calibration
    from answersim.types import Scores


def scored(
    table: files.Table,
    path: Path,
    how: Mapping[str, Any],
    reading: ReadingOptions,
    options: Mapping[str, Any],
    run: RunOptions,
    calibration: Calibration | None = None,
) -> Scores:
    """Score the answers of a table with a metric.

    Args:
        table: The answers.
        path: The name of the table in error messages.
        how: The name, the language, the profile and the options of the metric.
        reading: The columns of the answers.
        options: Options for the network and the judge of the metric.
        run: Whether scores are stored and long work may show a progress bar.
        calibration: The calibration that converts the scores to probabilities and verdicts.
    """
    from answersim.scoring.score import score

    golds, preds, questions = answers(table, path, reading)
    return score(
        golds,
        preds,
        how["name"],
        calibration=calibration,
        question=questions,
        lang=how["lang"],
        profile=how["profile"],
        progress=run.progress,
        cache=run.store([how["name"]]),
        **{**how["options"], **options},  # the precision is in both: it is signed
    )


def answers(table: files.Table, path: Path, reading: ReadingOptions) -> tuple[Any, list[str], list[str] | None]:
    """Return the gold answers, the predictions and the questions of a table."""
    reading.columns()
    golds: Any = table.answers(reading.gold, path, several=True)
    preds = table.answers(reading.one_pred, path)
    golds = files.split_references(golds, reading.split_gold, path)
    questions = None if reading.question is None else table.answers(reading.question, path)
    return golds, preds, questions


def values(table: files.Table, name: str, path: Path) -> list[Any]:
    """Return the values of a column as texts."""
    return [str(value) for value in table.values(name, path)]


def read_rows(path: Path) -> files.Table:
    """Read a table. Raise ValueError if it has no rows."""
    table = files.read(path)
    if not table.rows:
        raise ValueError(f"{path} has no rows; give a table with at least one pair of answers")
    return table


def numbers(table: files.Table, name: str, path: Path, *, empty: bool = False) -> list[float]:
    """Return the numbers of a column; with ``empty``, nan for a cell that is empty or nan.

    Raises:
        LookupError: If the table has no such column.
        ValueError: If a cell is not a finite number. The message names the row.
    """
    column = []
    for i, cell in enumerate(table.values(name, path), start=1):
        if empty and (cell is None or (isinstance(cell, str) and not cell.strip())):
            column.append(float("nan"))
            continue
        try:
            number = float(cell)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"{path}, row {i}: {name!r} is {repr(cell)[:60]}, but it must be a number") from None
        if math.isinf(number) or (math.isnan(number) and not empty):
            raise ValueError(f"{path}, row {i}: {name!r} is {repr(cell)[:60]}, but it must be a finite number")
        column.append(number)
    return column
