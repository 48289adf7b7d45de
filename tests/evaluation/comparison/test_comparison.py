"""Systems are compared: differences, tests, changed rows, labels, and refused input."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.calibration.verdicts import Verdicts
from answersim.evaluation.comparison.compare import compare as compare_tables
from answersim.evaluation.comparison.comparison import Comparison
from answersim.stats.paired import paired
from answersim.stats.soft_pairwise import exchanges, soft_pairwise_accuracy
from tests.cases import every
from tests.evaluation.pairs import compare, compare_all


def made(gain: float = 0.1, n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    first = rng.random(n)
    return first, np.clip(first + gain + rng.normal(0, 0.2, n), 0, 1)


def test_the_difference_is_that_of_the_paired_procedure_over_groups() -> None:
    first, second = made(0.03)
    groups = np.arange(400) // 4
    result, expected = compare(first, second, groups=groups), paired(second - first, groups=groups)
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
        ([0.1] * 2, [0.2] * 2, {"groups": ["q"]}, ValueError, "1 groups are given for 2"),
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
        (
            {"pred": ["a", "b"], "labels": {"a": "l_a"}},
            "the labels are of a alone, but their difference needs those of",
        ),
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
