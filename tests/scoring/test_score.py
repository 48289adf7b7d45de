"""`answersim.score` and `score_pairs`: arguments, references, questions, and what is refused."""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.catalog.lookup import metric
from answersim.types import FloatArray, Pair, Score, Scores
from tests.cases import every
from tests.scoring.length_metrics import Asked, Length


def test_two_strings_give_a_score_with_its_signature() -> None:
    score = answersim.score("National Football League", "the Football League", metric="f1")
    assert isinstance(score, Score)
    assert score == pytest.approx(0.8)
    assert score.signature == metric("f1").signature


def test_without_a_metric_it_is_that_of_the_calibration_or_the_default_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answersim.catalog.lookup.DEFAULT_METRIC", "meteor")
    assert answersim.score("Rome", "in Rome").signature == metric("meteor").signature
    assert answersim.score("Rome", "in Rome", calibration="shipped").signature == metric("meteor").signature
    assert answersim.score("Rome", "in Rome", calibration="f1").signature == metric("f1").signature
    assert answersim.score(["Rome"], ["in Rome"]).signature == metric("meteor").signature


def test_two_sequences_give_scores_in_order() -> None:
    scores = answersim.score(["a b", "c"], ["c", "c"], metric="em")
    assert isinstance(scores, Scores)
    assert scores.values.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        iter,
        np.array,
        lambda answers: np.array(answers, dtype=object),
        lambda answers: dict.fromkeys(answers).keys(),
    ],
)
def test_any_ordered_iterable_of_strings_will_do(make: Any) -> None:
    assert answersim.score(make(["x", "y"]), make(["x", "z"]), metric="em").values.tolist() == [1.0, 0.0]


def test_a_whole_table_is_refused() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"a": ["x"]})
    with pytest.raises(TypeError, match=r"gold is a DataFrame with the columns \['a'\]; give one of them"):
        answersim.score(frame, ["x"])
    with pytest.raises(TypeError, match="pred is a DataFrame"):
        answersim.score(["x"], frame)


def test_a_column_of_a_data_frame_will_do() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"gold": ["x", "y"], "pred": ["x", "z"]}, index=[7, 3])
    assert answersim.score(frame["gold"], frame["pred"], metric="em").values.tolist() == [1.0, 0.0]


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


@every(
    ("gold", "pred", "error", "words"),
    [
        (["a", "b"], ["a"], ValueError, "gold has 2 entries and pred has 1"),
        (["a", None], ["a", "b"], TypeError, r"gold\[1\] is None"),
        (["a"], [None], TypeError, r"pred\[0\] is None .*empty string"),
        (["a"], [5], TypeError, r"pred\[0\] is 5 \(int\)"),
        (["a"], [float("nan")], TypeError, r"pred\[0\] is nan .*empty string"),
        (["a"], [b"a"], TypeError, r"pred\[0\] is b'a' \(bytes\)"),
        (["a"], [["a"]], TypeError, r"pred\[0\] is \['a'\]"),
        ([["a", 3]], ["a"], TypeError, r"gold\[0\] is 3"),
        ([{"a"}], ["a"], TypeError, r"gold\[0\] is \{'a'\}"),
        ([[]], ["a"], ValueError, r"gold\[0\] contains no reference"),
        ([], "a", ValueError, r"gold\[0\] contains no reference"),
        ("a", ["a"], TypeError, "gold is one string but pred is list"),
        ("a", None, TypeError, "pred is None|gold is one string"),
        (None, "a", TypeError, r"gold\[0\] is None"),
        (None, ["a"], TypeError, "gold is None"),
        ({"a": 1}, ["a"], TypeError, "gold is"),
        ({"a"}, ["a"], TypeError, "gold is"),
        (b"a", [b"a"], TypeError, "gold is b'a'"),
        (["a"], [decimal.Decimal(3)], TypeError, "Decimal"),
        (["ok", "\ud800x"], ["a", "b"], ValueError, r"gold\[1\] holds the lone surrogate U\+D800 at position 0"),
        ("a", "x\udfff", ValueError, r"pred\[0\] holds the lone surrogate U\+DFFF at position 1"),
    ],
)
def test_bad_answers_are_refused_before_any_work(gold: Any, pred: Any, error: type[Exception], words: str) -> None:
    mine = Length()
    with pytest.raises(error, match=words):
        answersim.score(gold, pred, metric=mine)
    assert mine.calls == 0


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


@every(
    ("pred", "question", "error", "words"),
    [
        ("a", ["who"], TypeError, r"question is \['who'\] \(list\), but for one prediction it must be one string"),
        ("a", 5, TypeError, r"question is 5 \(int\)"),
        ("a", "\ud800", ValueError, r"question\[0\] holds the lone surrogate"),
        (["a", "b"], "who", TypeError, r"question is the one string 'who' .*2 predictions; give .*\['who'\] \* 2"),
        (["a", "b"], ["who"], ValueError, "there are 1 questions and 2 predictions; give one per prediction"),
        (["a", "b"], ["who", None], TypeError, r"question\[1\] is None .*a question is a string; .*'no question'"),
        (["a", "b"], ["who", 7], TypeError, r"question\[1\] is 7 \(int\), but a question is a string"),
        (["a", "b"], {"who", "what"}, TypeError, "question is {"),
    ],
)
def test_a_bad_question_is_refused_before_any_work(
    pred: Any, question: Any, error: type[Exception], words: str
) -> None:
    mine = Asked()
    with pytest.raises(error, match=words):
        answersim.score(pred, pred, mine, question=question)
    assert mine.calls == 0


def test_a_question_that_no_metric_reads_is_refused_before_any_work() -> None:
    mine = Length()
    with pytest.raises(
        ValueError, match=r"a question is given, but length, em reads no question; .*'sas' reads questions with an"
    ):
        answersim.score_pairs([("a", "b")], [mine, "em"], question=["who"])
    assert mine.calls == 0
    assert answersim.score("a", "bc", mine, question="") == 2.0  # an empty one is none
    assert answersim.score_pairs([("a", "bc")], [mine, Asked()], question=["who"])["length|v:1"].mean == 2.0


def test_nan_in_a_data_frame_is_an_error_that_names_its_row() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"pred\[1\] is nan"):
        answersim.score(["a", "b"], pandas.Series(["a", float("nan")], dtype=object))


@every(
    ("asked", "error", "words"),
    [
        ({"metric": "bertscor-trained"}, LookupError, "did you mean 'bertscore-trained'"),
        ({"metric": "F-1"}, LookupError, "no metric is called 'F-1'"),
        ({"metric": 5}, TypeError, "metric is 5"),
        ({"lang": "english"}, LookupError, "ISO 639-1"),
        ({"lang": "english", "metric": "bleu-paper"}, LookupError, "ISO 639-1"),
        ({"profile": "papr"}, LookupError, "did you mean 'paper'"),
        ({"profile": "papr", "metric": "bleu"}, LookupError, "did you mean 'paper'"),
        ({"profile": "papr", "metric": "meteor"}, LookupError, "did you mean 'paper'"),
        ({"profile": "squad", "metric": "sas"}, LookupError, "embedded, modern, multilingual, paper, strong"),
        ({"profile": "paper", "metric": "sas", "lang": "fr"}, LookupError, "'paper' has no sas for the language 'fr'"),
        ({"metric": "f1", "layer": 3}, TypeError, "'f1' has no option 'layer'; its options are extract, extract_gold"),
        ({"metric": "meteor", "alfa": 1}, TypeError, "its options are alpha, beta, gamma, order, words"),
        (
            {"metric": "bertscore-trained", "layer": 7},
            ValueError,
            "layer is 7, but all-MiniLM-L6-v2 has the layers 0 to 6",
        ),
        ({"metric": "bertscore-trained", "layer": "2"}, TypeError, "layer is '2' .*whole number"),
        ({"metric": "bertscore-trained", "measure": "f2"}, LookupError, "measure"),
        ({"metric": "bertscore-trained", "precision": "fp8"}, LookupError, "precision"),
        ({"metric": "bertscore-trained", "max_length": 513}, ValueError, "reads 3 to 512"),
        ({"metric": "bertscore-trained", "idf": "one text"}, TypeError, r"idf is the string .*give \['one text'\]"),
        ({"metric": "bertscore-trained", "idf": []}, ValueError, "idf must be a corpus"),
        ({"metric": "bertscore-trained", "baseline": "/no/file.tsv"}, FileNotFoundError, "no baseline file"),
        ({"metric": "bi-encoder", "pooling": "last"}, LookupError, "pooling"),
        ({"metric": "sas", "order": "both"}, LookupError, "order"),
        ({"metric": "sas", "activation": "relu"}, LookupError, "activation"),
        ({"metric": "sas", "batch_tokens": 0}, ValueError, "batch_tokens is 0"),
    ],
)
def test_a_wrong_request_names_the_value_the_rule_and_the_way_out(
    asked: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        answersim.score("a", "b", **asked)


def test_a_built_metric_takes_no_options() -> None:
    with pytest.raises(TypeError, match="already built"):
        answersim.score("a", "b", metric=Length(), layer=3)


@pytest.mark.parametrize("asked", [{"lang": "de"}, {"lang": "en"}, {"profile": "squad"}])
def test_what_a_built_metric_cannot_obey_is_refused(asked: dict[str, Any]) -> None:
    mine, (name,) = Length(), asked
    with pytest.raises(TypeError, match=rf"{name} is .*length\|v:1 is already built and has its own"):
        answersim.score("a", "b", metric=mine, **asked)
    with pytest.raises(TypeError, match=rf"{name} is .*already built"):
        answersim.score_pairs([("a", "b")], ["em", mine], **asked)
    with pytest.raises(TypeError, match="already built"):
        answersim.score("a", "b", metric=metric("f1"), **asked)
    assert mine.calls == 0


@pytest.mark.parametrize(
    ("name", "profile", "words"),
    [
        ("bleu-paper", "squad", "bleu-paper has no profile 'squad'"),
        ("bleu-paper", "unicode", "bleu-paper has no profile 'unicode', only embedded, paper"),
        ("meteor", "unicode", "meteor has no profile 'unicode', only embedded, paper, squad"),
    ],
)
def test_a_profile_that_a_metric_would_ignore_is_refused(name: str, profile: str, words: str) -> None:
    with pytest.raises(LookupError, match=words):
        metric(name, profile=profile)


@every("name", ["sas", "bi-encoder", "bertscore-vanilla"])
@every("profile", ["paper", "embedded", "papr"])
def test_a_profile_and_a_model_are_not_given_together(name: str, profile: str) -> None:
    with pytest.raises(TypeError, match=f"model is 'here' and profile is '{profile}'.*give one"):
        metric(name, model="here", profile=profile)


def test_a_class_is_no_metric_and_the_error_says_what_to_give() -> None:
    with pytest.raises(TypeError, match=r"metric is the class Length, but it must be an object; give Length\(\)"):
        answersim.score("a", "b", metric=Length)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="metric is the class Length"):
        answersim.score_pairs([("a", "b")], [Length])  # type: ignore[list-item]


def test_an_alias_is_the_metric_that_it_names() -> None:
    assert metric("bertscore") == metric("bertscore-trained")
    assert "bertscore" not in answersim.names()
    assert list(answersim.score_pairs([("a", "b")], ["bertscore", "f1"], precision="bf16")) == ["bertscore", "f1"]
    with pytest.raises(TypeError, match="the metric 'bertscore' has no option 'pooling'"):
        metric("bertscore", pooling="mean")


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


@pytest.mark.parametrize("pairs", [["ab"], [("a",)], [("a", "b", "c")], [3], [None]])
def test_what_is_no_pair_is_refused(pairs: Any) -> None:
    with pytest.raises(TypeError, match=r"pairs\[0\]"):
        answersim.score_pairs(pairs, ["em"])


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
