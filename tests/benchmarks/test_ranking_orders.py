"""Orders of systems in the ranking benchmark, and limits chosen on dev: what is compared with what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

import answersim
from benchmarks import ranking_orders, ranking_tables
from benchmarks.ranking_datasets import Dataset
from benchmarks.ranking_tables import Result
from benchmarks.ranking_thresholds import thresholds
from rankers.evaluation.evaluation import evaluate
from rankers.evaluation.semantic import SemanticScores
from rankers.types import Candidate, Question, Questions, Run

DATASET = Dataset("Made", ("test",), ("MRR", "P@1"), "MRR")


def questions(n: int = 40) -> Questions:
    """Four candidates each: right in the very words, right in other words, wrong in nearly the same, wrong."""
    texts = (("r", "red apple pie", 1), ("o", "crimson fruit tart", 1), ("n", "red apple cake", 0), ("w", "stone", 0))
    items = tuple(
        Question(f"q{i}", f"what {i}?", tuple(Candidate(*each) for each in texts), ("red apple pie",)) for i in range(n)
    )
    return Questions("made", "test", items)


def result(name: str, firsts: Sequence[str], signature: str = "") -> Result:
    """A system that puts these candidates first, question by question, and the others in one order behind them."""
    scores = {
        f"q{i}": {each: 9.0 if each == first else float(3 - "rwno".index(each)) for each in "rwno"}
        for i, first in enumerate(firsts)
    }
    run = Run(name, scores, signature)
    return Result(name, [evaluate(run, questions(len(firsts)), DATASET.measures, ["f1"])], None, None, 0.1)


def made(n: int = 40) -> list[Result]:
    """By P@1 "words" is first; by f1 it falls behind "near", which is wrong in nearly the right words."""
    return [
        result("words", ["o"] * n),
        result("near", ["n"] * n),
        result("half", ["w", "o"] * (n // 2)),
        result("none", ["w"] * n),
    ]


def test_a_metric_and_a_measure_that_disagree_are_shown_with_the_pair() -> None:
    found = ranking_orders.study(DATASET, made(), ["f1"], resamples=200)
    names = {(each.first, each.second): each for each in found}
    assert set(names) == {
        ("MRR", "P@1"),
        *((one, other) for one in DATASET.measures for other in ("f1", "f1 where P@1=0")),
    }
    order = names["P@1", "f1"]
    means = [[each.seeds[0].mean(name) for each in made()] for name in ("P@1", "f1")]
    assert order.agreement.tau == pytest.approx(stats.kendalltau(*means).statistic)
    assert ("words", "near") in {(order.systems[each.upper], order.systems[each.lower]) for each in order.sure}
    page = ranking_orders.change_table("Made", found)
    assert ("P@1", "words", "near", "+1.000") in {row[:4] for row in page.rows}
    kept = {(each["first"], each["second"]): each for each in ranking_orders.records(found)}
    assert kept["P@1", "f1"]["significant_changes"] == len(order.sure)
    assert kept["P@1", "f1"]["changes"][0]["upper"] in order.systems


def test_a_pair_that_may_have_changed_places_by_chance_is_counted_and_not_listed() -> None:
    # "better" is right once more, and its wrong answers have a word less in common on two questions.
    worse = result("worse", ["o", "o", *["n"] * 38])
    better = result("better", ["o", "o", "o", "w", *["n"] * 36])
    found = ranking_orders.study(DATASET, [worse, better, made()[3]], ["f1"], resamples=50)
    (order,) = (each for each in found if (each.first, each.second) == ("P@1", "f1"))
    assert [(order.systems[each.upper], order.systems[each.lower]) for each in order.changes] == [("better", "worse")]
    assert order.sure == []
    page = ranking_orders.change_table("Made", [order])
    assert (page.rows, page.notes) == ((), ("there are none",))
    assert ranking_orders.order_table("Made", [order]).rows[0][-2:] == (1, 0)


def test_a_system_that_was_ranked_by_the_judging_weights_is_left_out_once_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = made()
    own = found[1].seeds[0].semantic["f1"]
    circular = SemanticScores(**{**vars(own), "shares_weights": "yes"})
    monkeypatch.setitem(found[1].seeds[0].semantic, "f1", circular)  # type: ignore[arg-type]
    orders = [
        each
        for each in ranking_orders.study(DATASET, found, ["f1"], resamples=50)
        if (each.first, each.second) == ("P@1", "f1")
    ]
    assert [(each.left_out, each.agreement.n_systems) for each in orders] == [((), 4), (("near",), 3)]
    assert "near" not in orders[1].systems
    assert not any("near" in row[1:3] for row in ranking_orders.change_table("Made", orders).rows)
    assert ranking_orders.order_table("Made", orders).rows[1][1] == "f1, 1 circular left out"


def test_fewer_than_three_systems_have_no_order() -> None:
    assert ranking_orders.study(DATASET, made()[:2], ["f1"]) == []


def test_the_same_call_gives_the_same_orders() -> None:
    one, other = (ranking_orders.study(DATASET, made(), ["f1"], resamples=50) for _ in range(2))
    assert repr(one) == repr(other)  # what is not defined is nan, which equals nothing


def test_wrong_choices_that_reach_the_limit_are_counted() -> None:
    page = ranking_tables.meaning("Made", [result("half", ["n", "w"] * 2), result("words", ["o"] * 4)], ["f1"])
    assert [column.name for column in page.columns] == ["system", "wrong", "of", "mean", ">= 0.8", "share"]
    half, words = page.rows
    assert half[:3] == ("half", "4.0", 4)
    assert half[3] == pytest.approx(1 / 3)  # two of three words in two of four answers
    assert half[4:] == ("0.0", 0.0)
    assert words[:3] == ("words", "0.0", 4)
    assert np.isnan(words[3])
    assert np.isnan(words[5])


def test_a_limit_on_dev_is_reached_by_no_more_than_the_share() -> None:
    metric = answersim.metric("f1")
    found = thresholds(questions(50), {"f1": metric}, 0.25)
    near = answersim.score("red apple pie", "red apple cake", metric="f1")
    assert near < found["f1"] < near + 1e-9  # half of the wrong ones have this value, which is more than a quarter
    assert thresholds(questions(50), {"f1": metric}, 0.5)["f1"] < 1e-9  # then as many as have it are allowed


@pytest.mark.parametrize(("share", "says"), [(0.0, "share is 0"), (1.0, "share is 1")])
def test_a_share_that_is_none_is_refused(share: float, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        thresholds(questions(2), {"f1": answersim.metric("f1")}, share)


def test_a_dev_split_without_wrong_candidates_is_refused() -> None:
    right = Questions("made", "dev", (Question("q", "what?", (Candidate("r", "red", 1),)),))
    with pytest.raises(ValueError, match="no wrong candidate"):
        thresholds(right, {"f1": answersim.metric("f1")}, 0.1)
