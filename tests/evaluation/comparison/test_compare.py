"""Comparing the systems of tables: one table or several, labels and scores per system, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from answersim.calibration.verdicts import Verdicts
from answersim.evaluation.comparison.compare import compare
from answersim.evaluation.comparison.comparison import Comparison
from tests.cases import every
from tests.evaluation.pairs import compare_all

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
    one = compare(ONE, pred=["a", "b"], question="asked", labels=["l_a", "l_b"], metric="em").pair
    several = compare(tables(), question="asked", labels="label", metric="em").pair
    assert without_ids(one) == without_ids(several)
    assert one.names == ("a", "b")
    assert one.points is not None
    assert one.points.right == (20, 30)
    assert one.labeled is not None
    assert one.labeled.value == pytest.approx(0.25)


def test_columns_of_scores_are_of_their_systems() -> None:
    one = compare(ONE, pred=["a", "b"], score=["s_a", "s_b"], calibration=Verdicts(threshold=0.5)).pair
    several = compare(tables(), score="s", calibration=Verdicts(threshold=0.5)).pair
    assert without_ids(one) == without_ids(several)
    assert one.points is not None
    assert one.points.right == (20, 30)
    assert compare(ONE, pred=["a", "b"], score=["s_a", "s_b"]).pair.points is None
    verdicts = compare(ONE, pred=["a", "b"], score=["l_a", "l_b"]).pair
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
        compare(ONE, metric="em", **settings)


def test_a_pair_has_a_difference_of_labels_if_both_have_some() -> None:
    three = ONE | {"c": ONE["a"]}
    by_id = {str(i + 1): i % 2 for i in range(40)}
    found = compare(three, "em", pred=["a", "b", "c"], labels={"a": by_id, "c": by_id})
    assert [pair.labeled is not None for pair in found.pairs] == [False, True, False]


def test_a_verifier_and_a_metric_decide_alike() -> None:
    how: dict[str, Any] = {"pred": ["a", "b"]}
    by_function = compare(ONE, lambda golds, preds: [float(g == p) for g, p in zip(golds, preds, strict=True)], **how)
    assert by_function.pair.points == compare(ONE, "em", **how).pair.points
    recorded = compare(ONE, "column:l_a,l_b", **how).pair
    assert recorded.points == by_function.pair.points


def test_rows_are_headed_by_the_ids_of_the_file() -> None:
    named = ONE | {"id": [f"q{i}" for i in range(40)]}
    for data, head, first in ((named, "id", "q2"), (ONE, "row", "3"), (named | {"id": ["x"] * 40}, "row", "3")):
        found = compare(data, "em", pred=["a", "b"])
        table = found.changes_table(found.pair)
        assert (table.columns[0], table.rows[0][head]) == (head, first)
        assert found.changes(found.pair).header[0] == head


def test_the_changed_answers_are_a_table_with_their_texts() -> None:
    found = compare(
        {"gold": [["Rome", "Roma"], "Oslo"], "a": ["Rome", "Oslo"], "b": ["Milan", "Oslo"]}, "em", pred=["a", "b"]
    )
    table = found.changes_table(found.pair)
    assert table.columns == ("row", "change", "score a", "score b", "gold", "a", "b")
    assert [list(row.values())[1:] for row in table.rows] == [
        ["went wrong", 1.0, 0.0, ["Rome", "Roma"], "Rome", "Milan"]
    ]
    assert found.changes(found.pair).rows[0][2:] == ("1.000", "0.000", "Rome | Roma", "Rome", "Milan")
    numbers = compare_all({"a": [1.0] * 5, "b": [0.0] * 5})
    with pytest.raises(ValueError, match="only scores were compared"):
        numbers.changes_table(numbers.pair)
