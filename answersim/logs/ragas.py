"""Data sets of ragas, ``.csv`` and ``.jsonl``: user_input, reference and response of each sample.

Read with ragas 0.4.3; also the names of its versions before 0.2 (question, ground_truth, answer). A generated test set
has no answers yet: add a column ``response``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answersim.io import chunks
from answersim.logs.rows import last_user_text, row

_NAMES = {  # the columns that each of ours may have in ragas, the newest first
    "question": ("user_input", "question"),
    "gold": ("reference", "ground_truth", "ground_truths"),
    "pred": ("response", "answer"),
}


def matches(path: Path, head: bytes) -> bool:
    """Return whether this is a data set of ragas, by the names in the first line."""
    first = head.partition(b"\n")[0]
    if b"user_input" in first:
        return b"reference" in first or b"response" in first
    return b"ground_truth" in first and b"question" in first


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the row of each sample. Raise LookupError if there is no column of references, or none of responses."""
    for piece in chunks.pieces(path):
        if piece.first == 1 and not piece.table.rows:
            return
        names = {ours: _column(piece.table.columns, ours, path) for ours in _NAMES}
        for i, record in enumerate(piece.table.rows, start=piece.first):
            gold = record.get(names["gold"])
            golds = gold if isinstance(gold, list) else [gold]
            yield row(i, last_user_text(record.get(names["question"])), golds, record.get(names["pred"]))


def _column(columns: tuple[str, ...], ours: str, path: Path) -> str:
    for name in _NAMES[ours]:
        if name in columns:
            return name
    what = "ragas"
    if ours == "pred":
        what = "answers; a generated test set has none: run your system, and add its answers as the column 'response'"
    raise LookupError(
        f"{path} has no column {' or '.join(map(repr, _NAMES[ours]))} of {what}; its columns are {', '.join(columns)}"
    )
