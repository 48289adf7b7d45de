"""What trainings against a generator forget: accuracies from their histories, and a table from real trainings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.programs import invoke, message

pytest.importorskip("torch")
from benchmarks.ranking_forgetting import memory

ACCURACIES = {
    **{(0, 0): 0.9, (1, 0): 0.8, (2, 0): 0.7, (3, 0): 0.6},
    **{(1, 1): 0.5, (2, 1): 0.6, (3, 1): 0.8},
    **{(2, 2): 0.9, (3, 2): 0.6, (3, 3): 0.1},
}
RECORD = {
    "forgetting": [{"epoch": e, "examples": of, "accuracy": value} for (e, of), value in ACCURACIES.items()],
    "epochs": [{"epoch": e, "dev": dev} for e, dev in enumerate((0.5, 0.7, 0.6, 0.4))],
    "generator_statistics": [{"entropy": 0.9 - 0.1 * e, "reward": 0.1 * e} for e in range(3)],
}


def test_accuracies_are_compared_with_those_after_the_epoch_of_the_examples() -> None:
    row = memory("man-adv", 2, RECORD)
    assert (row.system, row.seed, row.epochs) == ("man-adv", 2, 3)
    assert (row.dev_start, row.dev_best, row.dev_last) == (0.5, 0.7, 0.4)
    assert (row.ordinary_start, row.ordinary_last) == (0.9, 0.6)
    assert (row.first_new, row.first_last) == (0.5, 0.8)
    assert (row.earlier_new, row.earlier_last) == (pytest.approx(0.7), pytest.approx(0.7))  # not those of epoch 3
    assert row.largest_drop == pytest.approx(0.3)  # of epoch 2
    assert (row.entropy_first, row.entropy_last) == (0.9, pytest.approx(0.7))
    assert (row.reward_first, row.reward_last) == (0, pytest.approx(0.2))


def test_a_system_without_a_generator_is_refused(tmp_path: Path) -> None:
    result = invoke("ranking_forgetting", "--systems", "man", "--folder", str(tmp_path))
    assert result.exit_code == 2
    assert "man is not trained against a generator" in message(result)


@pytest.mark.slow
def test_the_table_is_of_trainings_that_remember(tmp_path: Path) -> None:
    words = ["--systems", "match-pyramid-adv", "--preset", "smoke", "--folder", str(tmp_path), "--seeds", "2"]
    result = invoke("ranking_forgetting", *words, "--format", "json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert [(row["seed"], row["epochs"]) for row in rows] == [(0, 3), (1, 3)]
    assert all(0 <= row["first_last"] <= 1 for row in rows)
    again = invoke("ranking_forgetting", *words, "--format", "markdown")
    assert again.stdout.count("| match-pyramid-adv |") == 2
