"""Changed rows in their order, verdicts within the noise, and the noise of each metric."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import answersim
from answersim.calibration.verdicts import Verdicts, verdict_rule
from answersim.evaluation.systems.changes import NOISE, changed, flickering, noise_of
from tests.table_metric import Table

HALF = Verdicts(threshold=0.5)
RULE = verdict_rule("", threshold=0.5)
PAGE = Path(__file__).parents[3] / "benchmarks" / "results" / "precision.csv"


def test_changed_rows_begin_with_those_that_went_wrong_the_largest_first() -> None:
    first, second = np.array([0.9, 0.8, 0.1, 0.9, 0.2, 0.5]), np.array([0.4, 0.1, 0.9, 0.8, 0.3, 0.5])
    found = [(row.row, row.change) for row in changed(RULE.decide(first), RULE.decide(second), 0.0)]
    expected = [(1, "went wrong"), (0, "went wrong"), (2, "became right"), (3, "lower"), (4, "higher")]
    assert found == expected


def test_without_counts_scores_are_only_lower_and_higher() -> None:
    rule = verdict_rule("")
    found = changed(rule.decide([0.9, 0.1, 0.5]), rule.decide([0.1, 0.9, 0.5]), 0.0)
    assert [row.change for row in found] == ["lower", "higher"]


def test_a_verdict_that_changes_within_the_noise_is_listed_too() -> None:
    found = changed(RULE.decide([0.501, 0.7]), RULE.decide([0.499, 0.701]), 0.01)
    assert [(row.row, row.change) for row in found] == [(0, "went wrong")]


def test_an_answer_that_becomes_unsure_went_wrong() -> None:
    rule = verdict_rule("", scale="binary")
    found = changed(rule.decide([1.0, 0.5, 0.0]), rule.decide([0.5, 1.0, 0.5]), 0.0)
    assert [row.change for row in found] == ["went wrong", "became right", "higher"]


def test_the_noise_is_that_of_the_page_of_measured_precision() -> None:
    with PAGE.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["table"] == "bf16 beside fp32" and row["metric"]]
    assert {name: f"{noise:.1e}" for name, noise in NOISE.items()} == {
        row["metric"]: row["difference: largest"] for row in rows
    }


def test_verdicts_near_the_cut_flicker() -> None:
    assert flickering(np.array([0.49, 0.2, 0.9]), np.array([0.9, 0.2, 0.51]), 0.5, 0.02).tolist() == [True, False, True]
    data = {"gold": ["a"] * 9, "pred": ["a"] * 9, "other": ["b"] * 9, "s": [0.5] * 9}
    for noise, flicker in ((None, 0), (0.001, 9)):  # numbers have no noise
        how = {"pred": ["pred", "other"], "score": ["s", "s"], "noise": noise}
        assert answersim.compare(data, calibration=HALF, **how).pair.scores.flicker == flicker


def test_other_networks_have_the_largest_noise_and_words_none() -> None:
    assert noise_of(answersim.metric("recall"), "recall") == 0
    network = Table("mine", 0.0, "model")
    assert noise_of(network, "mine") == NOISE["sas"] == max(NOISE.values())
    assert noise_of(network, "answersim") == NOISE["answersim"]
    assert noise_of(None, "answersim") == 0
    assert noise_of(network, "answersim", 0.5) == 0.5
    with pytest.raises(ValueError, match="noise is -1"):
        noise_of(None, "f1", -1)
