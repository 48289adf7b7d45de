"""AUC for each cut of the labels: that of scipy's Mann-Whitney; in resamples, see test_weighted.py."""

import numpy as np
import pytest
from scipy import stats

from answersim.stats.auc import auc, cuts


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
    assert np.isnan(auc([0.1, 0.1, 0.2], [0, 1, 1], 1, np.array([[1, 1, 0]]))).all()  # the resample makes x constant


def test_every_label_but_the_lowest_is_a_cut():
    assert cuts(np.array([2.0, 0.0, 0.0, 1.5])) == (1.5, 2.0)
    assert cuts(np.array([1.0, 1.0])) == ()
