"""Rows of latency: programs in turns on the same pairs, quartiles, ratios of the same round, numbers compared."""

from __future__ import annotations

import json

import pytest

from answersim.types import Pair
from benchmarks.speed_latency import LatencyRow, latencies
from tests.benchmarks.clocks import Clock
from tests.benchmarks.programs import invoke

PAIRS = [Pair("a", "b"), Pair("c", "d"), Pair("e", "f")]


def test_the_first_round_is_left_out_and_ratios_are_of_one_round() -> None:
    clock = Clock()
    first = (9.0, 9.0, 9.0)  # of each pair
    programs = {"built": clock.program(0.5, *first, 1, 2, 4), "peer": clock.program(0.75, *first, 2, 8, 12)}
    built, peer = latencies("f1", programs, PAIRS, 3, calls=1, clock=clock)
    assert built == LatencyRow("f1", "built", 3, 2000.0, 1500.0, 3000.0, 1.0, 0.0)
    assert peer == LatencyRow("f1", "peer", 3, 8000.0, 5000.0, 10000.0, 3.0, 0.25)


def test_all_programs_of_a_round_get_the_same_pairs_one_after_the_other() -> None:
    clock = Clock()
    programs = {name: clock.program(0.0, *[1.0] * 99, name=name) for name in ("built", "peer")}
    latencies("f1", programs, PAIRS, 2, calls=2, clock=clock)
    rounds = clock.calls[6:]
    assert [pair for name, pair in rounds if name == "built"] == [pair for name, pair in rounds if name == "peer"]
    assert [name for name, _ in rounds] == ["built", "built", "peer", "peer"] * 2


def test_a_quick_program_gets_many_pairs_per_round() -> None:
    ours = {"built": lambda pair: 0.0}
    assert latencies("f1", ours, PAIRS, 2)[0].calls == 200


@pytest.mark.parametrize(
    ("metric", "peers"), [("f1", ["squad_v2 script"]), ("rouge-l", ["rouge_score"]), ("answersim", [])]
)
def test_all_ways_of_a_metric_give_the_same_number(metric: str, peers: list[str]) -> None:
    if metric == "answersim":
        pytest.importorskip("torch")
    done = invoke("speed", *f"latency --metrics {metric} --rounds 1 --format json".split())
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert [row["way"] for row in rows] == ["by name", "built", "direct", *peers]
    assert {(row["metric"], row["max_abs_diff"]) for row in rows} == {(metric, 0.0)}
