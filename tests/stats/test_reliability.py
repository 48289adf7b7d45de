"""The reliability diagram and its error: held against loops and against probabilities that are right."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.stats.reliability import reliability
from answersim.stats.thresholds import resampled

ROWS = st.lists(st.tuples(st.integers(0, 10).map(lambda x: x / 10), st.booleans()), min_size=1, max_size=40)


def found_on(message, truth, bins=10, resamples=0, seed=0):
    rng = np.random.default_rng(seed)
    samples = list(resampled(np.arange(len(message)), resamples, rng)) if resamples else []
    return reliability(message, truth, samples, bins=bins, rng=rng)


@settings(deadline=None)
@given(ROWS, st.integers(1, 6))
def test_the_error_is_the_mean_distance_over_bins_and_every_row_is_in_one(rows, bins):
    output, truth = (np.array(each, dtype=float) for each in zip(*rows, strict=True))
    result = found_on(output, truth, bins)
    assert sum(bin_.n for bin_ in result.bins) == len(rows)
    assert 1 <= len(result.bins) <= bins
    order, start, total = np.argsort(output, kind="stable"), 0, 0.0
    for each in result.bins:  # bins follow each other in the order of the probabilities
        ours = order[start : start + each.n]
        start += each.n
        assert each.probability == pytest.approx(output[ours].mean())
        total += each.n / len(rows) * abs(output[ours].mean() - truth[ours].mean())
    assert result.error.value == pytest.approx(total)
    assert result.brier.value == pytest.approx(np.mean((output - truth) ** 2))


def test_rows_of_one_probability_are_in_one_bin():
    result = found_on(np.repeat([0.1, 0.5, 0.9], [70, 20, 10]), np.ones(100))
    assert [bin_.n for bin_ in result.bins] == [70, 20, 10]


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
