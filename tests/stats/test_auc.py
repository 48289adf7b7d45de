"""AUC for each cut of the labels: that of a loop over all pairs, and of scipy's Mann-Whitney."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from answersim.stats.auc import auc, cuts


def loop(x, y, cut):
    """How often a right row scores above a wrong one, pair by pair."""
    right, wrong = x[y >= cut], x[y < cut]
    wins = [(a > b) + (a == b) / 2 for a in right for b in wrong]
    return np.mean(wins) if wins and np.ptp(x) > 0 else np.nan


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_it_is_the_share_of_pairs_won_in_the_rows_written_out(data):
    n = data.draw(st.integers(1, 12))
    column = st.lists(st.integers(0, 3), min_size=n, max_size=n).map(np.array)
    x, y, times = data.draw(column) / 3, data.draw(column), data.draw(column)
    result = auc(x, y, 2, times[None])
    written_out = loop(np.repeat(x, times), np.repeat(y, times), 2) if times.sum() else np.nan
    np.testing.assert_allclose(result, [written_out], atol=1e-12, equal_nan=True)


def test_it_is_mann_whitneys_u_of_many_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=500)
    x = (y + rng.normal(size=500)).round(1)
    for cut in (1, 2):
        right, wrong = x[y >= cut], x[y < cut]
        expected = stats.mannwhitneyu(right, wrong).statistic / len(right) / len(wrong)
        assert auc(x, y, cut)[0] == pytest.approx(expected, abs=1e-12)


def test_a_cut_that_leaves_one_side_empty_has_no_auc():
    assert np.isnan(auc([0.1, 0.2], [0, 1], 5)).all()


def test_every_label_but_the_lowest_is_a_cut():
    assert cuts(np.array([2.0, 0.0, 0.0, 1.5])) == (1.5, 2.0)
    assert cuts(np.array([1.0, 1.0])) == ()
