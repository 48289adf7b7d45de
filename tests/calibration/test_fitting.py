"""Making a calibration: further pairs are as it estimates, and what cannot be calibrated is refused before any work."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.calibration.fitting import calibrate
from answersim.calibration.scores import Scores
from answersim.stats.intervals.resampling import Bootstrap
from tests.calibration.conftest import world
from tests.cases import every


def test_probabilities_are_those_of_the_world(made):
    at = np.array([0.5, 1.5, 2.5])
    true = 1 / (1 + np.exp(3 * (1.5 - at)))
    assert made.calibration.probability(at) == pytest.approx(true, abs=0.12)


@pytest.mark.parametrize(("seeds", "least"), [(8, (7, 5)), pytest.param(40, (33, 29), marks=pytest.mark.slow)])
def test_intervals_contain_the_true_value_about_as_often_as_their_level(seeds, least):
    """Of 95 %, measured over 200 seeds: cut 91, accuracy 85 to 91."""
    normal, cuts, accuracies = NormalDist(), [], []
    for seed in range(seeds):
        best = calibrate(*world(400, 100 + seed), bootstrap=Bootstrap(resamples=100)).threshold("accuracy")
        accuracy = (normal.cdf(3 - best.cut.value) + normal.cdf(best.cut.value)) / 2
        cuts.append(best.cut.low <= 1.5 <= best.cut.high)
        accuracies.append(best.accuracy.low <= accuracy <= best.accuracy.high)
    assert all(sum(held) >= few for held, few in zip((cuts, accuracies), least, strict=True))


def test_a_random_metric_gets_no_credit_for_overfitting():
    rng = np.random.default_rng(5)
    scores, labels = rng.normal(size=400), rng.integers(2, size=400)
    calibration = calibrate(scores, labels, bootstrap=Bootstrap(resamples=100))
    for threshold in (*calibration.thresholds[:2],):
        assert threshold.accuracy.low < 0.5 < threshold.accuracy.high or threshold.accuracy.value < 0.5
    assert not calibration.separates
    assert set(calibration.verdicts(scores).tolist()) == {"unsure"}
    assert calibration.quality.logistic == pytest.approx(calibration.quality.constant, abs=0.01)


def test_auto_selects_the_curve_that_is_better_on_other_folds():
    rng = np.random.default_rng(6)
    scores = rng.uniform(-3, 3, size=3000)
    steps = rng.random(3000) < np.where(np.abs(scores) < 2, 0.5, np.where(scores > 0, 0.9, 0.1))
    assert calibrate(scores, steps, bootstrap=Bootstrap(resamples=20)).method == "isotonic"
    smooth = rng.random(300) < 1 / (1 + np.exp(-scores[:300]))
    assert calibrate(scores[:300], smooth, bootstrap=Bootstrap(resamples=20)).method == "logistic"


def test_grades_are_divided_by_the_cut():
    scores, labels = world(300, 7)
    graded = np.where(labels == 1, 2, np.arange(300) % 2)
    calibration = calibrate(scores, graded, cut=2, bootstrap=Bootstrap(resamples=20))
    assert calibration.provenance.label == "at least 2"
    assert calibration.provenance.equivalent == labels.sum()
    assert calibration.curve == calibrate(scores, labels, bootstrap=Bootstrap(resamples=20)).curve


def test_one_seed_gives_one_calibration_and_another_seed_other_intervals(made):
    again, drawn, other = (
        calibrate(made.scores, made.labels, bootstrap=Bootstrap(resamples=50, rng=rng))
        for rng in (0, np.random.default_rng(0), 1)
    )
    assert again == drawn == calibrate(made.scores, made.labels, bootstrap=Bootstrap(resamples=50))
    assert again.threshold("accuracy") != other.threshold("accuracy")
    assert again.curve == other.curve


def test_pairs_of_one_group_share_a_fold_and_widen_the_intervals():
    scores, labels = world(150, 8)
    thrice, groups = np.repeat(scores, 3), np.repeat(np.arange(150), 3)
    apart = calibrate(thrice, labels.repeat(3), bootstrap=Bootstrap(resamples=300))
    together = calibrate(thrice, labels.repeat(3), groups=groups, bootstrap=Bootstrap(resamples=300))
    assert together.provenance.groups == 150

    def width(result):
        accuracy = result.threshold("accuracy").accuracy
        return accuracy.high - accuracy.low

    assert width(together) > 1.3 * width(apart)  # the root of 3 is 1.7


def test_a_precision_that_no_threshold_reaches_leaves_no_threshold():
    scores, labels = world(300, 10, apart=1.0)
    labels[np.argsort(scores)[-30:]] = 0
    result = calibrate(scores, labels, target=0.99, bootstrap=Bootstrap(resamples=20)).threshold("precision")
    assert result.cut.value == np.inf
    assert np.isnan(result.precision.value)
    assert result.recall.value == 0


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["isotonic", "logistic", "auto"]), st.integers(0, 2))
def test_a_higher_score_is_never_less_likely_nor_a_lesser_verdict(seed, method, decimals):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(24) % 2, rng.integers(2, size=int(rng.integers(60)))])
    scores = (rng.normal() * labels + rng.normal(size=len(labels))).round(decimals)
    scores[:2] = [-9, 9]
    calibration = calibrate(scores, labels, method=method, bootstrap=Bootstrap(resamples=5), target=0.7)
    rising = np.linspace(-10, 10, 201)
    probabilities = calibration.probability(rising)
    assert (np.diff(probabilities) >= -1e-12).all()
    assert probabilities.min() >= 0
    assert probabilities.max() <= 1
    order = ["different", "unsure", "equivalent"]
    assert (np.diff([order.index(verdict) for verdict in calibration.verdicts(rising)]) >= 0).all()


@every(
    ("change", "error", "rule"),
    [
        ({"labels": [0, 1]}, ValueError, "100 scores and 2 labels"),
        ({"labels": [0, 1, 2, 1] * 25}, ValueError, r"a label is 2, but labels are 0 and 1; .* such as cut=2"),
        ({"labels": [1] * 100}, ValueError, "0 of 100 pairs are different .* at least 10 of each"),
        ({"labels": [0] * 91 + [1] * 9}, ValueError, "9 of 100 pairs are equivalent"),
        ({"labels": [float("nan")] + [0, 1] * 49 + [1]}, ValueError, r"labels\[0\] is nan"),
        ({"labels": ["right"] * 100}, TypeError, "labels are not all numbers"),
        ({"scores": [0.5] * 100}, ValueError, "all 100 scores are 0.5"),
        ({"scores": [float("inf")] * 100}, ValueError, r"scores\[0\] is inf"),
        ({"scores": np.zeros((100, 2))}, ValueError, "one number per pair"),
        ({"groups": [1, 2]}, ValueError, "2 groups and 100 scores"),
        ({"groups": [0, 1] * 50}, ValueError, "2 groups cannot be split into 5 folds"),
        ({"method": "isotonik"}, LookupError, "did you mean 'isotonic'"),
        ({"target": 95}, ValueError, "target is 95, but it must be between 0 and 1"),
        ({"bootstrap": 1.5}, TypeError, "bootstrap is 1.5"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_with_the_rule(change, error, rule):
    scores, labels = world(100, 12)
    with pytest.raises(error, match=rule):
        calibrate(**({"scores": scores, "labels": labels} | change))


def test_groups_of_one_label_each_are_refused_where_a_fold_would_lack_one():
    scores, labels = world(100, 13)
    groups = np.where(labels == 1, 0, np.arange(100) + 1)  # all equivalent pairs are of one question
    with pytest.raises(ValueError, match="without one of 5 folds, all pairs have the same label"):
        calibrate(scores, labels, groups=groups.tolist())


def test_scores_bring_their_signature_and_another_is_refused():
    labels = [0, 1] * 20
    scores = Scores(np.arange(40.0), "mine|v:1")
    with pytest.raises(ValueError, match=r"signature is 'other\|v:1', but the scores have the signature 'mine\|v:1'"):
        calibrate(scores, labels, signature="other|v:1")
    bootstrap = Bootstrap(resamples=5)
    assert calibrate(scores, labels, bootstrap=bootstrap).signature == "mine|v:1"
    assert calibrate(scores, labels, signature="mine|v:1", bootstrap=bootstrap).signature == "mine|v:1"
    assert calibrate(scores.values, labels, bootstrap=bootstrap).signature == ""
    assert calibrate(scores.values, labels, signature="other|v:1", bootstrap=bootstrap).signature == "other|v:1"
