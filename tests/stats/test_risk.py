"""Bounds of error rates, and the fixed sequence of tests."""

import math

import numpy as np
import pytest
from scipy.stats import beta, binom

from answersim.stats.risk import effects, fixed_sequence, group_bound, rows_needed, upper_bound
from tests.cases import every


@every(("errors", "n"), [(0, 1), (0, 299), (1, 20), (7, 350), (19, 20)])
def test_the_bound_is_that_of_clopper_and_pearson(errors, n):
    bound = float(upper_bound(errors, n, 0.95))
    assert bound == pytest.approx(beta.ppf(0.95, errors + 1, n - errors), abs=1e-9)
    assert binom.cdf(errors, n, bound) == pytest.approx(0.05, abs=1e-9)  # with a higher rate, so few errors are rarer


def test_all_errors_have_no_bound_below_one():
    assert upper_bound([3, 0], [3, 3]).tolist() == pytest.approx([1.0, 1 - 0.05 ** (1 / 3)])


@every(("risk", "confidence"), [(0.01, 0.95), (0.02, 0.9), (0.1, 0.99)])
def test_the_rows_that_are_needed_are_the_fewest_that_keep_the_risk(risk, confidence):
    n = rows_needed(risk, confidence)
    assert upper_bound(0, n, confidence) <= risk < upper_bound(0, n - 1, confidence)
    assert n == math.ceil(math.log(1 - confidence) / math.log(1 - risk))


def test_rows_of_a_group_count_as_fewer_if_their_errors_are_alike():
    groups = np.repeat(np.arange(100), 5)
    whole = np.zeros(500, dtype=bool)
    whole[:25] = True  # all five of five groups
    spread = np.zeros(500, dtype=bool)
    spread[::20] = True  # one in each fourth group
    nothing, everything = np.zeros(500, dtype=bool), np.ones(500, dtype=bool)
    assert effects(np.stack([whole]), groups) == pytest.approx([5.0], rel=0.02)
    assert effects(np.stack([spread]), groups).tolist() == [1.0]
    assert effects(np.stack([nothing]), groups).tolist() == effects(np.stack([everything]), groups).tolist() == [5.0]
    assert effects(np.stack([whole]), np.zeros(500, dtype=np.int64)).tolist() == [500.0]
    assert effects(np.stack([nothing, spread, whole]), groups) == pytest.approx([effects(whole[None], groups)[0]] * 3)
    assert effects(np.stack([whole, spread]), groups)[0] == effects(whole[None], groups)[0]
    assert effects(np.stack([whole, spread]), np.arange(500)).tolist() == [1.0, 1.0]


def test_the_sequence_ends_at_the_first_setting_that_does_not_keep_the_risk():
    errors = np.zeros((4, 1000), dtype=bool)
    errors[1, :5], errors[2, :30] = True, True
    rates = fixed_sequence(errors, np.arange(1000), 0.02)
    assert [rate.kept for rate in rates] == [True, True, False, False]
    assert rates[3].bound < 0.02  # kept by itself, but after one that is not


def test_the_bound_over_groups_holds_however_alike_the_rows_are():
    rng = np.random.default_rng(0)
    below = 0
    for _ in range(300):
        of_group = rng.choice((1, 9), size=80)
        groups = np.repeat(np.arange(80), of_group)
        errors = (rng.random(80) < 0.04)[groups]  # all rows of a group, or none: the rate is .04
        below += group_bound(errors, groups, 0.9) < 0.04
    assert below <= 300 * 0.1 + 2 * (300 * 0.1 * 0.9) ** 0.5


def test_the_bound_over_groups_is_that_of_their_shares():
    groups = np.repeat(np.arange(200), 5)
    none = np.zeros(1000, dtype=bool)
    assert group_bound(none, groups) == pytest.approx(1 - 0.05 ** (1 / 200), abs=1e-6)
    one_each, whole = none.copy(), none.copy()
    one_each[:50:5] = True  # one row in ten groups
    whole[:10] = True  # all rows of two groups: as many
    assert group_bound(one_each, groups) == pytest.approx(group_bound(whole, groups), abs=1e-9)
    assert group_bound(whole, groups) > float(upper_bound(2, 200)) - 1e-9 > float(upper_bound(10, 1000))
    assert group_bound(np.ones(1000, dtype=bool), groups) == pytest.approx(1.0)
    exact = fixed_sequence(np.stack([none, whole]), groups, 0.04, exact=True)
    assert [rate.bound for rate in exact] == [group_bound(none, groups), group_bound(whole, groups)]
