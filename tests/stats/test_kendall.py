"""Kendall, Pearson and Spearman under multiplicities: what scipy says of the rows written out."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from answersim.stats import kendall as kendall_module
from answersim.stats.kendall import kendall, tau_c
from answersim.stats.weighted import pearson, spearman

REFERENCES = {
    pearson: lambda x, y: stats.pearsonr(x, y).statistic,
    spearman: lambda x, y: stats.spearmanr(x, y).statistic,
    kendall: lambda x, y: stats.kendalltau(x, y, variant="b").statistic,
    tau_c: lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
}
ours = pytest.mark.parametrize("ours", REFERENCES, ids=lambda function: function.__name__)


def written_out(coefficient, x, y, times):
    """What scipy says of the rows, each as often as it is counted; nan where one is constant."""
    x, y = np.repeat(x, times), np.repeat(y, times)
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    return REFERENCES[coefficient](x, y)


@st.composite
def tied(draw):
    """Two columns of few different numbers, so with many ties, and how often each of two resamples holds each row."""
    n = draw(st.integers(0, 12))
    rows = st.lists(st.integers(-2, 2), min_size=n, max_size=n)
    counts = st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=2, max_size=2)
    return np.array(draw(rows)) / 3, np.array(draw(rows), float), np.array(draw(counts), dtype=int).reshape(2, n)


@ours
@given(tied())
def test_a_coefficient_is_scipys_of_the_rows_written_out(ours, case):
    x, y, counts = case
    expected = [written_out(ours, x, y, times) for times in counts]
    np.testing.assert_allclose(ours(x, y, counts), expected, rtol=0, atol=1e-12, equal_nan=True)


@ours
@pytest.mark.parametrize("few_classes", [True, False])
def test_it_is_scipys_also_for_many_rows_and_without_ties(ours, few_classes):
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=300).astype(float) if few_classes else rng.normal(size=300)
    x = rng.normal(size=300) + y
    counts = rng.integers(4, size=(3, 300))
    assert ours(x, y, counts) == pytest.approx([written_out(ours, x, y, times) for times in counts], abs=1e-12)


@pytest.mark.parametrize("tau", [kendall, tau_c])
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


@ours
@pytest.mark.parametrize(
    ("x", "y", "counts"),
    [
        pytest.param([1, 1, 1], [0, 1, 2], [[1, 1, 1]], id="x is constant"),
        pytest.param([1, 2, 3], [2, 2, 2], [[1, 1, 1]], id="y is constant"),
        pytest.param([1, 2, 3], [0, 1, 2], [[0, 5, 0]], id="one row, five times"),
        pytest.param([1, 1, 3], [0, 1, 2], [[2, 1, 0]], id="the resample makes x constant"),
        pytest.param([1, 2, 3], [0, 1, 2], [[0, 0, 0]], id="nothing is held"),
        pytest.param([], [], [[]], id="no rows"),
    ],
)
def test_a_constant_column_is_nan_and_warns_of_nothing(ours, x, y, counts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(ours(x, y, np.array(counts, dtype=int))).tolist() == [True]


@ours
@pytest.mark.parametrize("x", [[1e9, 1e9 + 1, 1e9 + 2], [0.0, 5e-324, 1e-323], [1e-200, 2e-200, 3e-200]])
def test_numbers_far_from_1_are_correlated_as_others_are(ours, x):
    assert ours(x, [0, 1, 2]) == pytest.approx([1.0], abs=1e-9)


@ours
def test_only_some_resamples_may_be_undefined(ours):
    result = ours([1, 2, 3], [0, 1, 2], np.array([[1, 1, 1], [3, 0, 0], [0, 1, 1]]))
    assert np.isnan(result).tolist() == [False, True, False]


@ours
@pytest.mark.parametrize(
    ("x", "y", "counts", "message"),
    [
        pytest.param([1, 2], [1, 2, 3], None, r"x has the shape \(2,\) and y \(3,\)", id="lengths"),
        pytest.param([1, np.nan], [1, 2], None, "x contains nan", id="nan"),
        pytest.param([1, 2], [1, np.inf], None, "y contains inf", id="infinity"),
        pytest.param([1, 2], [1, 2], [[1, -1]], "counts contain -1", id="negative counts"),
        pytest.param([1, 2], [1, 2], [[0.5, 0.5]], "counts are float64", id="shares"),
        pytest.param([1, 2], [1, 2], [1, 1], r"counts are int64 of shape \(2,\)", id="one resample, flat"),
    ],
)
def test_what_cannot_be_correlated_is_refused(ours, x, y, counts, message):
    with pytest.raises(ValueError, match=message):
        ours(x, y, counts)
