"""A labeling session on a terminal, which can stop at any row and resume later."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from answersim.answers.tables.system_columns import is_open
from answersim.evaluation.labels import sheets
from answersim.evaluation.labels.human_labels import LABEL, value_of
from answersim.evaluation.labels.sheets import KEY, Sheet

HELP = "y: correct, n: not correct, or a grade from 0 to 1; s: skip, b: back, q: stop (all labels are saved)"


def ask_on_terminal(sheet: Sheet) -> Sheet:
    """Ask for the open labels of a sheet that has a file, on this terminal. Return the sheet with the labels."""
    if sheet.path is None:
        raise ValueError("the sheet has no file, so labels cannot be saved; write it with answersim.label")
    with sheets.alone(sheet.path):
        return ask(sheet, sheets.LabelWriter(sheet.path).save, input, print)


def ask(
    sheet: Sheet,
    save: Callable[[Mapping[str, str]], Sheet],
    read_line: Callable[[str], str],
    show: Callable[[str], None],
) -> Sheet:
    """Ask for the open labels of a sheet one by one, and save after each answer.

    The end of the input or Ctrl-C stops, as "q" does. A skipped row stays open. A row that another program has labeled
    meanwhile is not asked for, and its label is kept. ``save``: adds labels, by key, to the sheet on disk, and returns
    that sheet. See ``sheets.LabelWriter``. ``read_line``: prints a prompt and returns a line; raises EOFError at the
    end. The result is the sheet on disk.
    """
    open_ = [row for row in sheet.rows if is_open(row[LABEL])]
    show(f"{len(open_)} of {len(sheet.rows)} rows {'is' if len(open_) == 1 else 'are'} open. {HELP}")
    labels: dict[str, str] = {}
    i = 0
    while i < len(open_):
        row = open_[i]
        there = next(row_there[LABEL] for row_there in sheet.rows if row_there[KEY] == row[KEY])
        if row[KEY] not in labels and not is_open(there):
            show(f"{row[KEY]}: another program has labeled this row {there}; that label is kept")
            i += 1
            continue
        answer = _answer(row, f"{i + 1}/{len(open_)} correct? ", read_line, show)
        if answer == "q":
            break
        if answer in ("s", "b"):
            i = max(0, i - 1) if answer == "b" else i + 1
            continue
        labels[row[KEY]] = answer
        sheet = save({row[KEY]: answer})
        there = next(row_there[LABEL] for row_there in sheet.rows if row_there[KEY] == row[KEY])
        if value_of(there, row[KEY]) != value_of(answer, row[KEY]):
            show(f"{row[KEY]}: another program has labeled this row {there}; that label is kept, and {answer} is not")
        i += 1
    return save({})


def _answer(row: Mapping[str, Any], prompt: str, read_line: Callable[[str], str], show: Callable[[str], None]) -> str:
    """Show a row until there is an answer: a label as a number, "s", "b" or "q"."""
    while True:
        show("")
        for name, text in row.items():
            if name not in (KEY, LABEL):
                show(f"{name + ':':<10} {_shown(text)}")
        try:
            answer = read_line(prompt).strip().lower()
        except (EOFError, KeyboardInterrupt):
            return "q"
        if answer in ("q", "s", "b"):
            return answer
        try:
            value = value_of(answer, "this answer")
        except ValueError:
            value = math.nan
        if not math.isnan(value):
            return f"{value:g}"
        show(HELP)


def _shown(text: Any) -> str:
    """Return the text of a cell on one line, without control characters."""
    line = " ".join(str(text).split())
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)
