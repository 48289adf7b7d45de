"""Verdicts: thresholds, decisions and calibrated scores."""

import copy
import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.calibration.decision import cuts, decided, first_score, last_score
from answersim.calibration.scores import Score, Scores
from answersim.calibration.storing import find
from answersim.calibration.verdicts import verdict_rule
from answersim.stats.monotone import Isotonic, Logistic
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


def test_a_binary_score_needs_no_calibration_and_half_is_unsure():
    result = rule("em", calibration=None)
    assert result.verdicts([1.0, 0.0, 0.5, 2 / 3]).tolist() == ["equivalent", "different", "unsure", "equivalent"]
    assert result.answer_verdicts([1.0, 0.0, 0.5]).tolist() == ["right", "wrong", "unsure"]
    assert result.probabilities([1.0]) is None
    assert result.threshold == 0.5
    assert result.decide([1.0, 0.0]).right().tolist() == [True, False]


def test_a_calibration_decides_by_its_probability():
    result, calibration = rule("recall"), find("recall")
    scores = Scores(np.linspace(0, 1, 21), calibration.signature)
    assert result.verdicts(scores).tolist() == calibration.verdicts(scores).tolist()
    assert result.probabilities(scores).tolist() == calibration.probability(scores).tolist()
    assert result.verdicts([result.threshold]).tolist() == ["equivalent"]
    assert result.verdicts([np.nextafter(result.threshold, -1) - 1e-9]).tolist() != ["equivalent"]
    assert f"(score {result.threshold:.4f})" in result.sentence


def test_a_threshold_decides_alone_and_is_in_the_sentence():
    result = rule("recall", threshold=0.25)
    assert (result.basis, result.threshold, result.calibration) == ("threshold", 0.25, None)
    assert result.verdicts([0.25, 0.2]).tolist() == ["equivalent", "different"]
    assert result.probabilities([0.2]) is None
    assert result.sentence == "an answer is right from the given threshold on, recall 0.25, and wrong below"
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


def test_without_a_basis_the_rule_has_the_remedy():
    result = rule("bleu")
    assert result.verdicts([0.5]) is None
    assert result.answer_verdicts([0.5]) is None
    assert result.decide([0.5]).right() is None
    assert math.isnan(result.threshold)
    for part in ("no calibration ships for bleu", "recall", "answersim calibrate", "--calibration", "--threshold"):
        assert part in result.sentence
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


def test_scores_that_do_not_separate_are_all_unsure(made):
    level = replace(made.calibration, quality=replace(made.calibration.quality, auc=0.5, auc_low=0.4, auc_high=0.6))
    result = verdict_rule(SIGNATURE, calibration=level)
    assert set(result.answer_verdicts([-3.0, 9.0]).tolist()) == {"unsure"}
    assert result.threshold == math.inf
    assert result.sentence.startswith("no answer is right or wrong, all are unsure")


STEPS = Isotonic((0.0, 0.2, 0.4, 0.6, 1.0), (0.1, 0.1, 0.6, 0.6, 0.9))


@every(
    ("probability", "low", "high", "verdict"),
    [
        (0.5, 0.5, 0.5, "equivalent"),
        (0.4999, 0.5, 0.5, "different"),
        (0.7, 0.3, 0.7, "equivalent"),
        (0.6999, 0.3, 0.7, "unsure"),
        (0.3001, 0.3, 0.7, "unsure"),
        (0.3, 0.3, 0.7, "different"),
        (1.0, 0.01, 0.99, "equivalent"),
        (0.0, 0.01, 0.99, "different"),
        (0.6, 0.3, 0.6, "equivalent"),
        (0.5, 0.5, 0.7, "unsure"),
    ],
)
def test_a_verdict_begins_at_the_end_of_the_band(probability, low, high, verdict):
    assert decided([probability], low, high).tolist() == [verdict]


@every(
    ("curve", "probability", "score"),
    [
        (STEPS, 0.5, 0.36),
        (STEPS, 0.6, 0.4),
        (STEPS, 0.9, 1.0),
        (STEPS, 0.1, -math.inf),
        (STEPS, 0.95, math.inf),
        (Logistic(4.0, -2.0), 0.5, 0.5),
        (Logistic(0.0, 1.0), 0.5, -math.inf),
        (Logistic(0.0, -1.0), 0.5, math.inf),
    ],
)
def test_the_first_score_of_a_probability(curve, probability, score):
    assert first_score(curve, probability) == pytest.approx(score)


@every("curve", [STEPS, Logistic(5.0, -2.5)])
@every("band", [(0.45, 0.55), (0.3, 0.7), (0.15, 0.85), (0.2, 0.6)])
def test_the_cuts_are_where_the_verdicts_change(curve, band):
    low, high = cuts(curve, *band)
    at = np.linspace(-0.5, 1.5, 4001)
    verdicts = decided(curve(at), *band)
    assert (verdicts[at > high + 1e-9] == "equivalent").all()
    assert (verdicts[at < low - 1e-9] == "different").all()
    assert (verdicts[(at > low + 1e-9) & (at < high - 1e-9)] == "unsure").all()


def test_a_level_stretch_at_the_end_of_the_band_is_different():
    curve = Isotonic((0.0, 0.4, 0.6, 1.0), (0.3, 0.3, 0.7, 0.7))
    assert cuts(curve, 0.3, 0.7) == (0.4, 0.6)
    assert (last_score(curve, 0.7), last_score(curve, 0.2)) == (math.inf, -math.inf)
    assert (last_score(Logistic(0.0, 1.0), 0.5), last_score(Logistic(0.0, -1.0), 0.5)) == (-math.inf, math.inf)


def scored(built, scores: Scores, truncated: Any = None) -> Scores:
    return verdict_rule(SIGNATURE, calibration=built.calibration).scored(scores, None, truncated)


@pytest.fixture
def scores(made):
    return scored(made, Scores([0.0, 1.5, 4.0], SIGNATURE, [0, 2, 1]))


def test_parts_of_scores_keep_their_verdicts(scores):
    assert scores[1:].verdicts.tolist() == ["unsure", "equivalent"]
    assert scores[np.array([True, False, True])].verdicts.tolist() == ["different", "equivalent"]
    assert scores[-1].verdict == "equivalent"


def test_a_score_keeps_all_it_bears_when_copied_or_pickled(scores):
    for again in (copy.copy(scores[1]), pickle.loads(pickle.dumps(scores[1]))):
        assert (again, again.signature, again.reference) == (1.5, SIGNATURE, 2)
        assert (again.probability, again.verdict) == (scores[1].probability, "unsure")


def test_a_verdict_of_truncated_text_has_a_note(made):
    scores = scored(made, Scores([0.0, 1.5, 4.0], SIGNATURE), np.array([False, True, False]))
    entry: list[Any] = list(scores)
    assert [score.truncated for score in entry] == [False, True, False]
    assert scores[1:].truncated.tolist() == [True, False]
    again: Any = copy.copy(scores[1])
    assert again.truncated
    assert pickle.loads(pickle.dumps(scores[1])).truncated
    assert scored(made, Scores([0.0], SIGNATURE)).truncated.tolist() == [False]


def test_without_a_calibration_there_is_no_verdict():
    for score in (Score(0.5), Scores([0.5])[0], answersim.score("Rome", "Rome", "f1")):
        assert (score.probability, score.verdict, score.truncated) == (None, None, None)
    plain = answersim.score(["Rome"], ["Rome"], "f1")
    assert (plain.probabilities, plain.verdicts, plain.truncated) == (None, None, None)
    with pytest.raises(ValueError, match="these scores have no verdicts: no calibration ships for bleu"):
        verdict_rule("bleu|text:13a").scored(Scores([0.5], "bleu|text:13a"))


def test_scores_of_another_metric_are_refused(made):
    with pytest.raises(ValueError, match="another metric"):
        scored(made, Scores([0.5], "other"))


def test_the_numbers_are_those_without_a_calibration(scores):
    assert scores == Scores([0.0, 1.5, 4.0], SIGNATURE, [0, 2, 1])
    assert np.asarray(scores).tolist() == [0.0, 1.5, 4.0]
