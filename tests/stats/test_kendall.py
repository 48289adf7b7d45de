"""Kendall, Pearson and Spearman of many rows: those of scipy. test_weighted.py compares small resamples."""

import warnings

import numpy as np
import pytest
from scipy import stats

from answersim.stats import kendall as kendall_module
from answersim.stats.kendall import kendall, tau_c
from answersim.stats.weighted import pearson, spearman
from tests.cases import every

REFERENCES = {
    pearson: lambda x, y: stats.pearsonr(x, y).statistic,
    spearman: lambda x, y: stats.spearmanr(x, y).statistic,
    kendall: lambda x, y: stats.kendalltau(x, y, variant="b").statistic,
    tau_c: lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
}
ours = pytest.mark.parametrize("ours", REFERENCES, ids=lambda function: function.__name__)


def written_out(coefficient, x, y, times):
    """The coefficient of scipy for the rows, each as often as it is counted."""
    return REFERENCES[coefficient](np.repeat(x, times), np.repeat(y, times))


@ours
@pytest.mark.parametrize("few_classes", [True, False])
def test_it_is_that_of_scipy_for_many_rows_with_and_without_ties(ours, few_classes):
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=300).astype(float) if few_classes else rng.normal(size=300)
    x = rng.normal(size=300) + y
    counts = rng.integers(4, size=(3, 300))
    assert ours(x, y, counts) == pytest.approx([written_out(ours, x, y, times) for times in counts], abs=1e-12)


@every("tau", [kendall, tau_c])
def test_labels_may_stand_on_either_side(tau):
    rng = np.random.default_rng(4)
    scores, labels, counts = rng.normal(size=200), rng.integers(3, size=200), rng.integers(3, size=(4, 200))
    assert tau(scores, labels, counts).tolist() == tau(labels, scores, counts).tolist()


@pytest.mark.parametrize("tau", [kendall, tau_c])
def test_classes_and_scipys_sort_agree_where_one_takes_over_from_the_other(monkeypatch, tau):
    rng = np.random.default_rng(5)
    x, y, counts = rng.normal(size=80), rng.integers(12, size=80), rng.integers(3, size=(5, 80))
    by_classes = tau(x, y, counts)
    monkeypatch.setattr(kendall_module, "_FEW", 1)
    assert by_classes == pytest.approx(tau(x, y, counts), abs=1e-12)


@ours
def test_many_columns_are_what_each_is_alone(ours):
    rng = np.random.default_rng(6)
    columns, y, counts = rng.normal(size=(3, 40)).round(1), rng.integers(3, size=40), rng.integers(3, size=(5, 40))
    together = ours(columns, y, counts)
    assert together.shape == (3, 5)
    assert together.tolist() == [ours(column, y, counts).tolist() for column in columns]


@ours
def test_resamples_are_the_same_in_blocks_of_any_size(ours, monkeypatch):
    rng = np.random.default_rng(8)
    x, y, counts = rng.normal(size=20), rng.integers(3, size=20), rng.integers(3, size=(7, 20))
    whole = ours(x, y, counts)
    monkeypatch.setattr("answersim.stats.weighted._BLOCK", 40)
    assert ours(x, y, counts) == pytest.approx(whole, abs=1e-15)


@every("ours", REFERENCES)
@every(
    ("x", "y", "counts"),
    [
        ([1, 1, 1], [0, 1, 2], [[1, 1, 1]]),
        ([1, 2, 3], [2, 2, 2], [[1, 1, 1]]),
        ([1, 2, 3], [0, 1, 2], [[0, 5, 0]]),
        ([1, 1, 3], [0, 1, 2], [[2, 1, 0]]),  # the resample makes x constant
        ([1, 2, 3], [0, 1, 2], [[0, 0, 0]]),
        ([], [], [[]]),
    ],
)
def test_a_constant_column_is_nan_and_warns_of_nothing(ours, x, y, counts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(ours(x, y, np.array(counts, dtype=int))).tolist() == [True]


@every("ours", REFERENCES)
@every(
    ("x", "y", "counts", "message"),
    [
        ([1, 2], [1, 2, 3], None, r"x has the shape \(2,\) and y \(3,\)"),
        ([1, np.nan], [1, 2], None, "x contains nan"),
        ([1, 2], [1, np.inf], None, "y contains inf"),
        ([1, 2], [1, 2], [[1, -1]], "counts contain -1"),
        ([1, 2], [1, 2], [[0.5, 0.5]], "counts are float64"),
        ([1, 2], [1, 2], [1, 1], r"counts are int64 of shape \(2,\)"),
    ],
)
def test_what_cannot_be_correlated_is_refused(ours, x, y, counts, message):
    with pytest.raises(ValueError, match=message):
        ours(x, y, counts)
