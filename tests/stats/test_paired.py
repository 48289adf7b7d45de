"""Paired differences: the formula of Bonett and Price by hand, clusters, coverage, and power by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from answersim.stats.paired import least_difference, paired_difference


# Bonett & Price 2012: p12 = (b + 1) / (n + 2), p21 = (c + 1) / (n + 2), variance (p12 + p21 - (p12 - p21)²) / (n + 2).
@pytest.mark.parametrize(("better", "worse", "n"), [(15, 5, 100), (0, 0, 60), (3, 0, 500), (30, 10, 41)])
def test_the_interval_of_verdicts_is_that_of_bonett_and_price(better: int, worse: int, n: int) -> None:
    gaps = np.repeat([1.0, -1.0, 0.0], [better, worse, n - better - worse])
    up, down = (better + 1) / (n + 2), (worse + 1) / (n + 2)
    error = math.sqrt((up + down - (up - down) ** 2) / (n + 2))
    found = paired_difference(gaps)
    assert found.value == pytest.approx((better - worse) / n)
    assert found.error == pytest.approx(error)
    half = stats.t.ppf(0.975, n - 1) * error
    assert (found.low, found.high) == pytest.approx((up - down - half, up - down + half))


def test_many_rows_have_the_interval_of_the_t_test() -> None:
    gaps = np.random.default_rng(0).normal(0.02, 0.3, 20_000)
    expected = stats.ttest_1samp(gaps, 0).confidence_interval()
    found = paired_difference(gaps)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-4)


def test_a_cluster_of_copies_counts_once() -> None:
    gaps = np.random.default_rng(1).integers(-1, 2, 300).astype(float)
    once, copies = paired_difference(gaps), paired_difference(np.repeat(gaps, 4), clusters=np.repeat(np.arange(300), 4))
    assert copies.error == pytest.approx(once.error, rel=0.02)


def test_rows_without_any_difference_leave_a_width() -> None:
    found = paired_difference(np.zeros(100))
    assert found.value == 0
    assert -0.03 < found.low < -0.02 < 0.02 < found.high < 0.03


@pytest.mark.parametrize(("n", "up", "down"), [(60, 0.05, 0.1), (300, 0.02, 0.02)])
def test_the_interval_covers_as_often_as_it_promises(n: int, up: float, down: float) -> None:
    rng = np.random.default_rng(2)
    drawn = rng.choice([1.0, -1.0, 0.0], p=[up, down, 1 - up - down], size=(1500, n))
    covered = [found.low <= up - down <= found.high for found in map(paired_difference, drawn)]
    assert 0.935 < np.mean(covered) < 0.985


def test_the_least_difference_is_found_with_its_power() -> None:
    rng = np.random.default_rng(3)
    gap = least_difference(1 / math.sqrt(400))
    found = np.abs(rng.normal(gap, 1, (4000, 400)).mean(axis=1)) > 1.96 / math.sqrt(400)
    assert found.mean() == pytest.approx(0.8, abs=0.02)
