"""Stratified samples: sizes, probabilities, and that probabilities are those of many draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.stats.stratified import allocated, pooled, strata_of, stratified
from tests.cases import every


def test_strata_have_about_as_many_rows_and_keep_equal_scores_together():
    scores = np.random.default_rng(0).random(100)
    assert np.bincount(strata_of(scores, 5)).tolist() == [20] * 5
    assert strata_of([1.0] * 7, 5).tolist() == [0] * 7
    assert strata_of([0, 0, 0, 1, 1, 1], 5).tolist() == [0, 0, 0, 1, 1, 1]


@every("share", [0.5, 0.8, 0.81, 0.9, 0.99])
@every("sign", [1, -1])
def test_a_frequent_score_is_a_stratum_at_both_ends(share, sign):
    many = round(1000 * share)
    scores = sign * np.array([1.0] * many + [0.5] * (1000 - many))
    strata = strata_of(scores, 5)
    assert sorted(np.bincount(strata).tolist()) == sorted([many, 1000 - many])
    drawn = stratified(strata, 20, "equal", np.random.default_rng(0))
    assert (np.abs(scores[drawn.rows]) < 1).sum() == 10


@every("how", ["proportional", "equal"])
@every("n", [1, 7, 50, 100])
def test_exactly_n_rows_are_drawn_once_each(how, n):
    strata = np.repeat([0, 1, 2], [60, 37, 3])
    drawn = stratified(strata, n, how, np.random.default_rng(n))
    assert len(set(drawn.rows.tolist())) == n == len(drawn.rows)
    assert drawn.inclusion.sum() == pytest.approx(n)


@every("how", ["proportional", "equal"])
def test_rows_are_drawn_as_often_as_their_probability(how):
    strata = np.repeat([0, 1, 2], [23, 11, 3])
    times = np.zeros(37)
    for seed in range(4000):
        drawn = stratified(strata, 10, how, np.random.default_rng(seed))
        times[drawn.rows] += 1
    np.testing.assert_allclose(times / 4000, drawn.inclusion, atol=0.04)


def test_equal_draws_more_from_a_small_stratum():
    assert allocated([900, 100], 100, "equal", np.random.default_rng(0)).tolist() == [50, 50]
    assert allocated([900, 100], 100, "proportional", np.random.default_rng(0)).tolist() == [90, 10]


def test_a_seed_gives_one_sample_in_random_order():
    strata = np.zeros(50, dtype=int)
    one, same, other = (stratified(strata, 20, "equal", np.random.default_rng(seed)).rows for seed in (1, 1, 2))
    assert one.tolist() == same.tolist() != other.tolist()
    assert one.tolist() != sorted(one.tolist())


@every("n", [0, 11])
def test_other_numbers_of_rows_are_refused(n):
    with pytest.raises(ValueError, match=f"{n} of 10 rows cannot be drawn; give a number from 1 to 10"):
        stratified(np.zeros(10, dtype=int), n, "equal", np.random.default_rng(0))


def test_an_unknown_allocation_is_refused():
    with pytest.raises(LookupError, match="no allocation is called 'neyman'"):
        stratified(np.zeros(10, dtype=int), 3, "neyman", np.random.default_rng(0))


@every(
    ("strata", "joined"),
    [
        ([0, 0, 1, 1], [0, 0, 1, 1]),
        ([0, 1, 1], [0, 0, 0]),  # the first one with the next
        ([0, 0, 1], [0, 0, 0]),  # the last one with the one before
        ([0, 2, 5, 9], [0, 0, 1, 1]),
        ([0, 2, 5], [0, 0, 0]),
        ([7, 7, 7], [0, 0, 0]),
        ([3, 1, 3, 1], [1, 0, 1, 0]),  # in any order
    ],
)
def test_a_stratum_with_one_row_is_joined_with_a_neighbor(strata, joined):
    assert pooled(strata).tolist() == joined


@given(st.lists(st.integers(0, 9), min_size=2, max_size=30))
def test_no_pooled_stratum_has_one_row_or_is_split(strata):
    joined = pooled(strata)
    assert (np.bincount(joined) >= 2).all()
    order = np.argsort(strata, kind="stable")
    assert (np.diff(joined[order]) >= 0).all()
    assert all(len(set(joined[np.array(strata) == i].tolist())) == 1 for i in set(strata))
