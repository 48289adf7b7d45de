"""Rows of speed: in turns, medians, ratios of the same round, outputs compared."""

from __future__ import annotations

import time

import numpy as np
import pytest

from benchmarks.speed_rows import Clocks, Row, compared
from tests.benchmarks.clocks import Clock


def test_a_row_has_medians_and_the_ratio_of_each_round_and_leaves_out_the_first() -> None:
    clock = Clock()
    ours, theirs = clock.program(np.array([1.0, 2.0]), 50, 1, 2, 4), clock.program(np.array([1.0, 2.5]), 99, 2, 8, 12)
    assert compared("f1", "them", ours, theirs, 3, clock=clock) == Row("f1", "them", 2, 2.0, 8.0, 3.0, 0.5)


def test_a_slow_peer_is_repeated_less_often() -> None:
    clock = Clock()
    ours, theirs = clock.program(np.array([]), 1, 1, 1), clock.program(np.array([]), 5, 5, 5)  # there is no fourth time
    assert compared("f1", "them", ours, theirs, 9, slow=4, few=2, clock=clock).ratio == 5


def test_different_numbers_of_scores_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"f1: ours gave \(1,\) numbers and them \(2,\)"):
        compared("f1", "them", lambda: np.zeros(1), lambda: np.zeros(2), 1)


def test_the_difference_of_no_pairs_is_zero() -> None:
    assert compared("f1", "them", lambda: np.zeros(0), lambda: np.zeros(0), 1, clock=iter(range(99)).__next__)[-3] == 0


def test_sleep_counts_as_wall_time_and_not_as_cpu_time() -> None:
    taken = {}
    for clock in Clocks:
        start = clock.clock()
        time.sleep(0.05)
        taken[clock] = clock.clock() - start
    assert taken[Clocks.wall] >= 0.05
    assert taken[Clocks.processor] < taken[Clocks.wall]
