"""What changed between two systems: the changed rows, and the verdicts that numerical noise can change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from answersim._base.arguments import between
from answersim.calibration.verdicts import Decided
from answersim.evaluation.data.labeled import read_csv
from answersim.types import Metric, capabilities

# of the rows: "went wrong" was right and is wrong or unsure; "became right" was wrong or unsure and is right
CHANGES = ("went wrong", "became right", "lower", "higher")

# The largest difference of a score in bf16 from the one in fp32, in benchmarks/results/precision.md. A verdict that
# depends on less depends on the machine. Other metrics that run a network get the largest of these.
NOISE = {row["metric"]: float(row["noise"]) for row in read_csv(Path(__file__).parents[1] / "data" / "noise.csv")}


class ChangedRow(NamedTuple):
    """A question whose score differs between two systems."""

    row: int  # its position, from 0
    # "went wrong" if the answer of the first system is right and that of the second one is not (wrong or unsure),
    # "became right" if it is the other way round, else "lower" or "higher"
    change: str
    first: float  # the score of the first system
    second: float  # the score of the second system
    id: str = ""  # what identifies the row in its table; "" of values in memory


def changed(first: Decided, second: Decided, noise: float, ids: Sequence[str] | None = None) -> tuple[ChangedRow, ...]:
    """Return the rows that went wrong, became right, or whose scores differ by more than the noise, in this order."""
    right, right_then = first.right(), second.right()
    moved = np.zeros(len(first.scores), dtype=bool) if right is None or right_then is None else right != right_then
    gaps = second.scores - first.scores
    kinds = np.where(gaps < 0, CHANGES.index("lower"), CHANGES.index("higher"))
    if right_then is not None:
        kinds[moved] = np.where(right_then[moved], CHANGES.index("became right"), CHANGES.index("went wrong"))
    rows = np.flatnonzero(moved | (np.abs(gaps) > noise))
    rows = rows[np.lexsort((-np.abs(gaps[rows]), kinds[rows]))]
    columns = (rows, kinds[rows], first.scores[rows], second.scores[rows])
    return tuple(
        [
            ChangedRow(row, CHANGES[kind], before, after, "" if ids is None else ids[row])
            for row, kind, before, after in zip(*(column.tolist() for column in columns), strict=True)
        ]
    )


def noise_of(metric: Metric | None, name: str, noise: float | None = None) -> float:
    """Return the given noise, or that of the metric of the scores; 0 for numbers, which have no metric."""
    if noise is not None:
        return between("noise", noise, 0, np.inf, ends=True)
    if metric is None or capabilities(metric).cost != "model":  # a record of a service is replayed exactly
        return 0.0
    return NOISE.get(name, max(NOISE.values()))
