"""Rows of adapters: all ways on the same rows in turns, their numbers compared, micro-batches in fewer calls."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from answersim.types import FloatArray, Pair
from benchmarks.speed_adapters import NAIVE, AdapterRow, Program, Way, programs, rows, table
from benchmarks.tables import text
from tests.benchmarks.clocks import Clock
from tests.benchmarks.programs import invoke

PAIRS = [Pair("gold", "x" * n) for n in range(1, 33)]


class Lengths:
    """The length of the prediction. It counts its calls."""

    signature = "lengths|v:1"

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        self.calls += 1
        return np.array([float(len(pair.pred)) for pair in pairs])


def test_all_ways_give_the_numbers_of_the_loop_and_micro_batches_need_fewer_calls() -> None:
    lengths = Lengths()
    calls = {}
    for name, way in programs(lengths, 16).items():
        lengths.calls = 0
        assert list(way.program(PAIRS)) == list(range(1, 33)), name
        calls[name] = lengths.calls
    assert calls["plain loop"] == calls[NAIVE] == 32
    assert calls["micro-batches, awaits"] < 16  # two, unless the machine is busy
    assert calls["score_pairs, one call"] == 1


def test_caches_are_emptied_before_each_round_and_the_first_round_is_left_out() -> None:
    lengths, clock = Lengths(), Clock()

    def taking(program: Program, *seconds: float) -> Program:
        wait = clock.program(None, *seconds)
        return lambda pairs: (wait(), program(pairs))[1]

    ways = programs(lengths, 16)
    chosen = {
        "plain loop": Way(taking(ways["plain loop"].program, 9, 1, 2), 1),
        NAIVE: Way(taking(ways[NAIVE].program, 9, 2, 4), 16),
        "batched": Way(taking(ways["micro-batches, awaits"].program, 9, 0.5, 0.5), 16),
    }
    loop, naive, ours = rows("lengths", chosen, PAIRS, 2, clock)
    assert loop == AdapterRow("lengths", "plain loop", 1, 32, 24.0, 20.0, 28.0, 2.0, 0.0)
    assert (naive.rows_per_s, naive.to_naive, ours.to_naive) == (12.0, 1.0, 6.0)
    assert lengths.calls > 3 * 64  # the batches of each round are calls again


def test_a_difference_between_ways_is_shown() -> None:
    ways = {"plain loop": Way(lambda pairs: [0.0] * len(pairs), 1), NAIVE: Way(lambda pairs: [0.25] * len(pairs), 16)}
    ticks = iter(range(100))
    measured = rows("x", ways, PAIRS, 1, lambda: float(next(ticks)))
    assert measured[1].max_abs_diff == 0.25
    assert "2.5e-01" in text(table(measured))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_command_prints_a_row_per_way() -> None:
    result = invoke("speed", *"adapters --metrics f1 --rows 16 --rounds 1 --format json".split())
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert {"plain loop", NAIVE, "micro-batches, awaits"} <= {row["way"] for row in found}
    assert all(row["max_abs_diff"] == 0 and row["n"] == 16 for row in found)
