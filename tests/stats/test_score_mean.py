"""The interval of a mean of scores: known values, and the normal interval of many scores."""

import math

import numpy as np
import pytest

from answersim.stats.bounded_mean import bounded_mean
from answersim.stats.score_mean import mean_interval
from tests.cases import every


@every("mean", [0.4, 3.0])  # from 0 to 1, and of any scale
@every("n", [2000, 20_000])
def test_the_interval_of_a_mean_is_the_normal_one_where_that_holds(mean, n):
    values = np.random.default_rng(1).normal(mean, 0.05, size=n)
    interval = mean_interval(values, 0.95)
    half = 1.96 * values.std() / math.sqrt(len(values))
    assert interval.low == pytest.approx(values.mean() - half, abs=2 / n)
    assert interval.high == pytest.approx(values.mean() + half, abs=2 / n)


def test_the_interval_of_a_share_is_that_of_clopper_and_pearson():
    assert mean_interval([1.0] * 29 + [0.0], 0.95) == pytest.approx((0.8278, 0.9992), abs=2e-4)
    assert mean_interval([1.0] * 30, 0.95) == pytest.approx((0.8843, 1.0), abs=1e-4)  # 1 - .025 ** (1 / 30)
    assert mean_interval([1.0] * 19_999 + [0.0], 0.95) == pytest.approx((1 - 2.786e-4, 1 - 1.266e-6), abs=1e-6)


def test_scores_without_bounds_have_no_interval_if_there_is_one():
    assert all(map(math.isnan, mean_interval([2.0], 0.95)))
    assert mean_interval([0.0, 2.0], 0.95) == pytest.approx((1 - 12.706, 1 + 12.706), abs=1e-3)


@every("power", [1, 20, 0.01])
def test_the_interval_of_many_scores_is_near_that_of_fewer(power):
    values = np.random.default_rng(2).random(10_001) ** power
    many, fewer = mean_interval(values, 0.95), bounded_mean(values)
    assert many == pytest.approx((fewer.low, fewer.high), abs=1e-6)
