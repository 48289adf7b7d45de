"""Scores as probabilities: curves that rise, and how reliable they are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.stats.monotone import Isotonic, Logistic, isotonic, logistic
from answersim.stats.reliability import reliability
from answersim.stats.thresholds import resampled
from tests.cases import every

LABELLED = st.lists(st.tuples(st.integers(-20, 20).map(lambda x: x / 7), st.booleans()), min_size=1, max_size=40).map(
    lambda rows: ([x for x, _ in rows], [int(y) for _, y in rows])
)
ANY = np.linspace(-4, 4, 97)


def noisy(n, seed, decimals=1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=n)
    return (labels + rng.normal(size=n)).round(decimals), labels


def pooled(scores, labels):
    """Pool adjacent violators by hand: the height of each different score."""
    blocks = []
    for value in sorted(set(scores)):
        ours = [y for x, y in zip(scores, labels, strict=True) if x == value]
        blocks.append([sum(ours), len(ours), [value]])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            right, n, values = blocks.pop()
            blocks[-1] = [blocks[-1][0] + right, blocks[-1][1] + n, blocks[-1][2] + values]
    return {value: right / n for right, n, values in blocks for value in values}


@settings(deadline=None)  # the first call loads scipy
@given(LABELLED)
def test_isotonic_pools_adjacent_violators(rows):
    curve = isotonic(*rows)
    for value, height in pooled(*rows).items():
        assert curve([value])[0] == pytest.approx(height, abs=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_isotonic_is_that_of_scikit_learn_everywhere(seed):
    theirs = pytest.importorskip("sklearn.isotonic").IsotonicRegression(out_of_bounds="clip")
    scores, labels = noisy(200, seed)
    theirs.fit(scores, labels)
    assert isotonic(scores, labels)(ANY) == pytest.approx(theirs.predict(ANY), abs=1e-12)


def test_logistic_is_at_the_minimum_of_its_cross_entropy():
    scores, labels = noisy(300, 9, 8)
    curve, right = logistic(scores, labels), labels.sum()
    targets = np.where(labels > 0, (right + 1) / (right + 2), 1 / (300 - right + 2))
    error = 1 / (1 + np.exp(-(curve.slope * scores + curve.intercept))) - targets
    assert [error.mean(), (error * scores).mean()] == pytest.approx([0, 0], abs=1e-7)


def test_labels_that_are_fully_separated_have_a_finite_slope():
    curve = logistic([0.0] * 50 + [1.0] * 50, [0] * 50 + [1] * 50)
    assert curve([0.0, 1.0]) == pytest.approx([1 / 52, 51 / 52], abs=1e-4)


@every("fit", [isotonic, logistic])
def test_a_score_that_falls_with_likeness_gets_a_level_curve(fit):
    scores, labels = noisy(300, 4)
    curve = fit(-10 * labels + scores, labels)
    assert np.ptp(curve(ANY)) == pytest.approx(0, abs=1e-9)
    assert curve([0.0])[0] == pytest.approx(labels.mean(), abs=0.01)


@pytest.mark.parametrize("fit", [isotonic, logistic])
@settings(deadline=None)  # the first call loads scipy
@given(LABELLED)
def test_a_higher_score_never_has_a_lower_probability(fit, rows):
    result = fit(*rows)(ANY)
    assert (np.diff(result) >= -1e-12).all()
    assert result.min() >= 0
    assert result.max() <= 1


def test_a_score_beyond_all_that_was_seen_has_the_probability_at_the_end():
    assert isotonic([0, 1], [0, 1])([-9, 9]).tolist() == [0, 1]
    assert Logistic(1.0, 0.0)([-1e4, 1e4]).tolist() == [0, 1]  # and no overflow


@every(
    ("knots", "heights", "rule"),
    [
        ((), (), "give one height per knot"),
        ((0.0, 1.0), (0.5,), "give one height per knot"),
        ((1.0, 1.0), (0.0, 1.0), "must be finite and rise"),
        ((0.0, float("nan")), (0.0, 1.0), "must be finite and rise"),
        ((0.0, 1.0), (0.6, 0.5), "never fall"),
        ((0.0, 1.0), (0.0, 1.1), "never fall"),
    ],
)
def test_what_is_no_rising_curve_is_refused(knots, heights, rule):
    with pytest.raises(ValueError, match=rule):
        Isotonic(knots, heights)


@every(("slope", "intercept"), [(-1.0, 0.0), (float("inf"), 0.0), (1.0, float("nan"))])
def test_a_falling_or_infinite_logistic_curve_is_refused(slope, intercept):
    with pytest.raises(ValueError, match="do not define a rising curve"):
        Logistic(slope, intercept)


@every("scale", [1e-300, 1e300])
def test_the_curves_do_not_depend_on_the_size_of_the_scores(scale):
    rng = np.random.default_rng(0)
    x = rng.integers(-50, 50, size=80).astype(float)
    y = x / 50 + rng.normal(size=80) > 0
    for fit in (isotonic, logistic):
        assert fit(scale * x, y)(scale * x) == pytest.approx(fit(x, y)(x), abs=1e-6)


ROWS = st.lists(st.tuples(st.integers(0, 10).map(lambda x: x / 10), st.booleans()), min_size=1, max_size=40)


def found_on(message, truth, bins=10, resamples=0, seed=0):
    rng = np.random.default_rng(seed)
    samples = list(resampled(np.arange(len(message)), resamples, rng)) if resamples else []
    return reliability(message, truth, samples, bins=bins, rng=rng)


@settings(deadline=None)
@given(ROWS, st.integers(1, 6))
def test_the_error_is_the_mean_distance_over_bins_and_every_row_is_in_one(rows, bins):
    output, truth = (np.array(item, dtype=float) for item in zip(*rows, strict=True))
    result = found_on(output, truth, bins)
    assert sum(bin_.n for bin_ in result.bins) == len(rows)
    assert 1 <= len(result.bins) <= bins
    order, start, total = np.argsort(output, kind="stable"), 0, 0.0
    for entry in result.bins:  # bins follow each other in the order of the probabilities
        ours = order[start : start + entry.n]
        start += entry.n
        assert entry.probability == pytest.approx(output[ours].mean())
        total += entry.n / len(rows) * abs(output[ours].mean() - truth[ours].mean())
    assert result.error.value == pytest.approx(total)
    assert result.brier.value == pytest.approx(np.mean((output - truth) ** 2))


def test_bins_are_of_equal_mass():
    result = found_on(np.linspace(0, 1, 100) ** 3, np.ones(100))
    assert [bin_.n for bin_ in result.bins] == [10] * 10


def test_probabilities_that_are_right_have_the_error_of_chance():
    rng = np.random.default_rng(4)
    output = rng.random(4000)
    result = found_on(output, rng.random(4000) < output, resamples=200)
    assert result.error.value == pytest.approx(result.by_chance, rel=0.5)
    assert sum(bin_.share.low <= bin_.probability <= bin_.share.high for bin_ in result.bins) >= 8


def test_probabilities_that_are_off_have_the_error_they_are_off_by():
    rng = np.random.default_rng(5)
    output = rng.random(20000)
    result = found_on(output, rng.random(20000) < output**2, resamples=100)
    assert result.error.value == pytest.approx(1 / 6, abs=0.01)  # the mean of p - p²
    assert result.error.low < 1 / 6 < result.error.high
    assert result.by_chance < 0.02


def test_without_resamples_there_is_no_interval():
    result = found_on([0.2, 0.9], [0, 1], 2)
    assert np.isnan([result.error.low, result.brier.high, result.bins[0].share.low]).all()
