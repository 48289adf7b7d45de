"""Systems are compared and gated: differences, tests, changed rows, labels, limits, and refused input."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.calibration.verdicts import Verdicts
from answersim.evaluation.comparison.compare import compare as compare_tables
from answersim.evaluation.comparison.comparison import Comparison
from answersim.evaluation.comparison.gating import gate
from answersim.evaluation.comparison.sample_size import labels_for_width, plan, questions_for_difference
from answersim.evaluation.labels.correction import estimate_mean
from answersim.evaluation.systems.systems import evaluate
from answersim.stats.coefficients.soft_pairwise import exchanges, soft_pairwise_accuracy
from answersim.stats.intervals.paired import paired_all
from answersim.stats.intervals.resampling import Estimate
from tests.cases import cases_of, every
from tests.evaluation.made import compare, compare_all


def made(gain: float = 0.1, n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    first = rng.random(n)
    return first, np.clip(first + gain + rng.normal(0, 0.2, n), 0, 1)


def test_the_difference_is_that_of_the_paired_procedure_over_groups() -> None:
    first, second = made(0.03)
    groups = np.arange(400) // 4
    result = compare(first, second, groups=groups)
    (expected,) = paired_all([second - first], groups=groups, bounds=[(-1, 1)])
    scores = result.scores
    assert (*scores.difference, scores.p, scores.least_difference) == expected
    assert scores.means == pytest.approx((first.mean(), second.mean()))
    assert scores.better + scores.same + scores.worse == result.n == 400


@every(("gain", "words"), [(0.2, "B is better than A"), (-0.2, "B is worse than A")])
def test_the_sentence_names_the_better_system(gain: float, words: str) -> None:
    assert str(compare(*made(gain))).startswith(words)
    assert "p < 0.001" in str(compare(*made(gain)))


def test_equal_systems_are_not_told_apart() -> None:
    first, _ = made()
    comparison = compare(first, first)
    assert str(comparison).startswith("B is not distinguishable from A")
    assert (comparison.scores.p, comparison.scores.same, comparison.changed) == (1.0, 400, ())
    assert comparison.scores.difference.low < 0 < comparison.scores.difference.high


def test_texts_are_scored_with_the_best_gold_answer() -> None:
    gold = [["Rome", "Roma"], ["Oslo"], "Paris"]
    data = {"gold": gold, "A": ["roma", "Oslo", "Lyon"], "B": ["Milan", "Oslo", "in Paris"]}
    result = answersim.compare(data, "recall", pred=["A", "B"]).pair
    assert result.scores.means == pytest.approx((2 / 3, 2 / 3))
    assert [(row.row, row.change) for row in result.changed] == [(0, "went wrong"), (2, "became right")]
    assert result.signature == "recall|text:en|rev:1"


def test_differences_within_the_noise_are_the_same() -> None:
    comparison = compare([0.5, 0.6, 0.7], [0.505, 0.58, 0.7], noise=0.01)
    assert (comparison.scores.better, comparison.scores.same, comparison.scores.worse) == (0, 2, 1)
    assert [row.row for row in comparison.changed] == [1]


def test_p_of_several_systems_is_corrected() -> None:
    first, second = made(0.02)
    third = made(0.01, seed=3)[1]
    comparisons = compare_all({"a": first, "b": second, "c": third})
    assert [pair.names for pair in comparisons.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all(pair.scores.p_holm >= pair.scores.p for pair in comparisons.pairs)
    least = min((pair.scores for pair in comparisons.pairs), key=lambda scores: scores.p)
    assert least.p_holm == pytest.approx(min(1, 3 * least.p))
    assert np.isnan(comparisons.accuracy)


def test_soft_pairwise_accuracy_is_that_of_the_statistics() -> None:
    rng = np.random.default_rng(5)
    human = (rng.random((3, 200)) < [[0.6], [0.7], [0.72]]).astype(float)
    scores = np.clip(human * 0.5 + rng.random((3, 200)) * 0.5, 0, 1)
    names = ["a", "b", "c"]
    comparisons = compare_all(dict(zip(names, scores, strict=True)), labels=dict(zip(names, human, strict=True)))
    expected = soft_pairwise_accuracy(human, scores[None], exchanges(1000, 200, np.random.default_rng(0)))[0]
    assert comparisons.accuracy == pytest.approx(expected, abs=0.05)
    assert compare_all(
        dict(zip(names, human, strict=True)), labels=dict(zip(names, human, strict=True))
    ).accuracy == pytest.approx(1)


def test_p_alone_is_printed_beside_that_of_the_correction() -> None:
    first, second = made(0.02)
    comparison = compare(first, second)
    comparison = replace(comparison, scores=comparison.scores._replace(p=0.03, p_holm=0.09))
    assert str(comparison).startswith("B is not distinguishable from A")
    assert "p = 0.090 after Holm's correction, p = 0.030 alone" in str(comparison)
    assert "Holm" not in str(replace(comparison, scores=comparison.scores._replace(p_holm=0.04)))


@every(
    ("a", "b", "more", "error", "message"),
    [
        ([1.0], [1.0], {}, ValueError, "1 question is given"),
        ([], [], {}, ValueError, "0 question is given"),
        ([0.1] * 20, [0.2] * 20, {"labels": ([1.0] * 9 + [np.nan] * 11, [1.0] * 20)}, ValueError, "9 questions have a"),
    ],
)
def test_bad_input_is_refused_by_name(a, b, more, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        compare(a, b, **more)


VERDICTS = {"old": [1, 0, 1, 0] * 20, "new": [1, 1, 1, 0] * 20, "third": [0, 0, 1, 0] * 20}
FRACTIONS = {name: [value / 2 for value in values] for name, values in VERDICTS.items()}


def test_a_row_of_the_table_has_the_shares_the_points_and_the_means() -> None:
    comparisons = compare_all(VERDICTS)
    (table,) = comparisons.tables()
    assert comparisons.pairs[0].points is not None
    low, high = comparisons.pairs[0].points.difference[1:]
    assert table.rows[0][:6] == ("old", "new", "80", "50.0", "75.0", f"+25.0 [{100 * low:+.1f}, {100 * high:+.1f}]")
    assert table.rows[0][7:9] == ("0.500", "0.750")
    assert len(table.rows) == 3
    assert "p after Holm's correction over 3 pairs" in comparisons.footer()


def test_answers_that_are_not_counted_have_no_share() -> None:
    comparisons = compare_all(FRACTIONS)
    assert next(iter(comparisons.tables())).rows[0][3:9] == ("-", "-", "-", "-", "0.250", "0.375")
    (record, *_) = comparisons.records()
    assert (record["first"], record["second"]) == ("old", "new")
    assert (record["right_first"], record["p_right"]) == (None, None)
    assert (record["difference"], record["difference_high"]) == comparisons.pairs[0].scores.difference[::2]
    assert "so answers are not counted" in comparisons.to_markdown()


def test_the_only_pair_of_three_systems_is_refused() -> None:
    with pytest.raises(LookupError, match="there are 3 pairs of systems"):
        _ = compare_all(VERDICTS).pair


GOLD = ["Rome", "Oslo", "Paris", "Lima"] * 10
ONE: dict[str, Any] = {
    "gold": GOLD,
    "a": [gold if i % 2 else "none" for i, gold in enumerate(GOLD)],
    "b": [gold if i % 4 else "none" for i, gold in enumerate(GOLD)],
    "asked": [f"q{i // 2}" for i in range(40)],
    "s_a": [0.1 + 0.8 * (i % 2) for i in range(40)],
    "s_b": [0.9 * (i % 4 > 0) for i in range(40)],
    "l_a": [i % 2 for i in range(40)],
    "l_b": [int(i % 4 > 0) for i in range(40)],
}
SEVERAL: dict[str, Any] = {
    name: [
        {"id": i, "gold": gold, "pred": ONE[name][i], "asked": ONE["asked"][i], "s": ONE[f"s_{name}"][i]}
        | {"label": ONE[f"l_{name}"][i]}
        for i, gold in enumerate(GOLD)
    ]
    for name in "ab"
}


def tables() -> dict[str, Any]:
    pandas = pytest.importorskip("pandas")
    return {name: pandas.DataFrame(rows) for name, rows in SEVERAL.items()}


def without_ids(pair: Comparison) -> Comparison:
    """Return a comparison whose rows have no ids: a table counts from 1, and the ids of several tables from 0."""
    return replace(pair, changed=tuple(row._replace(id="") for row in pair.changed))


def test_one_table_and_several_tables_give_the_same_comparison() -> None:
    first = compare_tables(ONE, pred=["a", "b"], question="asked", labels=["l_a", "l_b"], metric="em").pair
    several = compare_tables(tables(), question="asked", labels="label", metric="em").pair
    assert without_ids(first) == without_ids(several)
    assert first.names == ("a", "b")
    assert first.points is not None
    assert first.points.right == (20, 30)
    assert first.labeled is not None
    assert first.labeled.value == pytest.approx(0.25)


def test_columns_of_scores_are_of_their_systems() -> None:
    first = compare_tables(ONE, pred=["a", "b"], score=["s_a", "s_b"], calibration=Verdicts(threshold=0.5)).pair
    several = compare_tables(tables(), score="s", calibration=Verdicts(threshold=0.5)).pair
    assert without_ids(first) == without_ids(several)
    assert first.points is not None
    assert first.points.right == (20, 30)
    assert compare_tables(ONE, pred=["a", "b"], score=["s_a", "s_b"]).pair.points is None
    verdicts = compare_tables(ONE, pred=["a", "b"], score=["l_a", "l_b"]).pair
    assert verdicts.points is not None  # numbers that are all 0 or 1
    assert verdicts.rule.basis == "binary"


@every(
    ("settings", "message"),
    [
        ({"pred": "a"}, "there is one system, 'a', but a comparison needs at least 2"),
        ({"pred": ["a", "b"], "score": "s_a"}, "1 column of scores for 2 systems; give one column per system"),
        ({"pred": ["a", "b"], "labels": ["l_a"]}, "1 column of labels for 2 systems"),
        ({"pred": ["a", "b"], "labels": {"a": "l_a"}}, "the labels are of a alone, but their difference needs those"),
        ({"pred": ["a", "b"], "noise": -1}, "noise is -1"),
        ({"pred": ["a", "b"], "calibration": Verdicts(threshold=0.1, low=0.1)}, "a threshold alone"),
        ({"pred": ["a", "b"], "score": "pred"}, "1 column of scores for 2 systems"),
    ],
)
def test_what_does_not_fit_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare_tables(ONE, metric="em", **settings)


def test_a_pair_has_a_difference_of_labels_if_both_have_some() -> None:
    three = ONE | {"c": ONE["a"]}
    by_id = {str(i + 1): i % 2 for i in range(40)}
    comparison = compare_tables(three, "em", pred=["a", "b", "c"], labels={"a": by_id, "c": by_id})
    assert [pair.labeled is not None for pair in comparison.pairs] == [False, True, False]


def test_a_verifier_and_a_metric_decide_alike() -> None:
    settings: dict[str, Any] = {"pred": ["a", "b"]}
    by_function = compare_tables(
        ONE, lambda golds, preds: [float(g == p) for g, p in zip(golds, preds, strict=True)], **settings
    )
    assert by_function.pair.points == compare_tables(ONE, "em", **settings).pair.points
    recorded = compare_tables(ONE, "column:l_a,l_b", **settings).pair
    assert recorded.points == by_function.pair.points


def test_rows_are_headed_by_the_ids_of_the_file() -> None:
    named = ONE | {"id": [f"q{i}" for i in range(40)]}
    for data, head, first in ((named, "id", "q2"), (ONE, "row", "3"), (named | {"id": ["x"] * 40}, "row", "3")):
        comparison = compare_tables(data, "em", pred=["a", "b"])
        table = comparison.changes_table(comparison.pair)
        assert (table.columns[0], table.rows[0][head]) == (head, first)
        assert comparison.changes(comparison.pair).header[0] == head


def test_the_changed_answers_are_a_table_with_their_texts() -> None:
    comparison = compare_tables(
        {"gold": [["Rome", "Roma"], "Oslo"], "a": ["Rome", "Oslo"], "b": ["Milan", "Oslo"]}, "em", pred=["a", "b"]
    )
    table = comparison.changes_table(comparison.pair)
    assert table.columns == ("row", "change", "score a", "score b", "gold", "a", "b")
    assert [list(row.values())[1:] for row in table.rows] == [
        ["went wrong", 1.0, 0.0, ["Rome", "Roma"], "Rome", "Milan"]
    ]
    assert comparison.changes(comparison.pair).rows[0][2:] == ("1.000", "0.000", "Rome | Roma", "Rome", "Milan")
    numbers = compare_all({"a": [1.0] * 5, "b": [0.0] * 5})
    with pytest.raises(ValueError, match="only scores were compared"):
        numbers.changes_table(numbers.pair)


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
    assert gate(between(low, high), max_drop=0.01).status == status


def test_identical_predictions_pass_with_few_questions() -> None:
    texts = ["Rome", "Oslo"] * 5
    table = {"gold": ["Rome"] * 10, "old": texts, "new": texts}
    decision = gate(table, max_drop=0, metric="em", pred=["old", "new"])
    assert (decision.status, "identical" in decision.reason) == (0, True)
    assert gate(compare([0.2, 0.8] * 5, [0.2, 0.8] * 5), max_drop=0.01).status == 3  # numbers are not predictions


def test_a_gate_reads_what_compare_and_evaluate_read() -> None:
    table = {"gold": ["Rome"] * 300, "old": ["Rome", "Oslo"] * 150, "new": ["Rome", "Bergen"] * 150}
    read = gate(table, max_drop=0.1, metric="em", pred=["old", "new"])
    assert read == gate(answersim.compare(table, "em", pred=["old", "new"]), max_drop=0.1)
    alone = gate(table, min_right=0.4, metric="em", pred="new")
    assert (alone.status, alone.comparison, alone.candidate) == (0, None, "new")
    with pytest.raises(ValueError, match="there is no baseline"):
        gate(table, max_drop=0.1, metric="em", pred="new")
    with pytest.raises(TypeError, match="metric has no effect"):
        gate(answersim.compare(table, "em", pred=["old", "new"]), max_drop=0.1, metric="em")


@every("drop", [-0.1, 1.1, float("nan")])
def test_an_allowed_drop_outside_0_to_1_is_refused(drop: float) -> None:
    with pytest.raises(ValueError, match="max_drop is"):
        gate(between(-0.1, 0.1), max_drop=drop)


def test_an_undecided_gate_states_how_many_questions_or_answers_would_decide() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.random(300) < 0.8, rng.random(300) < 0.8
    reason = gate(compare(first, second), max_drop=0.01).reason
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
    text = gate(between(low, high), max_drop=0.01).to_markdown()
    assert text.startswith(f"### {title}: B\n\n- {title} (mean score at most 0.01 below A): the 95% interval of")
    assert "mean score 0.500 against 0.500" in text
    assert "- higher score for 0, same for 100, lower for 0 answers" in text
    assert "verdict flicker" not in text
    assert "the metric of these scores is not known" in text


def test_a_number_of_questions_that_there_are_already_is_not_promised() -> None:
    result = between(-0.02, -0.005)
    result = replace(result, n=100_000, scores=result.scores._replace(least_difference=0.001))
    decision = gate(result, max_drop=0.01)
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


@every(("given", "message"), cases_of(__file__)["numbers_outside_their_range_are_refused"])
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
