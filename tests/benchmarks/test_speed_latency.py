"""Rows of latency: programs in turns on the same pairs, quartiles, ratios of the same round, numbers compared."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from answersim.types import Pair
from benchmarks.speed import app
from benchmarks.speed_latency import METRICS, LatencyRow, Program, latencies, rows, table
from benchmarks.tables import text

PAIRS = [Pair("a", "b"), Pair("c", "d"), Pair("e", "f")]


class Clock:
    """A clock that only programs move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[tuple[str, Pair]] = []

    def __call__(self) -> float:
        return self.now

    def program(self, name: str, number: float, *takes: float) -> Program:
        left = list(takes)

        def run(pair: Pair) -> float:
            self.calls.append((name, pair))
            self.now += left.pop(0)
            return number

        return run


def test_the_first_round_is_left_out_and_ratios_are_of_one_round() -> None:
    clock = Clock()
    first = (9.0, 9.0, 9.0)  # of each pair
    programs = {
        "built": clock.program("built", 0.5, *first, 1, 2, 4),
        "peer": clock.program("peer", 0.75, *first, 2, 8, 12),
    }
    built, peer = latencies("f1", programs, PAIRS, 3, calls=1, clock=clock)
    assert built == LatencyRow("f1", "built", 3, 2000.0, 1500.0, 3000.0, 1.0, 0.0)
    assert peer == LatencyRow("f1", "peer", 3, 8000.0, 5000.0, 10000.0, 3.0, 0.25)


def test_all_programs_of_a_round_get_the_same_pairs_one_after_the_other() -> None:
    clock = Clock()
    programs = {name: clock.program(name, 0.0, *[1.0] * 99) for name in ("built", "peer")}
    latencies("f1", programs, PAIRS, 2, calls=2, clock=clock)
    rounds = clock.calls[6:]
    assert [pair for name, pair in rounds if name == "built"] == [pair for name, pair in rounds if name == "peer"]
    assert [name for name, _ in rounds] == ["built", "built", "peer", "peer"] * 2


def test_a_quick_program_gets_many_pairs_per_round() -> None:
    ours = {"built": lambda pair: 0.0}
    assert latencies("f1", ours, PAIRS, 2)[0].calls == 200


def test_f1_by_name_built_direct_and_the_script_give_one_number() -> None:
    measured = rows(["f1"], rounds=2)
    assert [row.way for row in measured] == ["by name", "built", "direct", "squad_v2 script"]
    assert {row.max_abs_diff for row in measured} == {0.0}


def test_the_command_prints_one_record_per_way() -> None:
    result = CliRunner().invoke(app, ["latency", "--metrics", "f1,rouge-l", "--rounds", "2", "--format", "json"])
    assert result.exit_code == 0
    assert [(row["metric"], row["way"]) for row in json.loads(result.stdout)][4:] == [
        ("rouge-l", way) for way in ("by name", "built", "direct", "rouge_score")
    ]


def test_an_unknown_metric_is_refused_with_those_that_are_measured() -> None:
    result = CliRunner().invoke(app, ["latency", "--metrics", "meteor"])
    assert result.exit_code == 2
    assert all(name in result.stderr for name in METRICS)


def test_a_table_has_a_line_for_each_way() -> None:
    shown = text(table([LatencyRow("f1", "by name", 7, 0.0125, 0.012, 0.02, 1.5, 0.0)]))
    assert shown.splitlines()[-1].split() == "f1 | by name | 7 | 0.0125 | [0.012, 0.020] | 1.500 | 0".split()


def test_a_composite_metric_has_ours_in_three_ways() -> None:
    pytest.importorskip("torch")
    measured = rows(["answersim"], rounds=1)
    assert [row.way for row in measured] == ["by name", "built", "direct"]
    assert {row.max_abs_diff for row in measured} == {0.0}
