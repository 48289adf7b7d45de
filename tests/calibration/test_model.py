"""What a calibration answers, and to whom it refuses to answer."""

from dataclasses import replace

import numpy as np
import pytest

from answersim.calibration.scores import Scores
from answersim.calibration.storing import find, shipped
from answersim.stats.resampling import Estimate
from tests.calibration.conftest import SIGNATURE
from tests.cases import every


@every(("low", "high"), [(0.5, 0.5), (0.4, 0.6), (0.3, 0.7), (0.05, 0.95), (0.2, 0.5), (0.5, 0.8)])
def test_a_verdict_agrees_with_its_probability(made, low, high):
    at = np.linspace(-4, 8, 400)
    probabilities, verdicts = made.calibration.probability(at), made.calibration.verdicts(at, low=low, high=high)
    assert (probabilities[verdicts == "equivalent"] >= high).all()
    assert (probabilities[verdicts == "different"] <= low).all()
    between = probabilities[verdicts == "unsure"]
    assert ((between > low) & (between < high)).all()
    assert {"equivalent", "different"} <= set(verdicts.tolist())


@every("kwargs", [{}, {"low": 0.5, "high": 0.5}])
@every("name", shipped())
def test_no_shipped_calibration_calls_equivalent_what_is_rather_not(name, kwargs):
    calibration, at = find(name), np.linspace(0, 1, 2001)
    verdicts = calibration.verdicts(at, **kwargs)
    assert (calibration.probability(at)[verdicts == "equivalent"] >= 0.5).all()
    assert (calibration.probability(at)[verdicts == "different"] < 0.5).all()


@every("band", [{"low": 0}, {"low": 0.6}, {"high": 0.4}, {"high": 1}, {"low": 0.8, "high": 0.2}])
def test_a_band_outside_its_range_is_refused(made, band):
    with pytest.raises(ValueError, match=f"{next(iter(band))} is "):
        made.calibration.verdicts([0.5], **band)


def test_an_end_of_the_band_that_is_no_number_is_refused(made):
    with pytest.raises(TypeError, match="low is 'wide'"):
        made.calibration.verdicts([0.5], low="wide")


def test_probabilities_and_verdicts_come_in_the_shape_of_the_scores(made):
    assert made.calibration.probability(np.zeros((2, 3))).shape == (2, 3)
    assert made.calibration.verdicts([]).tolist() == []
    assert made.calibration.probability(0.5).shape == ()


def test_scores_of_the_same_signature_are_answered_as_plain_numbers_are(made):
    scores = Scores([0.5, 2.5], SIGNATURE)
    assert (made.calibration.probability(scores) == made.calibration.probability([0.5, 2.5])).all()


@every(
    ("signature", "message"),
    [
        ("mine|layer:3|rev:1", "layer is 3 and not 2. Make one"),
        ("mine|layer:2|rev:2", "rev is 2 and not 1. Make one"),
        ("mine|rev:1", "layer is missing and not 2. Make one"),
        ("mine|layer:2|idf:yes|rev:1", "idf is yes and not missing. Make one"),
        ("other|layer:2|rev:1", "other is another metric than mine. Make one"),
        ("", r"of unknown origin \(no signature\). Make one"),
    ],
)
def test_scores_of_another_signature_are_refused_with_the_difference(made, signature, message):
    for ask in (made.calibration.probability, made.calibration.verdicts):
        with pytest.raises(ValueError, match=message):
            ask(Scores([0.5], signature))


def test_a_score_that_is_no_number_has_no_verdict(made):
    with pytest.raises(ValueError, match="a score is nan"):
        made.calibration.verdicts([0.5, float("nan")])


def test_a_threshold_is_missing_or_twice(made):
    for thresholds in (made.calibration.thresholds[:2], (*made.calibration.thresholds, made.calibration.thresholds[0])):
        with pytest.raises(ValueError, match="there must be one for each rule: accuracy, f1, precision"):
            replace(made.calibration, thresholds=thresholds)


def test_a_threshold_is_had_by_its_rule(made):
    assert [made.calibration.threshold(threshold.rule) for threshold in made.calibration.thresholds] == [
        *made.calibration.thresholds
    ]


def test_two_are_equal_that_hold_the_same_also_where_a_share_is_not_defined(made):
    *others, last = made.calibration.thresholds
    silent = (*others, replace(last, precision=Estimate(*[float("nan")] * 3)))
    one, other = (replace(made.calibration, thresholds=silent, metadata={"a": [1]}) for _ in range(2))
    assert one == other
    assert one != replace(other, metadata={"a": [2]})
    assert one != made.calibration
    assert one != "another thing"
