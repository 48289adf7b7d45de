"""Calibrations, plug-ins, the index of a data frame, and the path of one call."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import ShortAnswersWarning
from answersim.metrics.catalog.lookup import metric
from answersim.types import Pair
from tests.scoring.length_metrics import Asked, Length
from tests.tracing import calls_between_files


def test_a_calibrated_metric_beside_one_that_reads_all_gold_answers_at_once() -> None:
    names = ["official:qampari", "recall"]
    pairs = [(["Rome", "the city of Rome"], "Rome"), (["Oslo", "Bergen"], "Paris")]
    scored = answersim.score_pairs(pairs, names, calibration={"recall": "shipped"})
    assert list(scored) == names
    assert scored["recall"].verdicts.tolist() == ["equivalent", "different"]  # type: ignore[attr-defined]


def test_a_calibration_is_for_scores_with_the_same_use_of_questions() -> None:
    mine = Asked()
    gold, asked = ["a"] * 40, ["who", ""] * 20
    plain = answersim.calibrate(
        [float(i % 2) for i in range(40)],
        [0, 1] * 20,
        signature="asked|v:1",
        bootstrap=answersim.Bootstrap(resamples=10),
    )
    reading = answersim.calibrate(
        answersim.score(gold, gold, mine, question=asked), [1, 0] * 20, bootstrap=answersim.Bootstrap(resamples=10)
    )
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
    calibrated = answersim.score(frame["gold"], frame["pred"], metric="recall", calibration="recall")
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


def test_a_plug_in_is_found_by_name_and_cannot_shadow_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    from answersim.metrics.catalog import lookup

    points = [EntryPoint(name, f"{__name__}:unused", lookup.ENTRY_POINTS) for name in ("length", "f1")]
    monkeypatch.setattr(EntryPoint, "load", lambda self: lambda *, lang, profile: Length())
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == lookup.ENTRY_POINTS else [])
    assert answersim.score("a", "bcd", metric="length") == 3.0
    assert answersim.score("a", "a", metric="f1").signature == metric("f1").signature
    with pytest.raises(LookupError, match="length"):
        answersim.score("a", "b", metric="lenght")


def test_a_calibration_leaves_the_numbers_as_they_are_and_says_what_they_mean() -> None:
    gold, pred = ["Rome", "Rome", "a b c"], ["in Rome", "Milan", "c d e"]
    plain = answersim.score(gold, pred, metric="recall")
    scores = answersim.score(gold, pred, metric="recall", calibration="recall")
    assert scores == plain
    assert [score.verdict for score in scores] == scores.verdicts.tolist()  # type: ignore[attr-defined] # calibrated
    first = answersim.score(["Milan", "Rome"], "in Rome", metric="recall", calibration="shipped")
    assert (float(first), first.reference, first.verdict) == (float(plain[0]), 1, scores[0].verdict)
    assert first.probability == scores.probabilities[0]
    assert answersim.score("Rome", "Rome", "f1").verdict is None


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


LONG = "I think that the answer to your question of today is Rome"  # 12 words
SHORT = "I think that the answer to your question today is Rome"


@pytest.mark.parametrize("name", ["f1", "rouge-l", "meteor"])
def test_a_prediction_of_fewer_than_twelve_words_is_unsure_by_shared_words(name: str) -> None:
    golds = ["Barack Obama", "North Korea", "Rome", "Rome", "Rome"]
    preds = ["Michelle Obama", "South Korea", "Rome", SHORT, LONG]
    with pytest.warns(ShortAnswersWarning, match=rf"4 of 5 .* fewer than 12 words and are unsure, .* {name} of short"):
        scores = answersim.score(golds, preds, name, calibration="shipped")
    assert scores.verdicts.tolist() == ["unsure"] * 4 + ["equivalent"]  # type: ignore[attr-defined]
    assert np.isnan(scores.probabilities).tolist() == [True] * 4 + [False]
    assert scores == answersim.score(golds, preds, name)
    with pytest.warns(ShortAnswersWarning, match="1 of 1"):
        first = answersim.score("Barack Obama", "Michelle Obama", name, calibration="shipped")
    assert (first.verdict, str(first.probability)) == ("unsure", "nan")
    with pytest.warns(ShortAnswersWarning):  # the answer counts that is read out
        read = answersim.score("Rome", f"{LONG}. #### Rome", name, calibration="shipped", extract="auto")
    assert read.verdict == "unsure"


@pytest.mark.parametrize("name", ["f1", "em", "recall"])
def test_a_score_by_name_enters_at_most_twelve_functions_of_other_files(name: str) -> None:
    answersim.score("National Football League", "the NFL", name)  # it is built once
    calls = calls_between_files(lambda: answersim.score("National Football League", "the NFL", name))
    assert ("score.py", "score") in calls
    assert len(calls) <= 12, calls


@pytest.mark.filterwarnings("ignore::answersim._base.errors.TruncationWarning")
def test_a_verdict_of_the_best_reference_says_whether_it_was_read_as_a_whole() -> None:
    pytest.importorskip("torch")
    long = "Rome " * 600
    golds = [[long, "Rome"], ["Rome", "Paris"]]  # the first prediction is best scored against its short reference
    scores = answersim.score(golds, ["Rome", long], "bertscore", calibration="shipped")
    assert scores.truncated.tolist() == [False, True]
    assert answersim.score("Rome", long, "bertscore", calibration="shipped").truncated


def test_several_metrics_have_their_calibrations_by_name() -> None:
    scores = answersim.score_pairs([("Rome", "in Rome")], ["em", "recall"], calibration={"recall": "shipped"})
    assert scores["recall"].verdicts.tolist() == ["equivalent"]
    assert scores["em"].verdicts is None
    with pytest.raises(LookupError, match="calibration is given for 'recall', but the metrics are: em, f1"):
        answersim.score_pairs([("a", "b")], ["em", "f1"], calibration={"recall": "shipped"})
    with pytest.raises(TypeError, match=r"give a mapping from their names, such as \{'em': 'shipped'\}"):
        answersim.score_pairs([("a", "b")], ["em", "f1"], calibration="f1")  # type: ignore[arg-type]
