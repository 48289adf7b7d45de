"""Orders of systems in the ranking benchmark, and limits chosen on dev: what is compared with what."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from answersim.stats.resampling import Bootstrap
from benchmarks import ranking_orders, ranking_tables
from rankers.evaluation.semantic import SemanticScores
from tests.benchmarks.made_results import DATASET, made, result

FEW = Bootstrap(resamples=50)


def test_a_metric_and_a_measure_that_disagree_are_shown_with_the_pair() -> None:
    result = ranking_orders.study(DATASET, made(), ["f1"], bootstrap=Bootstrap(resamples=200))
    names = {(each.first, each.second): each for each in result}
    assert set(names) == {
        ("MRR", "P@1"),
        *((one, other) for one in DATASET.measures for other in ("f1", "f1 where P@1=0")),
    }
    order = names["P@1", "f1"]
    means = [[each.seeds[0].mean(name) for each in made()] for name in ("P@1", "f1")]
    assert order.agreement.tau == pytest.approx(stats.kendalltau(*means).statistic)
    assert ("words", "near") in {(order.systems[each.upper], order.systems[each.lower]) for each in order.sure}
    page = ranking_orders.change_table("Made", result)
    assert ("P@1", "words", "near", "+1.000") in {row[:4] for row in page.rows}
    kept = {(record["first"], record["second"]): record for record in ranking_orders.records(result)}
    assert kept["P@1", "f1"]["significant_changes"] == len(order.sure)
    assert kept["P@1", "f1"]["changes"][0]["upper"] in order.systems


def test_a_pair_that_may_have_changed_places_by_chance_is_counted_and_not_listed() -> None:
    # "better" is right once more, and its wrong answers have a word less in common on two questions.
    worse = result("worse", ["o", "o", *["n"] * 38])
    better = result("better", ["o", "o", "o", "w", *["n"] * 36])
    actual = ranking_orders.study(DATASET, [worse, better, made()[3]], ["f1"], bootstrap=FEW)
    (order,) = (each for each in actual if (each.first, each.second) == ("P@1", "f1"))
    assert [(order.systems[change.upper], order.systems[change.lower]) for change in order.changes] == [
        ("better", "worse")
    ]
    assert order.sure == []
    page = ranking_orders.change_table("Made", [order])
    assert (page.rows, page.notes) == ((), ("there are none",))
    assert ranking_orders.order_table("Made", [order]).rows[0][-2:] == (1, 0)


def test_a_system_that_was_ranked_by_the_judging_weights_is_left_out_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    result = made()
    ours = result[1].seeds[0].semantic["f1"]
    circular = SemanticScores(**{**vars(ours), "shares_weights": "yes"})
    monkeypatch.setitem(result[1].seeds[0].semantic, "f1", circular)  # type: ignore[arg-type]
    orders = [
        each
        for each in ranking_orders.study(DATASET, result, ["f1"], bootstrap=FEW)
        if (each.first, each.second) == ("P@1", "f1")
    ]
    assert [(order.left_out, order.agreement.n_systems) for order in orders] == [((), 4), (("near",), 3)]
    assert "near" not in orders[1].systems
    assert not any("near" in row[1:3] for row in ranking_orders.change_table("Made", orders).rows)
    assert ranking_orders.order_table("Made", orders).rows[1][1] == "f1, 1 circular left out"


def test_fewer_than_three_systems_have_no_order() -> None:
    assert ranking_orders.study(DATASET, made()[:2], ["f1"]) == []


def test_wrong_choices_that_reach_the_limit_are_counted() -> None:
    page = ranking_tables.meaning("Made", [result("half", ["n", "w"] * 2), result("words", ["o"] * 4)], ["f1"])
    assert [column.name for column in page.columns] == ["system", "wrong", "questions", "mean", ">= 0.8", "share"]
    half, words = page.rows
    assert half[:3] == ("half", "4.0", 4)
    assert half[3] == pytest.approx(1 / 3)  # two of three words in two of four answers
    assert half[4:] == ("0.0", 0.0)
    assert words[:3] == ("words", "0.0", 4)
    assert np.isnan(words[3])
    assert np.isnan(words[5])


def test_the_control_that_reads_no_question_changes_no_order() -> None:
    control = result("answer-only", ["w", *["n"] * 39])
    without = repr(ranking_orders.study(DATASET, made(), ["f1"], bootstrap=FEW))  # nan is not equal to itself
    other = result("other", ["w", *["n"] * 39])
    assert without == repr(ranking_orders.study(DATASET, [*made(), control], ["f1"], bootstrap=FEW))
    assert without != repr(ranking_orders.study(DATASET, [*made(), other], ["f1"], bootstrap=FEW))
