"""score and score_pairs: the input is checked before any work, and scores are signed."""

from __future__ import annotations

import copy
import decimal
import math
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.catalog.lookup import metric
from answersim.types import FloatArray, Pair, Score, Scores
from tests.tracing import calls_between_files


class Length:
    """A metric of a user's own: the length of the prediction; it counts how often it is asked."""

    signature = "length|v:1"

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        self.calls += 1
        return np.array([float(len(pred)) for _, pred in pairs])


class Asked(Length):
    """The length of the question, for a metric that reads questions."""

    signature = "asked|v:1"
    reads_questions = True

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        self.calls += 1
        return np.array([float(len(each)) for each in questions or [""] * len(pairs)])


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


@pytest.mark.parametrize(
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


def test_a_calibration_is_for_scores_with_the_same_use_of_questions() -> None:
    mine = Asked()
    gold, asked = ["a"] * 40, ["who", ""] * 20
    plain = answersim.calibrate([float(i % 2) for i in range(40)], [0, 1] * 20, signature="asked|v:1", resamples=10)
    reading = answersim.calibrate(answersim.score(gold, gold, mine, question=asked), [1, 0] * 20, resamples=10)
    assert reading.signature == "asked|question:yes|v:1"
    assert answersim.score("a", "b", mine, question="who", calibration=reading).verdict
    calls = mine.calls
    with pytest.raises(ValueError, match=r"'asked\|v:1'.*'asked\|question:yes\|v:1'.*leave the question out"):
        answersim.score("a", "b", mine, question="who", calibration=plain)
    with pytest.raises(ValueError, match=r"'asked\|question:yes\|v:1'.*'asked\|v:1'.*give the question"):
        answersim.score("a", "b", mine, calibration=reading)
    with pytest.raises(ValueError, match="give the question"):
        answersim.score_pairs([("a", "b")], [mine], question=[""], calibration={"asked|v:1": reading})
    with pytest.raises(LookupError, match="made with questions"):
        answersim.score("a", "b", mine, question="who", calibration="shipped")
    assert mine.calls == calls


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


def test_a_metric_of_ones_own_scores_and_signs() -> None:
    score = answersim.score("a", "bcd", metric=Length())
    assert (score, score.signature) == (3.0, "length|v:1")


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


@pytest.mark.parametrize("name", ["sas", "bi-encoder", "bertscore-vanilla"])
@pytest.mark.parametrize("profile", ["paper", "embedded", "papr"])
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


# --- the index of a data frame


def test_scores_keep_the_index_of_a_series() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"gold": ["a", "b", "c"], "pred": ["a", "x", "c"]}, index=[7, 3, 5])
    for gold, pred in (
        (frame["gold"], frame["pred"]),
        (frame["gold"], list(frame["pred"])),
        (list(frame["gold"]), frame["pred"]),
    ):
        scores = answersim.score(gold, pred, metric="em")
        frame["em"] = scores.to_pandas()
        assert frame["em"].tolist() == [1.0, 0.0, 1.0]
        assert scores.to_pandas().index.tolist() == [7, 3, 5]
        assert scores[1:].to_pandas().index.tolist() == [3, 5]
        assert scores[np.array([True, False, True])].to_pandas().index.tolist() == [7, 5]
        assert scores[[2, 0]].to_pandas().index.tolist() == [5, 7]  # type: ignore[call-overload]
        assert scores[::-1][0:1].to_pandas().to_dict() == {5: 1.0}
        assert pickle.loads(pickle.dumps(scores)).to_pandas().index.tolist() == [7, 3, 5]
    calibrated = answersim.score(frame["gold"], frame["pred"], metric="f1", calibration="f1")
    assert calibrated.to_pandas().index.tolist() == [7, 3, 5]
    assert calibrated[1:].to_pandas().index.tolist() == [3, 5]
    assert copy.deepcopy(calibrated).to_pandas().index.tolist() == [7, 3, 5]
    asked = answersim.score(["a", "b"], ["a", "b"], Asked(), question=pandas.Series(["who", ""], index=["x", "y"]))
    assert asked.to_pandas().to_dict() == {"x": 3.0, "y": 0.0}
    assert answersim.score(["a"], ["a"]).to_pandas().index.tolist() == [0]


def test_two_series_with_other_indexes_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    gold = pandas.Series(["a", "b"], index=[0, 1])
    with pytest.raises(ValueError, match=r"gold and pred are pandas.Series with different indexes.*tolist"):
        answersim.score(gold, pandas.Series(["b", "a"], index=[1, 0]))
    with pytest.raises(ValueError, match="pred and question are"):
        answersim.score(["a", "b"], gold, Asked(), question=pandas.Series(["b", "a"], index=[1, 0]))
    assert answersim.score(gold, pandas.Series(["a", "b"], index=[0, 1]), "em").mean == 1.0


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


def test_a_plug_in_is_found_by_name_and_cannot_shadow_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    from answersim.catalog import lookup

    points = [EntryPoint(name, f"{__name__}:unused", lookup.ENTRY_POINTS) for name in ("length", "f1")]
    monkeypatch.setattr(EntryPoint, "load", lambda self: lambda *, lang, profile: Length())
    monkeypatch.setattr(lookup, "entry_points", lambda group: points if group == lookup.ENTRY_POINTS else [])
    assert answersim.score("a", "bcd", metric="length") == 3.0
    assert answersim.score("a", "a", metric="f1").signature == metric("f1").signature
    with pytest.raises(LookupError, match="length"):
        answersim.score("a", "b", metric="lenght")


def test_a_plug_in_is_told_of_as_ours_are(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    from answersim.catalog import lookup

    def build(*, lang: str, profile: str | None, power: int = 1) -> Length:
        """The length of the prediction."""
        return Length()

    point = EntryPoint("length", f"{__name__}:unused", lookup.ENTRY_POINTS)
    monkeypatch.setattr(EntryPoint, "load", lambda self: build)
    monkeypatch.setattr(lookup, "entry_points", lambda group: [point])
    message = lookup.entry("length")
    assert (message.kind, message.summary) == ("plug-in", "The length of the prediction.")
    assert lookup.options_of("length") == ("power",)


def test_a_calibration_leaves_the_numbers_as_they_are_and_says_what_they_mean() -> None:
    gold, pred = ["Rome", "Rome", "a b c"], ["in Rome", "Milan", "c d e"]
    plain = answersim.score(gold, pred, metric="f1")
    scores = answersim.score(gold, pred, metric="f1", calibration="f1")
    assert scores == plain
    assert [score.verdict for score in scores] == scores.verdicts.tolist()  # type: ignore[attr-defined] # calibrated
    one = answersim.score(["Milan", "Rome"], "in Rome", metric="f1", calibration="shipped")
    assert (float(one), one.reference, one.verdict) == (float(plain[0]), 1, scores[0].verdict)
    assert one.probability == scores.probabilities[0]
    assert not hasattr(answersim.score("Rome", "Rome"), "verdict")


def test_a_calibration_is_made_of_scores_and_labels_and_used_for_others_of_their_kind() -> None:
    labels = [1, 0] * 20
    scores = answersim.score(["a b"] * 40, ["a b", "c"] * 20, metric="f1")
    mine = answersim.calibrate(scores, labels, resamples=10, target=0.8)
    assert answersim.score("x y", "x y", metric="f1", calibration=mine).verdict == "equivalent"
    assert answersim.score("x y", "z", metric="f1", calibration=mine).verdict == "different"


def test_a_calibration_of_another_metric_is_refused_before_any_work() -> None:
    class Untouched:
        signature = "untouched|v:1"

        def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
            raise AssertionError("scored all the same")

    with pytest.raises(ValueError, match="untouched is another metric than f1"):
        answersim.score("a", "b", metric=Untouched(), calibration="f1")
    with pytest.raises(ValueError, match="text is squad and not en"):
        answersim.score("a", "b", metric="f1", profile="squad", calibration="f1")
    with pytest.raises(LookupError, match="no calibration is called 'f2'"):
        answersim.score("a", "b", metric="f1", calibration="f2")


def test_several_metrics_have_their_calibrations_by_name() -> None:
    scores = answersim.score_pairs([("Rome", "in Rome")], ["em", "f1"], calibration={"f1": "shipped"})
    assert isinstance(scores["f1"], answersim.CalibratedScores)
    assert not isinstance(scores["em"], answersim.CalibratedScores)
    with pytest.raises(LookupError, match="calibration is given for 'recall', but the metrics are: em, f1"):
        answersim.score_pairs([("a", "b")], ["em", "f1"], calibration={"recall": "shipped"})
    with pytest.raises(TypeError, match=r"give a mapping from their names, such as \{'em': 'shipped'\}"):
        answersim.score_pairs([("a", "b")], ["em", "f1"], calibration="f1")  # type: ignore[arg-type]


# --- the path of a call


@pytest.mark.parametrize("name", ["f1", "em", "recall"])
def test_a_score_by_name_enters_at_most_twelve_functions_of_other_files(name: str) -> None:
    answersim.score("National Football League", "the NFL", name)  # it is built once
    calls = calls_between_files(lambda: answersim.score("National Football League", "the NFL", name))
    assert ("score.py", "score") in calls
    assert len(calls) <= 12, calls


@pytest.mark.parametrize("name", answersim.names())
@pytest.mark.parametrize(
    ("gold", "pred"), [("National Football League", "the NFL"), ("", ""), ("x", ""), ("Rome", "Rome")]
)
def test_the_score_of_one_pair_is_that_of_many(name: str, gold: str, pred: str) -> None:
    if answersim.catalog.lookup.entry(name).kind != "lexical":
        pytest.importorskip("torch")
    one = answersim.score(gold, pred, name)
    many = answersim.score([gold], [pred], name)
    assert (one, one.signature, one.reference) == (many[0], many.signature, 0)


@pytest.mark.filterwarnings("ignore::answersim.errors.TruncationWarning")
def test_a_verdict_of_the_best_reference_says_whether_it_was_read_as_a_whole() -> None:
    pytest.importorskip("torch")
    long = "Rome " * 600
    golds = [[long, "Rome"], ["Rome", "Paris"]]  # the first prediction is best scored against its short reference
    scores = answersim.score(golds, ["Rome", long], "bertscore", calibration="shipped")
    assert scores.truncated.tolist() == [False, True]
    assert answersim.score("Rome", long, "bertscore", calibration="shipped").truncated
