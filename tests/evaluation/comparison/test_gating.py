"""The gate: its three answers at the ends of the interval, and its summary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import answersim
from answersim.evaluation.comparison.gating import gate
from answersim.evaluation.systems.systems import evaluate
from answersim.stats.resampling import Estimate
from tests.cases import every
from tests.evaluation.pairs import compare


def between(low: float, high: float):
    """A comparison with this interval."""
    found = compare([0.2, 0.8] * 50, [0.2, 0.8] * 50)
    return replace(found, scores=found.scores._replace(difference=Estimate((low + high) / 2, low, high)))


@every(
    ("low", "high", "status"),
    [
        (-0.005, 0.02, 0),
        (0.01, 0.02, 0),
        (-0.02, 0.02, 3),
        (-0.02, -0.005, 3),  # a drop, but not surely of more than .01
        (-0.01, 0.02, 3),  # the end itself is not excluded
        (-0.05, -0.01, 3),
        (-0.05, -0.02, 1),
    ],
)
def test_the_interval_decides(low: float, high: float, status: int) -> None:
    assert gate(between(low, high), 0.01).status == status


def test_a_candidate_without_a_loss_passes_if_scores_differ_a_little() -> None:
    rng, status = np.random.default_rng(2), []
    for _ in range(30):
        first = rng.random(100)
        status.append(gate(compare(first, first + rng.normal(0, 0.03, 100)), 0.01).status)
    assert np.mean(np.array(status) == 0) > 0.7


def test_identical_predictions_pass_with_few_questions() -> None:
    texts = ["Rome", "Oslo"] * 5
    table = {"gold": ["Rome"] * 10, "old": texts, "new": texts}
    decision = gate(table, 0, metric="em", pred=["old", "new"])
    assert (decision.status, "identical" in decision.reason) == (0, True)
    assert gate(compare([0.2, 0.8] * 5, [0.2, 0.8] * 5), 0.01).status == 3  # numbers are not predictions


def test_a_gate_reads_what_compare_and_evaluate_read() -> None:
    table = {"gold": ["Rome"] * 300, "old": ["Rome", "Oslo"] * 150, "new": ["Rome", "Bergen"] * 150}
    read = gate(table, 0.1, metric="em", pred=["old", "new"])
    assert read == gate(answersim.compare(table, "em", pred=["old", "new"]), 0.1)
    alone = gate(table, min_right=0.4, metric="em", pred="new")
    assert (alone.status, alone.comparison, alone.candidate) == (0, None, "new")
    with pytest.raises(ValueError, match="there is no baseline"):
        gate(table, 0.1, metric="em", pred="new")
    with pytest.raises(TypeError, match="metric has no effect"):
        gate(answersim.compare(table, "em", pred=["old", "new"]), 0.1, metric="em")


@every("drop", [-0.1, 1.1, float("nan")])
def test_an_allowed_drop_outside_0_to_1_is_refused(drop: float) -> None:
    with pytest.raises(ValueError, match="max_drop is"):
        gate(between(-0.1, 0.1), drop)


def test_an_undecided_gate_states_how_many_questions_or_answers_would_decide() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.random(300) < 0.8, rng.random(300) < 0.8
    reason = gate(compare(first, second), 0.01).reason
    assert "questions would decide" in reason
    needed = int(reason.partition("about ")[2].partition(" questions")[0].replace(",", ""))
    # 1.96 + .84 standard errors of about sqrt(.32 / n) are .01
    assert needed == pytest.approx((2.8 / 0.01) ** 2 * 0.32, rel=0.2)
    rows = {"gold": ["a"] * 100, "pred": ["a"] * 70 + ["b"] * 30}
    reason = gate(evaluate(rows, "em", progress=False), min_right=0.75).reason
    needed = int(reason.partition("about ")[2].partition(" answers would")[0].replace(",", ""))
    assert needed == pytest.approx((2.8 / 0.05) ** 2 * 0.7 * 0.3, rel=0.2)


@every(("low", "high", "title"), [(-0.005, 0.02, "Pass"), (-0.9, -0.5, "Fail"), (-0.1, 0.1, "Undecided")])
def test_the_summary_begins_with_the_decision(low: float, high: float, title: str) -> None:
    text = gate(between(low, high), 0.01).to_markdown()
    assert text.startswith(f"### {title}: B\n\n- {title} (mean score at most 0.01 below A): the 95% interval of")
    assert "mean score 0.500 against 0.500" in text
    assert "- higher score for 0, same for 100, lower for 0 answers" in text
    assert "verdict flicker" not in text
    assert "the metric of these scores is not known" in text


def test_a_number_of_questions_that_there_are_already_is_not_promised() -> None:
    found = between(-0.02, -0.005)
    found = replace(found, n=100_000, scores=found.scores._replace(least_difference=0.001))
    decision = gate(found, 0.01)
    assert decision.status == 3
    assert "would decide" not in decision.reason
