"""Measurements of speed: ours and a peer in turns, with a comparison of the outputs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np
import typer

from answersim._base.arrays import FloatArray
from benchmarks.tables import Cell, Table, difference

Program = Callable[[], FloatArray]
_FEW = 3  # the most repetitions beside a slow peer


class Clocks(str, Enum):
    """The clock of a measurement."""

    processor = "processor"
    wall = "wall"

    @property
    def clock(self) -> Callable[[], float]:
        """The function that returns the seconds."""
        return time.process_time if self is Clocks.processor else time.perf_counter

    @property
    def description(self) -> str:
        """A description of the clock for the notes of a table."""
        return "CPU time, of all threads" if self is Clocks.processor else "wall time, of a machine without other work"


CLOCK: Clocks = typer.Option(
    Clocks.processor,
    help="'processor' time of all threads, for a machine with other work; 'wall' time for one at rest.",
)


class Row(NamedTuple):
    """The times of ours and of a peer for the same work."""

    name: str  # what was computed, and the kind of pairs
    peer: str  # the other program
    n: int  # the number of pairs
    ours_s: float  # our seconds, the median of the repetitions
    peer_s: float  # the seconds of the peer, the median of the repetitions
    ratio: float  # the seconds of the peer divided by ours, the median over the repetitions
    max_abs_diff: float  # the largest difference between the two numbers of a pair
    limit_share: float | None = None  # the share of the limit of the machine; None if that is not measured
    precision: str | None = None  # the precision of the encoder; None if there is no encoder
    spent: str | None = None  # the shares of our time by kind of operation, if a profile was made


def compared(
    name: str,
    peer: str,
    ours: Program,
    theirs: Program,
    repetitions: int,
    *,
    slow: float = float("inf"),
    clock: Callable[[], float] = time.process_time,
) -> Row:
    """Measure ours and the peer in turns, so that other work on the machine affects both alike.

    The first round is not counted. ``slow``: seconds. A peer that takes longer in the first round is slow. Raise
    ValueError if the two return different numbers of values.
    """
    start = clock()
    expected = theirs()
    first = clock() - start
    numbers = ours()
    if numbers.shape != expected.shape:
        raise ValueError(f"{name}: ours gave {numbers.shape} numbers and {peer} {expected.shape}")
    times = min(repetitions, _FEW) if first > slow else repetitions
    taken = np.array([(_seconds(ours, clock), _seconds(theirs, clock)) for _ in range(times)])
    ours_s, peer_s = np.median(taken, axis=0)
    return Row(
        name=name,
        peer=peer,
        n=len(numbers),
        ours_s=float(ours_s),
        peer_s=float(peer_s),
        ratio=float(np.median(taken[:, 1] / taken[:, 0])),
        max_abs_diff=float(np.abs(numbers - expected).max(initial=0.0)),
    )


def table(title: str, rows: Sequence[Row], notes: Sequence[str] = ()) -> Table:
    """Return the rows as a table, one line per row, in order."""
    heads = ("name", "peer", "n", "ours (s)", "peer (s)", "ratio", "difference", "limit", "precision", "spent")
    cells: list[tuple[Cell, ...]] = [(*row[:6], difference(row.max_abs_diff), *row[7:]) for row in rows]
    return Table.of(title, heads, cells, notes)


def _seconds(program: Program, clock: Callable[[], float]) -> float:
    start = clock()
    program()
    return clock() - start
