"""The rule for right answers: its basis, what it counts, and what it says about that."""

import math
from dataclasses import replace

import numpy as np
import pytest

import answersim
from answersim.calibration.scores import Scores
from answersim.calibration.storing import find
from answersim.calibration.verdicts import VerdictRule, scale_of, verdict_rule
from answersim.metrics.judge import prompts
from answersim.metrics.judge.factories import judge
from answersim.metrics.judge.metric import Judge
from answersim.types import capabilities
from tests.calibration.conftest import SIGNATURE
from tests.cases import every


def rule(name, **settings):
    metric = answersim.metric(name)
    return verdict_rule(metric.signature, scale=capabilities(metric).scale, **settings)


@every(
    ("name", "basis"),
    [
        ("em", "binary"),
        ("containment", "binary"),
        ("typed+em", "binary"),
        ("recall", "calibration"),
        ("bleu", "none"),
        ("typed+f1", "none"),
    ],
)
def test_the_basis_follows_from_the_metric(name, basis):
    assert rule(name).basis == basis
    assert rule(name).counts == (basis != "none")


@every(
    ("prompt", "scale"), [("equivalent", "binary"), ("grades", "binary"), ("entailment", "binary"), ("nuggets", "any")]
)
def test_a_judge_is_binary_if_its_replies_are(prompt, scale):
    assert capabilities(Judge(prompts.find_prompt(prompt), "m")).scale == scale


def test_a_judge_with_a_grade_between_is_not_binary(tmp_path):
    (tmp_path / "graded.txt").write_text("verdicts: full=1, half=0.5, none=0\n---\n{gold} {pred}")
    assert not prompts.find_prompt(tmp_path / "graded.txt").is_binary


@pytest.mark.parametrize(("value", "scale"), [("yes", "binary"), ("0.5", "any")])
def test_recorded_verdicts_are_binary_if_all_are(tmp_path, value, scale):
    (tmp_path / "v.csv").write_text(f"gold,pred,verdict\nRome,Rome,1\nRome,Oslo,{value}\n")
    recorded = judge(lang="en", profile=None, verdicts=str(tmp_path / "v.csv"))
    assert capabilities(recorded).scale == scale


def test_a_binary_score_needs_no_calibration_and_half_is_unsure():
    found = rule("em", calibration=None)
    assert found.verdicts([1.0, 0.0, 0.5, 2 / 3]).tolist() == ["equivalent", "different", "unsure", "equivalent"]
    assert found.answer_verdicts([1.0, 0.0, 0.5]).tolist() == ["right", "wrong", "unsure"]
    assert found.probabilities([1.0]) is None
    assert found.threshold == 0.5
    assert found.decide([1.0, 0.0]).right().tolist() == [True, False]


def test_a_calibration_decides_by_its_probability():
    found, calibration = rule("recall"), find("recall")
    scores = Scores(np.linspace(0, 1, 21), calibration.signature)
    assert found.verdicts(scores).tolist() == calibration.verdicts(scores).tolist()
    assert found.probabilities(scores).tolist() == calibration.probability(scores).tolist()
    assert found.verdicts([found.threshold]).tolist() == ["equivalent"]
    assert found.verdicts([np.nextafter(found.threshold, -1) - 1e-9]).tolist() != ["equivalent"]
    assert f"(score {found.threshold:.4f})" in found.sentence


def test_a_threshold_decides_alone_and_is_in_the_sentence():
    found = rule("recall", threshold=0.25)
    assert (found.basis, found.threshold, found.calibration) == ("threshold", 0.25, None)
    assert found.verdicts([0.25, 0.2]).tolist() == ["equivalent", "different"]
    assert found.probabilities([0.2]) is None
    assert found.sentence == "an answer is right from the given threshold on, recall 0.25, and wrong below"
    assert rule("recall", threshold=0).threshold == 0
    assert rule("recall", threshold=0.25, calibration=None).basis == "threshold"


@every("other", [{"calibration": "recall"}, {"low": 0.1}])
def test_a_threshold_beside_another_rule_is_refused(other):
    with pytest.raises(ValueError, match=rf"threshold is 0\.5.* and {next(iter(other))} is .*; leave one of them out"):
        rule("recall", threshold=0.5, **other)


@every("threshold", [math.nan, math.inf, "high"])
def test_a_threshold_is_a_finite_number(threshold):
    with pytest.raises((TypeError, ValueError), match="threshold is"):
        rule("recall", threshold=threshold)


@every("name, threshold", [("recall", 1.5), ("em", 1.01), ("em", 0), ("answersim", 2)])
def test_a_threshold_outside_the_scores_of_a_metric_is_refused(name, threshold):
    scale = capabilities(answersim.metric(name)).scale
    with pytest.raises(ValueError, match=rf"threshold is {threshold}, but .* would be right"):
        verdict_rule(f"{name}|rev:1", scale=scale, threshold=threshold)


def test_the_threshold_of_a_metric_with_other_scores_is_free():
    assert verdict_rule("mine|rev:1", threshold=87).threshold == 87
    assert verdict_rule("recall|rev:1", scale="similarity", threshold=1).threshold == 1


def test_without_a_basis_the_rule_has_the_remedy():
    found = rule("bleu")
    assert found.verdicts([0.5]) is None
    assert found.answer_verdicts([0.5]) is None
    assert found.decide([0.5]).right() is None
    assert math.isnan(found.threshold)
    for part in ("no calibration ships for bleu", "recall", "answersim calibrate", "--calibration", "--threshold"):
        assert part in found.sentence
    assert rule("recall", calibration=None).sentence.startswith("no calibration is used")
    assert verdict_rule("").sentence.startswith("the metric of these scores is not known")


@every(
    ("name", "settings", "match"),
    [
        ("em", {"low": 0.1}, "em has no probabilities"),
        ("bleu", {"high": 0.9}, "bleu has no probabilities"),
        ("recall", {"low": 0.6}, "low is 0.6"),
        ("recall", {"calibration": "f1"}, "f1 is another|recall is another"),
    ],
)
def test_a_setting_without_effect_is_refused(name, settings, match):
    with pytest.raises(ValueError, match=match):
        rule(name, **settings)


def test_an_unknown_calibration_is_an_error_and_not_a_missing_one():
    with pytest.raises(LookupError):
        rule("recall", calibration="no-such")


def test_numbers_of_unknown_origin_are_verdicts_if_all_are_0_or_1():
    assert verdict_rule("", scale=scale_of([np.array([0.0, 1.0]), np.array([1.0])])).basis == "binary"
    assert verdict_rule("", scale=scale_of([np.array([0.0, 1.0]), np.array([0.5])])).basis == "none"


def test_scores_that_do_not_separate_are_all_unsure(made):
    level = replace(made.calibration, quality=replace(made.calibration.quality, auc=0.5, auc_low=0.4, auc_high=0.6))
    found = verdict_rule(SIGNATURE, calibration=level)
    assert set(found.answer_verdicts([-3.0, 9.0]).tolist()) == {"unsure"}
    assert found.threshold == math.inf
    assert found.sentence.startswith("no answer is right or wrong, all are unsure")


def test_rules_are_values():
    assert rule("em") == rule("em")
    assert VerdictRule("binary", "em") == rule("em")
