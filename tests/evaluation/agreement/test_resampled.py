"""Coefficients over a subset and its resamples: intervals, paired differences, and Holm's correction over results."""

from typing import NamedTuple

import numpy as np
import pytest

from answersim.evaluation.agreement.resampled import ScoredSubset, holm_corrected, scored_subset
from answersim.stats.correlation import correlations
from answersim.stats.kendall import kendall
from answersim.stats.resampling import COEFFICIENTS, bootstrap_counts, holm
from tests.cases import every


@pytest.fixture
def agreeing():
    """Labels, a column that follows them closely and one that does so loosely."""
    rng = np.random.default_rng(11)
    labels = rng.integers(3, size=150).astype(float)
    return labels, labels + rng.normal(size=150), labels + 3 * rng.normal(size=150)


def interval(column, labels, coefficient="kendall", *, level=0.95, resamples=1000):
    """The coefficient of one column and its interval."""
    every = np.ones(len(labels), dtype=bool)
    part = scored_subset(every, labels, [column], resamples, np.random.default_rng(0))
    resampled = part.resampled(coefficient)
    return resampled.values[0], resampled.intervals(level)[0]


def paired(first, second, labels, counts):
    """How far the coefficient of the second column is above that of the first."""
    return ScoredSubset(labels, np.stack([first, second]), counts).resampled().difference(1, 0)


def test_an_interval_has_the_quantiles_of_the_coefficient_on_all_resamples(agreeing):
    labels, column, _ = agreeing
    counts = bootstrap_counts(150, 300, np.random.default_rng(0))
    for coefficient, compute in COEFFICIENTS.items():
        value, ours = interval(column, labels, coefficient, level=0.8, resamples=300)
        assert value == pytest.approx(getattr(correlations(column, labels), coefficient), abs=1e-12)
        assert tuple(ours) == tuple(np.quantile(compute(column, labels, counts), [0.1, 0.9]))


def test_the_interval_of_a_constant_column_is_nan():
    counts = bootstrap_counts(4, 20, np.random.default_rng(0))
    columns, labels = np.array([[0.0] * 4, [1, 2, 3, 4]]), np.array([0.0, 1, 1, 2])
    resampled = ScoredSubset(labels, columns, counts).resampled()
    flat, rising = resampled.intervals()
    assert np.isnan([resampled.values[0], *flat]).all()
    assert not np.isnan([resampled.values[1], *rising]).any()


def test_a_difference_is_taken_resample_by_resample(agreeing):
    labels, close, loose = agreeing
    counts = bootstrap_counts(150, 400, np.random.default_rng(0))
    result = paired(loose, close, labels, counts)
    each = kendall(close, labels, counts) - kendall(loose, labels, counts)
    assert result.value == pytest.approx(kendall(close, labels)[0] - kendall(loose, labels)[0])
    assert result[1:3] == pytest.approx(np.quantile(each, [0.025, 0.975]))
    assert result.p == (np.sum(np.abs(each - result.value) >= abs(result.value)) + 1) / 401
    assert result.p < 0.05 < paired(close, close + 1e-9, labels, counts).p


@every(
    ("options", "error", "message"),
    [
        ({"coefficient": "kendal"}, LookupError, "no coefficient is called 'kendal'; did you mean 'kendall'"),
        ({"level": 95}, ValueError, "level is 95"),
    ],
)
def test_a_wrong_call_says_what_is_known(options, error, message):
    with pytest.raises(error, match=message):
        interval(np.array([1.0, 2, 3]), np.array([1.0, 2, 3]), **options)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "zero", "first", "second", "expected"),
    [
        pytest.param("nq-open", True, "sas", "bertscore-names", (0.050, 0.022, 0.080), id="NQ F1=0"),
        pytest.param("nq-open", False, "bertscore-names", "sas", (0.114, 0.076, 0.161), id="NQ F1!=0"),
        pytest.param("germanquad", False, "bertscore-trained", "sas", (0.085, 0.043, 0.129), id="German F1!=0"),
    ],
)
def test_the_papers_gaps_that_are_no_noise(data_home, monkeypatch, name, zero, first, second, expected):
    from answersim.evaluation.data import load

    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home))
    data = load(name, cleaning="recorded")
    data = data.where(~np.isnan(data.labels) & ((data.recorded["f1"] == 0) == zero))
    counts = bootstrap_counts(len(data), 1000, np.random.default_rng(0))
    result = paired(data.recorded[first], data.recorded[second], data.labels, counts)
    assert result.value == pytest.approx(expected[0], abs=0.0006)
    assert result[1:3] == pytest.approx(expected[1:], abs=0.006)
    assert result.p < 0.01


def test_a_subset_has_its_own_rows_and_as_many_resamples_as_were_requested():
    mask, labels = np.array([True, False, True, True]), np.arange(4.0)
    part = scored_subset(mask, labels, [labels * 10, -labels], 5, np.random.default_rng(0))
    assert part.labels.tolist() == [0, 2, 3]
    assert part.columns.tolist() == [[0, 20, 30], [0, -2, -3]]
    assert part.counts.tolist() == bootstrap_counts(3, 5, np.random.default_rng(0)).tolist()
    assert part.resampled().samples.shape == (2, 5)


def test_without_resamples_or_metrics_there_are_values_but_no_intervals():
    labels = np.arange(4.0)
    part = scored_subset(np.ones(4, dtype=bool), labels, [labels])
    assert part.resampled().values.tolist() == [1]
    assert np.isnan(part.resampled().intervals()[0]).all()
    assert scored_subset(np.ones(4, dtype=bool), labels, []).resampled().intervals() == []


def test_holm_corrects_over_all_results_that_have_a_p():
    class Result(NamedTuple):
        name: str
        p: float
        p_holm: float = np.nan

    results = [Result("a", 0.01), Result("b", np.nan), Result("c", 0.04)]
    corrected = holm_corrected(results)
    np.testing.assert_allclose([result.p_holm for result in corrected], holm([0.01, np.nan, 0.04]))
    assert [result[:2] for result in corrected[::2]] == [("a", 0.01), ("c", 0.04)]
