"""The speed of typed values: which pairs are measured, and what the command prints. No test asserts a time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import speed_typed
from tests.benchmarks.programs import invoke

NAMES = ["NQ-open", "mostly untyped", "typed only", "hostile"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sas").mkdir()
    rows = [*(f"{i} people,{i}" for i in range(10)), "Paris,in Paris", "North Korea,South Korea"]
    (tmp_path / "sas" / "NQ-open_SAS.csv").write_text("answer1,answer2\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def test_typed_and_untyped_gold_answers_are_measured_separately(folder: Path) -> None:
    found = speed_typed.rows(repetitions=1, folder=folder)
    assert [row.pairs for row in found] == NAMES
    assert [row.n for row in found[:3]] == [12, 4, 10]
    assert [row.typed for row in found[:3]] == [10 / 12, 2 / 4, 1.0]
    assert all(row.per_second > 0 < row.base_per_second for row in found)
    assert [row.longest_ms is None for row in found] == [True, True, True, False]


def test_the_command_prints_rows_as_json(folder: Path) -> None:
    done = invoke("speed", *"typed --repetitions 1 --format json --folder".split(), str(folder))
    assert done.exit_code == 0, done.output
    assert [row["pairs"] for row in json.loads(done.stdout)] == NAMES
