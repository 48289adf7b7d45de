"""evaluate(unsure=): a second metric decides the unsure answers and no others, and the result counts what it did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim.evaluation.systems.second_pass import SecondPass
from answersim.types import Capabilities, Pair
from tests.cases import every

N = 30
FIRST = {"gold": [f"red fox{i}" for i in range(N)], "id": list(range(N))}
FIRST |= {"a": [f"red fox{i}" if i < 10 else f"some fox{i}" if i < 25 else "cats" for i in range(N)]}
FIRST |= {"b": [f"fox{i}" if i < 4 else "cats" for i in range(N)]}
FIRST |= {"question": [f"Which {i}?" for i in range(N)]}


class Judge:
    """A verdict that depends on the digit at the end of the prediction; it reads questions."""

    capabilities = Capabilities(scale="binary", reads_questions=True, cost="remote")
    reads_questions = True
    signature = "mine|v:1"

    def __init__(self) -> None:
        self.pairs: list[Pair] = []
        self.questions: list[str] = []

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        self.pairs += pairs
        self.questions += questions or []
        return np.array([{0: 1.0, 1: 0.5}.get(int(pred[-1]) % 3, 0.0) for _, pred in pairs])


def evaluated(**how: Any) -> answersim.Evaluation:
    return answersim.evaluate(FIRST, "recall", pred=["a", "b"], question="question", **how)


def test_only_unsure_answers_are_scored_again_and_the_others_stay():
    judge, plain = Judge(), evaluated()
    evaluation = evaluated(unsure={"mine": judge})
    unsure = [(row.system, row.row, row.question, row.pred) for row in plain.only("unsure")]
    assert [pair.pred for pair in judge.pairs] == [pred for *_, pred in unsure]
    assert judge.questions == [question for _, _, question, _ in unsure]
    assert [tuple(second) for second in evaluation.second] == [
        ("a", "mine", 15, 6, 4, 5, 0),
        ("b", "mine", 4, 2, 1, 1, 0),
    ]
    for second in evaluation.second:
        before, after = plain.row(second.system), evaluation.row(second.system)
        assert (before.unsure, after.unsure) == (second.n, second.unsure)
        assert (after.right, after.wrong) == (before.right + second.right, before.wrong + second.wrong)
        assert after.mean == before.mean
        assert after.share.value == after.right / N
    remaining = {(row.system, row.row) for row in plain.only("wrong")}
    assert remaining < {(row.system, row.row) for row in evaluation.only("wrong")}


def test_the_result_has_the_counts_the_signature_and_the_rule():
    evaluation = evaluated(unsure={"mine": Judge()})
    assert evaluation.summary()[2:] == [
        "a: mine scored the 15 unsure answers: 6 right, 4 wrong, 5 still unsure",
        "b: mine scored the 4 unsure answers: 2 right, 1 wrong, 1 still unsure",
    ]
    assert "unsure answers, by mine: mine|question:yes|v:1" in evaluation.footer()
    record = evaluation.to_dict()
    assert record["second"][1] == dict(zip(SecondPass._fields, evaluation.second[1], strict=True))
    assert record["settings"]["unsure by"]["counted by"] == "binary"
    assert evaluation.signature == "recall|text:en|rev:1"
    assert "b: mine scored the 4 unsure answers" in evaluation.to_markdown()
    assert "second" not in evaluated().to_dict()


def test_a_calibrated_second_metric_gives_its_probabilities():
    labels = [1, 0] * 20
    scores = answersim.score(["a b"] * 40, ["a b", "c"] * 20, metric="f1")
    mine = answersim.calibrate(scores, labels, bootstrap=answersim.Bootstrap(resamples=10))
    plain, result = evaluated(), evaluated(unsure=("f1", mine), keep=["right", "wrong", "unsure"])
    unsure = {(row.system, row.row) for row in plain.only("unsure")}
    seconds = [row for row in result.answers if (row.system, row.row) in unsure]
    f1 = [answersim.score(row.gold, row.pred, "f1") for row in seconds]
    assert [row.probability for row in seconds] == [float(mine.probability(score)) for score in f1]
    assert result.settings["unsure by"]["calibration"] == mine.signature


def test_no_unsure_answers_are_no_work():
    judge = Judge()
    evaluation = answersim.evaluate({"gold": ["Rome"] * 4, "pred": ["Rome"] * 4}, "em", unsure={"mine": judge})
    assert judge.pairs == []
    assert evaluation.summary()[1] == "mine scored the 0 unsure answers: 0 right, 0 wrong, 0 still unsure"


def test_an_error_of_the_second_metric_names_the_row_of_the_table():
    class Broken(Judge):
        def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
            return np.array([np.nan if pred == "some fox12" else 1.0 for _, pred in pairs])

    with pytest.raises(answersim._base.errors.NonFiniteScoreError, match="pair 13 "):
        evaluated(unsure={"mine": Broken()})


@every(
    ("unsure", "how", "error", "message"),
    [
        ("recall", {}, ValueError, "unsure='recall' is given .* but it is the metric itself"),
        ("bleu", {}, ValueError, "unsure='bleu' is given .* no calibration ships for bleu"),
        ("f1", {"calibration": answersim.Verdicts(threshold=0.5)}, ValueError, "a threshold leaves no answer unsure"),
        ("f1", {"calibration": None}, ValueError, "unsure='f1' is given .* no calibration is used"),
        ("f2", {}, LookupError, "no metric is called 'f2'"),
        (("f1", "recall"), {}, ValueError, "recall is another metric than f1|f1 is another metric than recall"),
        (3, {}, TypeError, "metric is 3"),
    ],
)
def test_a_second_metric_without_effect_or_verdicts_is_refused_before_any_work(unsure, how, error, message):
    class Untouched(Judge):
        signature = "recall|text:en|rev:1"
        capabilities, reads_questions = Capabilities(), False

        def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
            raise AssertionError("scored all the same")

    with pytest.raises(error, match=message):
        answersim.evaluate(FIRST, {"recall": Untouched()}, pred=["a", "b"], unsure=unsure, **how)
