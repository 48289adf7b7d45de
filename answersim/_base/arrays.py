"""Arrays of scores, the ends of an interval, and runs of rows that fit in memory."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]

DataFrame: TypeAlias = Any
"""A ``pandas.DataFrame``. A type checker that followed pandas would also read scipy, for ten seconds."""


class Interval(NamedTuple):
    """Lower and upper end of a confidence interval."""

    low: float
    high: float


def runs(sizes: Iterable[int], most: int, rows: int = sys.maxsize) -> Iterator[tuple[int, int]]:
    """Yield the start and stop of runs of rows whose sizes add up to at most this. Each has at least one row.

    >>> list(runs([3, 3, 3, 9, 1], 6))
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    start = total = stop = 0
    for size in sizes:
        if stop > start and (total + size > most or stop - start >= rows):
            yield start, stop
            start, total = stop, 0
        stop, total = stop + 1, total + size
    if stop:
        yield start, stop
