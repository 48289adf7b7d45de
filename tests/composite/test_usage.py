"""Receipts of cascades: what was decided, saved and spent."""

import math

import numpy as np
import pytest

import answersim
from answersim.composite.cascade import Cascade
from answersim.composite.stages import EVERY, Stage
from answersim.composite.usage import CascadeUsage
from answersim.types import Capabilities

RECEIPT = CascadeUsage(("typed", "recall", "judge"), 10, 20, (1, 6, 3), (20, 18, 5), (math.nan, math.nan, math.nan))


class Paid:
    """A judge that reports what it spent: 2 per pair."""

    capabilities = Capabilities(cost="remote")
    signature = "paid|rev:1"

    def __init__(self) -> None:
        self.spent = 0.0

    def __call__(self, pairs):
        self.spent += 2.0 * len(pairs)
        return np.ones(len(pairs))


def test_calls_are_saved_where_the_last_stage_is_not_needed():
    assert RECEIPT.saved == 15
    assert str(RECEIPT) == (
        "of 10 answers, the stages decided: typed 1 (10.0 %), recall 6 (60.0 %), judge 3 (30.0 %); judge scored 5 of "
        "20 pairs, 75.0 % saved"
    )


def test_prices_are_for_pairs_that_a_stage_scored():
    assert RECEIPT.cost() == 0.0
    assert RECEIPT.cost({"judge": 0.5, "recall": 0.001}) == pytest.approx(2.518)
    assert RECEIPT.cost_alone({"judge": 0.5}) == 10.0
    with pytest.raises(LookupError, match="no stage with a price is called 'judg'; did you mean 'judge'"):
        RECEIPT.cost({"judg": 0.5})
    with pytest.raises(ValueError, match="the price of judge is nan"):
        RECEIPT.cost({"judge": math.nan})


def test_a_stage_that_reports_what_it_spent_needs_no_price():
    judge = Paid()
    judge.spent = 100.0  # before
    metric = Cascade((Stage("typed", None, *EVERY), Stage("judge", judge, *EVERY, raw=True)))
    scores = answersim.score(["11", "Rome", "Oslo"], ["eleven", "a", "b"], metric)
    receipt = scores.usage[metric.signature]
    assert receipt.asked == (3, 2)
    assert math.isnan(receipt.spent[0])
    assert (receipt.spent[1], receipt.cost(), receipt.cost({"typed": 1.0}), receipt.cost_alone()) == (
        4.0,
        4.0,
        7.0,
        6.0,
    )
    assert str(receipt).endswith("; spent 4")
    assert math.isnan(CascadeUsage(("a", "b"), 1, 1, (1, 0), (1, 0), (math.nan, 0.0)).cost_alone())


def test_each_call_returns_what_its_cascades_did():
    one = answersim.metric("cascade", stages=["typed", "recall"])
    other = answersim.metric("cascade", stages=["typed", "recall", "f1"])
    pairs = [(["11", "12"], "eleven"), ("Rome", "in Rome")]
    first = answersim.score_pairs(pairs, [one, other, "em"])["em"].usage
    assert list(first) == [one.signature, other.signature]
    assert first[one.signature].to_dict() | {"summary": 0, "spent": 0} == {
        **{"summary": 0, "names": ["typed", "recall"], "n": 2, "pairs": 3, "decided": [1, 1], "asked": [3, 1]},
        "spent": 0,
    }
    second = answersim.score(["National Football League"], ["football"], other).usage
    total = first[other.signature] + second[other.signature]
    assert (total.n, total.pairs, total.decided[2], total.asked[:1]) == (3, 4, 1, (4,))
    assert answersim.score(["a"], ["a"], "f1").usage == {}


def test_a_cascade_on_extracted_answers_and_one_inside_typed_rules_are_counted(tmp_path):
    gold, pred = ["Rome", "11"], ["So: \\boxed{in Rome}", "\\boxed{eleven}"]
    for name, options in (("cascade", {"extract": "boxed"}), ("typed+cascade", {})):
        metric = answersim.metric(name, stages=["recall", "f1"], **options)
        for cache in (None, tmp_path):
            (usage,) = answersim.score(gold, pred, metric, cache=cache).usage.values()
            assert (usage.names, usage.n) == (("recall", "f1"), 2)


def test_no_answers_make_an_empty_usage():
    metric = answersim.metric("cascade", stages=["typed", "recall"])
    usage = answersim.score([], [], metric).usage[metric.signature]
    assert (usage.n, usage.pairs, usage.decided, usage.asked) == (0, 0, (0, 0), (0, 0))
    assert str(usage).startswith("of 0 answers")
