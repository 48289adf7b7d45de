"""Paired differences: the exact test of McNemar, one decision by p and interval, coverage, power, and bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from answersim.stats.paired import paired
from tests.cases import every

DIFFERENCES = st.lists(st.sampled_from([0.0, 1.0, -1.0, 0.03, 1e-9]) | st.floats(-1, 1), min_size=1, max_size=60)


@every(("better", "worse", "n"), [(15, 5, 100), (6, 0, 100), (3, 0, 500), (30, 10, 41), (0, 12, 30)])
def test_p_of_verdicts_is_that_of_mcnemar(better, worse, n):
    gaps = np.repeat([1.0, -1.0, 0.0], [better, worse, n - better - worse])
    assert paired(gaps).p == pytest.approx(stats.binomtest(better, better + worse).pvalue, rel=0.02)


@given(DIFFERENCES, st.integers(1, 4), st.sampled_from([0.8, 0.95, 0.99]), st.booleans())
def test_p_and_interval_never_contradict_each_other(gaps, size, level, clustered):
    clusters = np.arange(len(gaps)) // size if clustered else None
    found = paired(gaps, groups=clusters, level=level)
    assert (found.p < 1 - level) == (found.low > 0 or found.high < 0)
    assert -1 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1
    assert 0 < found.least <= 1
    mirrored = paired([-gap for gap in gaps], groups=clusters, level=level)
    assert (mirrored.p, -mirrored.high, -mirrored.low) == pytest.approx((found.p, found.low, found.high), abs=1e-6)


@every("noise", [0.03, 0.1])
def test_small_differences_of_all_questions_have_a_narrow_interval(noise):
    gaps = np.random.default_rng(0).normal(0.6 * noise, noise, 100)
    expected = stats.ttest_1samp(gaps, 0).confidence_interval()
    found = paired(gaps)
    assert found.low > 0
    assert found.high - found.low < 1.3 * (expected.high - expected.low)


def test_many_rows_have_the_interval_of_the_t_test():
    gaps = np.random.default_rng(0).normal(0.02, 0.3, 20_000).clip(-1, 1)
    expected = stats.ttest_1samp(gaps, 0).confidence_interval()
    found = paired(gaps)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=2e-4)


def test_a_cluster_of_copies_counts_once():
    gaps = np.random.default_rng(1).integers(-1, 2, 300).astype(float)
    assert paired(np.repeat(gaps, 4), groups=np.repeat(np.arange(300), 4)) == pytest.approx(paired(gaps))


def test_rows_without_any_difference_leave_a_width():
    found = paired(np.zeros(100))
    assert (found.value, found.p) == (0, 1)
    assert (found.low, found.high) == pytest.approx((-0.0362, 0.0362), abs=2e-4)  # 1 - .025^(1/100)


def test_the_interval_covers_as_often_as_it_promises():
    """``benchmarks.interval_coverage`` measures other populations."""
    drawn = np.random.default_rng(2).choice([0.0, -1.0], p=[0.98, 0.02], size=(300, 30))
    assert np.mean([found.low <= -0.02 <= found.high for found in map(paired, drawn)]) > 0.94


def test_the_least_difference_is_found_with_its_power():
    rng = np.random.default_rng(4)
    least = float(np.mean([paired(gaps).least for gaps in rng.normal(0, 0.1, (20, 40))]))
    assert 0.75 < np.mean([paired(gaps).p < 0.05 for gaps in rng.normal(least, 0.1, (150, 40))]) < 0.96


def test_two_rows_have_an_interval_within_the_bounds():
    found = paired([0.3, 0.4])
    assert -1 < found.low < 0 < found.high < 1
    assert paired([3.0, 4.0], bounds=(-10, 10)) == pytest.approx(
        [*(10 * np.array(found[:3])), found.p, 10 * found.least]
    )
