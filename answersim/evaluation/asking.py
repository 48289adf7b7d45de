"""A labeling session on a terminal, which can stop at any row and resume later."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from answersim.evaluation.labeling import KEY, LABEL, Sheet, is_open, value_of

HELP = "y: correct, n: not correct, or a grade from 0 to 1; s: skip, b: back, q: stop (all labels are saved)"


def ask(
    sheet: Sheet,
    save: Callable[[Mapping[str, str]], None],
    read_line: Callable[[str], str],
    show: Callable[[str], None],
) -> dict[str, str]:
    """Ask for the open labels of a sheet one by one, and save after each answer.

    The end of the input or Ctrl-C stops, as "q" does. A skipped row stays open.

    Args:
        sheet: The rows.
        save: Receives the new labels by key, after each answer.
        read_line: Prints a prompt and returns a line; raises EOFError at the end.
        show: Prints a line.

    Returns:
        The new labels by key.
    """
    open_ = [row for row in sheet.rows if is_open(row[LABEL])]
    show(f"{len(open_)} of {len(sheet.rows)} rows are open. {HELP}")
    given: dict[str, str] = {}
    i = 0
    while i < len(open_):
        row = open_[i]
        show("")
        for name, text in row.items():
            if name not in (KEY, LABEL):
                show(f"{name + ':':<10} {_shown(text)}")
        try:
            answer = read_line(f"{i + 1}/{len(open_)} correct? ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            break
        if answer == "q":
            break
        if answer in ("s", "b"):
            i = max(0, i - 1) if answer == "b" else i + 1
            continue
        try:
            value = value_of(answer, "this answer")
        except ValueError:
            value = math.nan
        if math.isnan(value):
            show(HELP)
            continue
        given[row[KEY]] = f"{value:g}"
        save(given)
        i += 1
    return given


def _shown(text: Any) -> str:
    """Return the text of a cell on one line, without control characters; several references with "or" between."""
    texts: Sequence[Any] = text if isinstance(text, list) else [text]
    line = " or ".join(" ".join(str(one).split()) for one in texts)
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)
