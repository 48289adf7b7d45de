"""Stages of a cascade: names, calibrations and cuts, and the errors of each."""

from dataclasses import replace

import numpy as np
import pytest

import answersim
from answersim.calibration.storing import find, write
from answersim.composite.stages import DIFFERENT, EQUAL, EVERY, Stage, calibrations_of
from answersim.types import Metric, Pair
from tests.cases import every
from tests.table_metric import Table


def stages(**options: object) -> tuple[Stage, ...]:
    return answersim.metric("cascade", **options).stages  # type: ignore[attr-defined]


def test_names_become_stages_with_the_calibrations_that_ship():
    rules, recall, whole = stages()
    assert (rules.name, rules.metric, rules.low, rules.high) == ("typed", None, *EVERY)
    assert (recall.metric, recall.low, recall.high) == (answersim.metric("recall"), 0.05, 0.95)
    assert recall.curve == find("recall").curve
    assert (whole.metric, whole.low, whole.high) == (answersim.metric("answersim"), *EVERY)
    assert (whole.curve, whole.with_question) == (find("answersim").curve, find("answersim-question").curve)
    assert whole.reads_questions
    assert not recall.reads_questions


def test_a_stage_of_another_profile_or_language_has_its_own_weights():
    with pytest.raises(LookupError, match="the stage 'recall' of the cascade needs a calibration, and none ships for"):
        stages(lang="de")
    (_, recall) = stages(stages="typed,recall", lang="de", calibrations="recall=none")
    assert recall.metric == answersim.metric("recall", lang="de")
    paper = stages(stages=["recall", "f1"], profile="paper", calibrations={"recall": "none", "f1": "none"})
    assert paper[0].metric == answersim.metric("recall", profile="paper")


def test_options_of_networks_reach_the_stages_with_a_network():
    (_, _, whole) = stages(precision="bf16", calibrations="answersim=none")
    assert whole.metric == answersim.metric("answersim", precision="bf16")
    assert whole.raw


def test_a_cut_for_each_stage():
    one, two, _ = stages(stages="recall,f1,answersim", low="-1,0.1", high=[0.9, 2])
    assert (one.low, one.high, two.low, two.high) == (-1.0, 0.9, 0.1, 2.0)
    assert [stage.low for stage in stages(low="0.1")] == [0.5, 0.1, 0.5]


def test_a_service_at_the_end_needs_no_calibration():
    judge = Table("judge", 1.0, "remote")
    *_, last = stages(stages=["typed", "recall", judge])
    assert last.raw
    assert (last.name, last.metric, last.remote) == ("judge", judge, True)
    with pytest.raises(LookupError, match="the stage 'judge' of the cascade needs a calibration"):
        stages(stages=["typed", judge, "answersim"])
    with pytest.raises(
        ValueError,
        match=r"so its scores must be probabilities, but one is 3\.0, which is not between "
        "0",
    ):
        answersim.metric("cascade", stages=[Table("judge", 3.0, "remote")])([Pair("a", "b")])


def test_a_calibration_is_a_file_a_name_or_an_object(tmp_path):
    own = replace(find("f1"), curve=find("recall").curve)
    write(own, tmp_path / "own.json")
    for given in (own, tmp_path / "own.json", str(tmp_path / "own.json")):
        assert stages(stages="f1,answersim", calibrations={"f1": given})[0].curve == own.curve
    text = f"f1={tmp_path / 'own.json'}"
    first = answersim.metric("cascade", stages="f1,answersim", calibrations=text)
    assert first.stages[0].curve == own.curve  # type: ignore[attr-defined]
    both = ["answersim", "answersim-question"]
    assert stages(calibrations={"answersim": both}) == stages()
    assert stages(calibrations={"answersim": "answersim"})[2].reads_questions is False
    assert stages(calibrations={"answersim": "answersim-question"})[2].curve is None
    write(find("f1"), tmp_path / "own.json")  # a changed file is read again
    again = answersim.metric("cascade", stages="f1,answersim", calibrations=text)
    assert again.signature != first.signature


@every(
    ("options", "error", "message"),
    [
        ({"stages": ""}, ValueError, "here there is no stage"),
        ({"stages": "recall,typed"}, ValueError, "here the last stage is 'typed'"),
        ({"stages": "recal,answersim"}, LookupError, "no metric is called 'recal'; did you mean 'recall'"),
        ({"stages": [3]}, TypeError, "stages contains 3"),
        ({"stages": "em,answersim"}, LookupError, "the stage 'em' of the cascade needs a calibration, and none ships"),
        ({"low": 0.6}, ValueError, "low is 0.6, but it must be at most 0.5"),
        ({"high": 0.4}, ValueError, "high is 0.4, but it must be at least 0.5"),
        ({"low": "a"}, ValueError, "could not convert string to float"),
        ({"high": float("nan")}, ValueError, "high is nan"),
        ({"low": "0.1,0.2"}, ValueError, "low has 2 cuts, but the stages with cuts are recall"),
        ({"calibrations": {"f1": "f1"}}, LookupError, "no calibrated stage is called 'f1'"),
        ({"calibrations": {"recall": "f1"}}, ValueError, "this calibration is for 'f1"),
        ({"calibrations": "recall"}, ValueError, "calibrations contains 'recall'; write NAME=FILE"),
        ({"calibrations": 3}, TypeError, "calibrations is 3"),
        ({"cuts": 3}, TypeError, "the metric 'cascade' has no option 'cuts'; its options are stages, low, high"),
    ],
)
def test_settings_that_make_no_stage_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        answersim.metric("cascade", **options)


def test_a_calibration_that_separates_nothing_is_refused():
    flat = replace(find("recall"), quality=find("recall").quality._replace(auc=0.5, auc_low=0.4, auc_high=0.6))
    with pytest.raises(ValueError, match="the scores of the stage 'recall' do not separate the labels"):
        stages(calibrations={"recall": flat})


def test_the_rules_have_measured_probabilities():
    rules = Stage("typed", None, *EVERY)
    pairs = [Pair("11", "eleven"), Pair("1987", "1978"), Pair("a", "b")]

    def none(*_: object) -> np.ndarray:
        raise AssertionError("the rules request no scores")

    found = rules.probabilities(pairs, None, np.arange(3), none)
    assert found[:2].tolist() == [EQUAL, DIFFERENT]
    assert np.isnan(found[2])


def test_calibrations_as_text():
    assert calibrations_of(None) == {}
    assert calibrations_of("f1=a=b.json,") == {"f1": "a=b.json"}


def test_a_stage_is_a_metric_of_any_kind():
    metric = answersim.metric(
        "cascade", stages=["typed+recall", Table("judge", 1.0, "remote")], calibrations={"typed+recall": "none"}
    )
    assert isinstance(metric, Metric)
    assert metric([Pair("11", "eleven"), Pair("a", "b"), Pair("x y", "x")]).tolist() == [1.0, 0.0, 1.0]
