"""The gate decides by the ends of an interval, and how many rows decide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import answersim
from answersim.evaluation.comparison.gating import gate
from answersim.evaluation.comparison.sample_size import labels_for_width, plan, questions_for_difference
from answersim.evaluation.labels.correction import estimate_mean
from answersim.evaluation.systems.systems import evaluate
from answersim.stats.resampling import Estimate
from tests.cases import every
from tests.evaluation.pairs import compare


def between(low: float, high: float):
    """A comparison with this interval."""
    comparison = compare([0.2, 0.8] * 50, [0.2, 0.8] * 50)
    return replace(comparison, scores=comparison.scores._replace(difference=Estimate((low + high) / 2, low, high)))


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
    result = between(-0.02, -0.005)
    result = replace(result, n=100_000, scores=result.scores._replace(least_difference=0.001))
    decision = gate(result, 0.01)
    assert decision.status == 3
    assert "would decide" not in decision.reason


@every("width", [0.15, 0.08])
def test_so_many_labels_give_an_interval_of_this_width(width: float) -> None:
    rng = np.random.default_rng(0)
    outcome, alone = [], []
    plan = labels_for_width(width, share=0.8, explained=0.55, rows=3000)
    for _ in range(20):
        right = rng.random(3000) < 0.8
        scores = right + rng.normal(0, 0.362, 3000)  # explains .16 / (.16 + .131) = .55
        for n, widths in ((plan.labels, outcome), (plan.labels_alone, alone)):
            labels = np.where(np.arange(3000) < n, right, np.nan)
            result = estimate_mean(scores if widths is outcome else np.zeros(3000), labels)
            widths.append(result.high - result.low)
    assert np.mean(outcome) == pytest.approx(width, rel=0.06)
    assert np.mean(alone) == pytest.approx(width, rel=0.04)


def test_a_width_that_no_number_reaches_is_none() -> None:
    plan = labels_for_width(0.02, share=0.8, explained=0.5, rows=1000)
    assert plan.labels is plan.labels_alone is None
    assert plan.least_width == pytest.approx(2 * 1.96 * (0.16 / 1000) ** 0.5, rel=0.02)


@every(
    ("given", "message"),
    [
        ({"width": 0}, "width is 0"),
        ({"width": 1.2}, "width is 1.2"),
        ({"width": 0.1, "share": 1}, "share is 1"),
        ({"width": 0.1, "explained": 1}, "explained is 1"),
        ({"width": 0.1, "rows": 3}, "rows is 3"),
    ],
)
def test_numbers_outside_their_range_are_refused(given: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        labels_for_width(**given)


def test_so_many_questions_find_the_difference() -> None:
    rng = np.random.default_rng(1)
    n = questions_for_difference(0.05, differing=0.2)
    apart = rng.choice([1, -1, 0], p=[0.125, 0.075, 0.8], size=(1000, n))
    z = apart.mean(axis=1) / (apart.std(axis=1) / np.sqrt(n))
    assert (np.abs(z) > 1.96).mean() == pytest.approx(0.8, abs=0.035)


def test_systems_cannot_differ_on_fewer_questions_than_their_difference() -> None:
    with pytest.raises(ValueError, match=r"differing is 0\.01"):
        questions_for_difference(0.05, differing=0.01)


@every(
    ("given", "error", "rule"),
    [
        ({"drop": 0.1, "rows": 9}, ValueError, "rows is 9 .* drop= plans a comparison"),
        ({"drop": 0.1, "width": 0.1}, ValueError, "width is 0.1 .* leave one of them out"),
        ({"power": 0.9}, ValueError, "power is 0.9 .* give drop= too"),
        ({"score": "s"}, ValueError, "score is 's' .* there is no data"),
        ({"data": {"label": [1]}, "score": "s", "share": 0.5}, ValueError, "share is 0.5 .* the data decide it"),
        ({"data": {"label": [1]}, "score": "s", "metric": "em"}, ValueError, "metric is 'em' .* score= names a column"),
        ({"data": {"s": [0.1] * 40, "label": [1] * 40}, "score": "s"}, ValueError, "labels of one class"),
        ({"width": []}, ValueError, "width is empty"),
        ({"width": 2}, ValueError, "width is 2"),
    ],
)
def test_arguments_that_have_no_effect_on_a_plan_are_refused(given, error, rule):
    with pytest.raises(error, match=rule):
        plan(**given)


def test_a_table_with_labels_plans_as_its_share_does():
    rng = np.random.default_rng(0)
    right = rng.random(600) < 0.8
    scores = np.where(rng.random(600) < 0.9, right, 0.5)
    labels = np.where(np.arange(600) < 80, right, np.nan)
    plan_of_labels = plan({"s": scores.tolist(), "label": labels.tolist()}, score="s", width=0.1)
    estimate = estimate_mean(scores, labels)
    assert (plan_of_labels.share, plan_of_labels.explained, plan_of_labels.rows) == (
        estimate.value,
        estimate.explained,
        600,
    )
    assert plan_of_labels.plans == (
        labels_for_width(0.1, share=plan_of_labels.share, explained=plan_of_labels.explained, rows=600),
    )


def test_answers_with_rows_that_are_left_out_and_a_sheet_can_be_planned() -> None:
    n = 40
    table = {"gold": ["a"] * n, "pred": ["a", "b"] * 20, "id": range(n), "s": [1, 0] * 20, "label": [1, 0, 1, 1] * 10}
    bad = table | {"gold": [None, *table["gold"][1:]]}
    plain = answersim.plan(table, score="s")
    assert answersim.plan(answersim.read_answers(table), score="s") == plain
    by_id = {str(i): label for i, label in enumerate(table["label"])}
    assert answersim.plan(table, score="s", labels=by_id) == plain
    assert answersim.plan(table, "em", labels=by_id) == plain
    answers = answersim.read_answers(table | {"other": table["pred"]}, pred=["pred", "other"])
    with pytest.raises(ValueError, match="there are 2 systems, but a plan is for one"):
        answersim.plan(answers, score="s")
    with pytest.warns(UserWarning, match="1 of 40 rows"):
        assert answersim.plan(answersim.read_answers(bad, skip_bad=True), score="s").rows == n - 1
