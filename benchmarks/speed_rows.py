"""What a measurement of speed says: ours beside a peer's, in turns, with the outputs compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np
import typer

from answersim.types import FloatArray
from benchmarks.tables import Cell, Column, Table, difference

Program = Callable[[], FloatArray]


class Clocks(str, Enum):
    """What tells the seconds."""

    processor = "processor"
    wall = "wall"

    @property
    def clock(self) -> Callable[[], float]:
        """It."""
        return time.process_time if self is Clocks.processor else time.perf_counter

    @property
    def said(self) -> str:
        """What it tells."""
        return (
            "processor time, of all threads"
            if self is Clocks.processor
            else "wall time, of a machine without other work"
        )


CLOCK: Clocks = typer.Option(
    Clocks.processor,
    help="'processor' time of all threads, for a machine with other work; 'wall' time for one at rest.",
)


class Row(NamedTuple):
    """What ours and a peer take for the same work.

    Attributes:
        name: What was computed, and of what.
        peer: Who else computed it.
        n: Of how many pairs.
        ours_s: Seconds, the median of the repetitions.
        peer_s: The same of the peer.
        ratio: How many times as long the peer takes: the median over the repetitions.
        max_abs_diff: The largest difference of two numbers of one pair.
        limit_share: The share of what the machine could do at most; None where that is not known.
        precision: Of the floating-point numbers of an encoder; None where there is none.
    """

    name: str
    peer: str
    n: int
    ours_s: float
    peer_s: float
    ratio: float
    max_abs_diff: float
    limit_share: float | None = None
    precision: str | None = None


def compared(
    name: str,
    peer: str,
    ours: Program,
    theirs: Program,
    repetitions: int,
    *,
    slow: float = float("inf"),
    few: int = 3,
    clock: Callable[[], float] = time.process_time,
) -> Row:
    """Ours and the peer's in turns, so that what else the machine does meets both alike; a first round is not counted.

    Args:
        name: What is computed.
        peer: Who else computes it.
        ours: Gives our numbers, one a pair.
        theirs: Gives the peer's.
        repetitions: How often each is measured.
        slow: Seconds of the peer in the first round, beyond which
        few: is how often each is measured at most.
        clock: Tells the seconds.

    Raises:
        ValueError: The two give unlike many numbers.
    """
    start = clock()
    expected = theirs()
    first = clock() - start
    numbers = ours()
    if numbers.shape != expected.shape:
        raise ValueError(f"{name}: ours gave {numbers.shape} numbers and {peer} {expected.shape}")
    times = min(repetitions, few) if first > slow else repetitions
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
    """The rows as a table: a line each, in order."""
    heads = ("name", "peer", "n", "ours (s)", "peer (s)", "ratio", "difference", "limit", "precision")
    cells: list[tuple[Cell, ...]] = [(*row[:6], difference(row.max_abs_diff), *row[7:]) for row in rows]
    return Table(title, tuple(map(Column, heads)), tuple(cells), tuple(notes))


def _seconds(program: Program, clock: Callable[[], float]) -> float:
    start = clock()
    program()
    return clock() - start
