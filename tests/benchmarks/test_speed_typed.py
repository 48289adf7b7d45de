"""The speed of typed values: which pairs are measured, and what the command prints. No test asserts a time."""

from __future__ import annotations

import json
from pathlib import Path

from tests.benchmarks.programs import invoke


def test_typed_and_untyped_gold_answers_are_measured_separately(tmp_path: Path) -> None:
    (tmp_path / "sas").mkdir()
    pairs = [*(f"{i} people,{i}" for i in range(10)), "Paris,in Paris", "North Korea,South Korea"]
    (tmp_path / "sas" / "NQ-open_SAS.csv").write_text("\n".join(["answer1,answer2", *pairs, ""]), encoding="utf-8")
    done = invoke("speed", *"typed --repetitions 1 --format json --folder".split(), str(tmp_path))
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert [row["pairs"] for row in rows] == ["NQ-open", "mostly untyped", "typed only", "hostile"]
    assert [(row["n"], row["typed"]) for row in rows[:3]] == [(12, 10 / 12), (4, 2 / 4), (10, 1.0)]
    assert all(row["per_second"] > 0 < row["base_per_second"] for row in rows)
    assert [row["longest_ms"] is None for row in rows] == [True, True, True, False]
