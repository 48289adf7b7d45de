"""Resamples, intervals, paired differences and Holm's correction."""

import inspect

import numpy as np
import pytest
from scipy import stats

from answersim.stats.correlation import correlations
from answersim.stats.kendall import kendall
from answersim.stats.resampling import (
    COEFFICIENTS,
    Difference,
    bca,
    bootstrap_counts,
    difference_of,
    holm,
    interval,
    intervals,
    leave_one_out,
    paired,
    percentile,
)
from answersim.stats.weighted import pearson


@pytest.fixture
def agreeing():
    """Labels, a column that follows them closely and one that does so loosely."""
    rng = np.random.default_rng(11)
    labels = rng.integers(3, size=150).astype(float)
    return labels, labels + rng.normal(size=150), labels + 3 * rng.normal(size=150)


def test_each_resample_holds_n_rows_and_one_seed_gives_one_answer():
    counts = bootstrap_counts(7, 50, np.random.default_rng(1))
    assert counts.shape == (50, 7)
    assert counts.sum(axis=1).tolist() == [7] * 50
    assert (counts == bootstrap_counts(7, 50, np.random.default_rng(1))).all()
    assert (counts != bootstrap_counts(7, 50, np.random.default_rng(2))).any()


def test_every_row_is_held_equally_often():
    counts = bootstrap_counts(10, 4000, np.random.default_rng(2))
    assert counts.mean(axis=0) == pytest.approx(np.ones(10), abs=0.1)
    assert counts.var(axis=0) == pytest.approx(np.full(10, 0.9), abs=0.1)  # of a binomial: n (1/n) (1 - 1/n)


@pytest.mark.parametrize(("n", "resamples"), [(-1, 5), (5, 0)])
def test_no_resamples_can_be_drawn_of_that(n, resamples):
    with pytest.raises(ValueError, match="cannot be drawn"):
        bootstrap_counts(n, resamples, np.random.default_rng(0))


def _drawn_from(rng):
    """The argument of scipy's bootstrap for this generator, by the name that the installed version has for it."""
    return {"rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state": rng}


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_an_interval_is_that_of_scipys_bootstrap_on_other_draws(agreeing, coefficient):
    labels, column, _ = agreeing
    ours = interval(column, labels, rng=np.random.default_rng(0), coefficient=coefficient, resamples=4000)
    reference = {
        "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
        "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
        "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
    }[coefficient]
    theirs = stats.bootstrap(
        (column, labels),
        reference,
        paired=True,
        vectorized=False,
        n_resamples=1000,
        method="percentile",
        **_drawn_from(np.random.default_rng(5)),
    ).confidence_interval
    assert ours.value == pytest.approx(getattr(correlations(column, labels), coefficient), abs=1e-12)
    assert ours[1:] == pytest.approx(tuple(theirs), abs=0.015)


def test_bca_is_scipys_for_the_same_resamples():
    rng = np.random.default_rng(3)
    x = rng.exponential(size=25)
    y = x + rng.normal(size=25)
    theirs = stats.bootstrap(
        (x, y),
        lambda a, b: stats.pearsonr(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=500,
        method="BCa",
        **_drawn_from(np.random.default_rng(5)),
    )
    value, left_out = pearson(x, y)[0], pearson(x, y, leave_one_out(25))
    ours = bca(value, theirs.bootstrap_distribution, left_out)
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)
    plain = percentile(theirs.bootstrap_distribution)
    assert abs(ours.low - plain.low) > 0.005  # so that the correction is seen


def test_bca_of_what_does_not_vary_is_the_percentile_interval():
    assert bca(1.0, np.ones(9), np.ones(5)) == (1.0, 1.0)


def test_the_interval_of_a_constant_column_is_nan():
    counts = bootstrap_counts(4, 20, np.random.default_rng(0))
    flat, rising = intervals([[0.0] * 4, [1, 2, 3, 4]], [0, 1, 1, 2], counts)
    assert np.isnan(flat).all()
    assert not np.isnan(rising).any()


def test_an_interval_widens_with_its_level(agreeing):
    labels, column, _ = agreeing
    narrow, wide = (interval(column, labels, rng=np.random.default_rng(0), level=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


def test_a_difference_is_taken_resample_by_resample(agreeing):
    labels, close, loose = agreeing
    counts = bootstrap_counts(150, 400, np.random.default_rng(0))
    found = paired(loose, close, labels, counts)
    each = kendall(close, labels, counts) - kendall(loose, labels, counts)
    assert found.value == pytest.approx(kendall(close, labels)[0] - kendall(loose, labels)[0])
    assert found[1:3] == pytest.approx(np.quantile(each, [0.025, 0.975]))
    assert found.p == (np.sum(np.abs(each - found.value) >= abs(found.value)) + 1) / 401
    assert found.p < 0.05 < paired(close, close + 1e-9, labels, counts).p


def test_a_column_against_itself_differs_by_nothing(agreeing):
    labels, column, _ = agreeing
    counts = bootstrap_counts(150, 50, np.random.default_rng(0))
    assert paired(column, column, labels, counts) == Difference(0.0, 0.0, 0.0, 1.0)


def test_exchanging_the_columns_turns_the_sign(agreeing):
    labels, close, loose = agreeing
    counts = bootstrap_counts(150, 100, np.random.default_rng(0))
    there, back = paired(loose, close, labels, counts), paired(close, loose, labels, counts)
    assert back == pytest.approx((-there.value, -there.high, -there.low, there.p))


@pytest.mark.parametrize(
    ("value", "samples", "p"),
    [
        pytest.param(2.0, [1.5, 2.0, 2.5], 1 / 4, id="none is as far"),
        pytest.param(2.0, [0.0, 2.0, 4.0], 3 / 4, id="as far counts, on both sides"),
        pytest.param(-2.0, [-4.5, -2.0, np.nan], 2 / 3, id="nan is no resample"),
        pytest.param(0.0, [0.0, 0.1], 1.0, id="no difference at all"),
    ],
)
def test_p_counts_the_resamples_that_are_as_far_from_the_difference_as_it_is_from_0(value, samples, p):
    assert difference_of(value, np.array(samples)).p == pytest.approx(p)


@pytest.mark.parametrize(("value", "samples"), [(np.nan, [0.1]), (0.1, [np.nan, np.nan]), (0.1, [])])
def test_a_difference_that_is_not_defined_has_no_p(value, samples):
    assert np.isnan(difference_of(value, np.array(samples))[1:]).all()


@pytest.mark.parametrize(
    ("p", "raised"),
    [
        pytest.param([0.01, 0.02, 0.03], [0.03, 0.04, 0.04], id="never falling"),
        pytest.param([0.03, 0.01], [0.03, 0.02], id="in the order given"),
        pytest.param([0.4, 0.9, 0.5], [1, 1, 1], id="at most 1"),
        pytest.param([0.02, np.nan], [0.02, np.nan], id="nan is no member"),
        pytest.param([], [], id="nobody"),
    ],
)
def test_holm(p, raised):
    np.testing.assert_allclose(holm(p), raised)


def test_what_is_no_p_is_refused():
    with pytest.raises(ValueError, match="no p-value"):
        holm([0.5, 1.5])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"coefficient": "kendal"}, LookupError, "no coefficient is called 'kendal'; did you mean 'kendall'"),
        ({"method": "bcaa"}, LookupError, "no method is called 'bcaa'; did you mean 'bca'"),
        ({"level": 95}, ValueError, "level is 95"),
    ],
)
def test_a_wrong_call_says_what_is_known(options, error, message):
    with pytest.raises(error, match=message):
        interval([1, 2, 3], [1, 2, 3], rng=np.random.default_rng(0), **options)


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
    from answersim.data import load

    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home))
    data = load(name, cleaning="recorded")
    data = data.where(~np.isnan(data.labels) & ((data.recorded["f1"] == 0) == zero))
    counts = bootstrap_counts(len(data), 1000, np.random.default_rng(0))
    found = paired(data.recorded[first], data.recorded[second], data.labels, counts)
    assert found.value == pytest.approx(expected[0], abs=0.0006)
    assert found[1:3] == pytest.approx(expected[1:], abs=0.006)
    assert found.p < 0.01
