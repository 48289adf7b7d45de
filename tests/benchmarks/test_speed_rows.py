"""Rows of speed: in turns, medians, ratios of the same round, outputs compared."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from answersim.types import FloatArray
from benchmarks.speed_rows import Clocks, Row, compared, table
from benchmarks.tables import text


class Clock:
    """A clock that only a program moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def program(self, numbers: list[float], *takes: float) -> Callable[[], FloatArray]:
        left = list(takes)

        def run() -> FloatArray:
            self.now += left.pop(0)
            return np.array(numbers)

        return run


def test_a_row_has_medians_and_the_ratio_of_each_round_and_leaves_out_the_first() -> None:
    clock = Clock()
    ours, theirs = clock.program([1.0, 2.0], 50, 1, 2, 4), clock.program([1.0, 2.5], 99, 2, 8, 12)
    assert compared("f1", "them", ours, theirs, 3, clock=clock) == Row("f1", "them", 2, 2.0, 8.0, 3.0, 0.5)


def test_a_slow_peer_is_repeated_less_often() -> None:
    clock = Clock()
    ours, theirs = clock.program([], 1, 1, 1), clock.program([], 5, 5, 5)  # there is no fourth time
    assert compared("f1", "them", ours, theirs, 9, slow=4, few=2, clock=clock).ratio == 5


def test_unlike_many_numbers_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"f1: ours gave \(1,\) numbers and them \(2,\)"):
        compared("f1", "them", lambda: np.zeros(1), lambda: np.zeros(2), 1)


def test_no_pairs_differ_by_nothing() -> None:
    assert compared("f1", "them", lambda: np.zeros(0), lambda: np.zeros(0), 1, clock=iter(range(99)).__next__)[-3] == 0


def test_a_table_has_a_line_a_row() -> None:
    shown = text(table("Speed", [Row("f1, short", "them", 7, 0.5, 2.0, 4.0, 2.2e-16)], ["a note"]))
    assert shown.splitlines()[-3].split() == "f1, short | them | 7 | 0.500 | 2.000 | 4.000 | 2.2e-16 | |".split()
    assert shown.endswith("a note\n")


def test_wall_time_passes_where_processor_time_does_not() -> None:
    taken = {}
    for clock in Clocks:
        start = clock.clock()
        time.sleep(0.05)
        taken[clock] = clock.clock() - start
    assert taken[Clocks.wall] >= 0.05
    assert taken[Clocks.processor] < taken[Clocks.wall]
