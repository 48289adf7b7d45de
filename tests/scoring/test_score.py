"""`answersim.score` and `score_pairs`: arguments, references, questions, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim.calibration.scores import Score, Scores
from answersim.metrics.catalog.lookup import metric
from answersim.types import Pair
from tests.scoring.length_metrics import Asked, Length


def test_two_strings_give_a_score_with_its_signature() -> None:
    score = answersim.score("National Football League", "the Football League", metric="f1")
    assert isinstance(score, Score)
    assert score == pytest.approx(0.8)
    assert score.signature == metric("f1").signature


def test_two_sequences_give_scores_in_order() -> None:
    scores = answersim.score(["a b", "c"], ["c", "c"], metric="em")
    assert isinstance(scores, Scores)
    assert scores.values.tolist() == [0.0, 1.0]


def test_the_best_of_several_references_counts_and_is_kept() -> None:
    golds = [["NFL", "National Football League"], ["x"], ["q", "y z", "y"]]
    scores = answersim.score(golds, ["National Football League", "y", "y"], metric="f1")
    assert scores.values.tolist() == [1.0, 0.0, 1.0]
    assert scores.references.tolist() == [1, 0, 2]
    one = answersim.score(golds[0], "National Football League", metric="f1")
    assert (one, one.reference) == (1.0, 1)


def test_of_equally_good_references_the_first_wins() -> None:
    assert answersim.score([["x", "x"]], ["x"], metric="f1").references.tolist() == [0]


def test_references_may_be_mixed_with_single_answers() -> None:
    assert answersim.score(["x", ["y", "z"]], ["x", "z"], metric="f1").values.tolist() == [1.0, 1.0]


def test_no_answers_give_no_scores() -> None:
    scores = answersim.score([], [], metric="f1")
    assert (len(scores), scores.signature) == (0, metric("f1").signature)
    assert math.isnan(scores.mean)


def test_each_prediction_has_its_question_and_so_has_each_of_its_references() -> None:
    assert answersim.score("a", "b", Asked(), question="who") == 3.0
    assert answersim.score(["a", "b"], "b", Asked(), question="who") == 3.0
    asked = iter(["who", "", "which"])
    assert answersim.score(["a", ["b", "c"], "d"], ["x", "y", "z"], Asked(), question=asked).values.tolist() == [
        3,
        0,
        5,
    ]
    scored = answersim.score_pairs([("a", "x"), (["b", "c"], "y")], ["em", Asked()], question=["", "who"])
    assert scored["asked|v:1"].values.tolist() == [0.0, 3.0]


def test_a_signature_says_whether_questions_were_read() -> None:
    mine = Asked()
    assert answersim.score("a", "b", mine, question="who").signature == "asked|question:yes|v:1"
    assert answersim.score("a", "b", mine, question="").signature == "asked|v:1"
    assert answersim.score("a", "b", mine).signature == "asked|v:1"
    some = answersim.score(["a", "b"], ["c", "d"], mine, question=["", "who"])
    assert some.signature == some[0].signature == some[1:].signature == "asked|question:yes|v:1"
    assert answersim.score(["a"], ["c"], mine, question=[""]).signature == "asked|v:1"
    scores = answersim.score_pairs([("a", "b")], ["em", mine], question=["who"])
    assert {name: value.signature for name, value in scores.items()} == {
        "em": metric("em").signature,
        "asked|v:1": "asked|question:yes|v:1",
    }


def test_a_question_that_no_metric_reads_is_refused_before_any_work() -> None:
    mine = Length()
    with pytest.raises(
        ValueError, match=r"a question is given, but length, em reads no question; .*'sas' reads questions with an"
    ):
        answersim.score_pairs([("a", "b")], [mine, "em"], question=["who"])
    assert mine.calls == 0
    assert answersim.score("a", "bc", mine, question="") == 2.0  # an empty one is none
    assert answersim.score_pairs([("a", "bc")], [mine, Asked()], question=["who"])["length|v:1"].mean == 2.0


@pytest.mark.parametrize("scorer", [False, True])
def test_a_metric_that_returns_too_few_numbers_is_found_out(scorer: bool) -> None:
    class Short(Length):
        def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
            return np.zeros(1)

    if scorer:
        Short.scorer = None  # type: ignore[attr-defined] # as a cross-encoder has one
    with pytest.raises(ValueError, match="returned an array of shape"):
        answersim.score(["a", "b"], ["a", "b"], metric=Short())


def test_score_pairs_gives_scores_by_metric() -> None:
    pairs = [Pair("p q", "p"), ("c", "c"), (["x", "d"], "d")]
    scored = answersim.score_pairs(pairs, ["em", "recall", mine := Length()])
    assert list(scored) == ["em", "recall", mine.signature]
    assert scored["em"].values.tolist() == [0.0, 1.0, 1.0]
    assert scored["recall"].values.tolist() == [0.5, 1.0, 1.0]
    assert scored["em"].references.tolist() == [0, 0, 1]


def test_one_metric_may_be_given_without_a_sequence() -> None:
    pairs = [("a", "b"), ("a", "a")]
    assert answersim.score_pairs(pairs, "em")["em"].values.tolist() == [0, 1]
    built = answersim.metric("em")
    assert answersim.score_pairs(pairs, built)[built.signature].values.tolist() == [0, 1]


def test_several_metrics_in_one_call_score_as_each_alone() -> None:
    pairs = [Pair("National Football League", "the NFL"), Pair("11", "eleven"), Pair("", "x"), Pair("Paris", "Paris")]
    names = ["bi-encoder", "bertscore-vanilla", "f1", "bertscore-trained"]
    together = answersim.score_pairs(pairs, names)
    for name in names:
        np.testing.assert_allclose(together[name], metric(name)(pairs), atol=1e-6, rtol=0)
        assert together[name].signature == metric(name).signature


def test_no_bar_where_stderr_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    answersim.score(["a b c"] * 20_000, ["a b"] * 20_000, metric="rouge-l")
    assert capfd.readouterr() == ("", "")
