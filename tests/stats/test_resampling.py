"""Resamples of rows and of whole clusters, and the p-values and intervals that they give."""

import inspect

import numpy as np
import pytest
from scipy import stats

from answersim.stats.cluster_bootstrap import draw, numbered, sums
from answersim.stats.resampling import Bootstrap, bca, bootstrap_counts, difference_of, holm, leave_one_out, percentile
from answersim.stats.weighted import pearson
from tests.cases import every


def test_each_resample_holds_n_rows_and_one_seed_gives_one_answer():
    counts = bootstrap_counts(7, 50, np.random.default_rng(1))
    assert counts.shape == (50, 7)
    assert counts.sum(axis=1).tolist() == [7] * 50
    assert (counts == bootstrap_counts(7, 50, np.random.default_rng(1))).all()
    assert (counts != bootstrap_counts(7, 50, np.random.default_rng(2))).any()


@every(("n", "resamples"), [(-1, 5), (5, 0)])
def test_no_resamples_can_be_drawn_of_that(n, resamples):
    with pytest.raises(ValueError, match="cannot be drawn"):
        bootstrap_counts(n, resamples, np.random.default_rng(0))


def _drawn_from(rng):
    """The argument of scipy's bootstrap for this generator, by the name that the installed version has for it."""
    return {"rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state": rng}


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


@every(
    ("value", "samples", "p"),
    [
        (2.0, [1.5, 2.0, 2.5], 1 / 4),  # none is as far
        (2.0, [0.0, 2.0, 4.0], 3 / 4),  # as far counts, on both sides
        (-2.0, [-4.5, -2.0, np.nan], 2 / 3),  # nan is no resample
        (0.0, [0.0, 0.1], 1.0),
    ],
)
def test_p_counts_the_resamples_beyond_the_difference(value, samples, p):
    assert difference_of(value, np.array(samples)).p == pytest.approx(p)


@every(("value", "samples"), [(np.nan, [0.1]), (0.1, [np.nan, np.nan]), (0.1, [])])
def test_a_difference_that_is_not_defined_has_no_p(value, samples):
    assert np.isnan(difference_of(value, np.array(samples))[1:]).all()


@every(
    ("p", "raised"),
    [
        ([0.01, 0.02, 0.03], [0.03, 0.04, 0.04]),  # never falling
        ([0.03, 0.01], [0.03, 0.02]),  # in the order given
        ([0.4, 0.9, 0.5], [1, 1, 1]),
        ([0.02, np.nan], [0.02, np.nan]),  # nan is no member
        ([], []),
    ],
)
def test_holm(p, raised):
    np.testing.assert_allclose(holm(p), raised)


def test_what_is_no_p_is_refused():
    with pytest.raises(ValueError, match="a number that is not a p-value"):
        holm([0.5, 1.5])


@every(
    ("values", "error", "rule"),
    [
        ({"level": 95}, ValueError, "level is 95, but the coverage of an interval is between 0 and 1"),
        ({"level": float("nan")}, ValueError, "level is nan"),
        ({"level": "0.9"}, TypeError, "level is '0.9'"),
        ({"resamples": 0}, ValueError, "0 resamples are too few"),
        ({"resamples": 1.5}, TypeError, "resamples is 1.5"),
        ({"rng": "x"}, TypeError, r"rng is 'x' .* a whole number or a numpy.random.Generator"),
    ],
)
def test_settings_of_a_bootstrap_that_cannot_be_used_are_refused(values, error, rule):
    with pytest.raises(error, match=rule):
        Bootstrap(**values)


def test_settings_of_a_bootstrap_are_compared_by_their_values():
    assert Bootstrap(np.float32(0.5), np.int64(5), np.int8(3)) == Bootstrap(0.5, 5, 3)
    assert Bootstrap(rng=1) != Bootstrap(rng=2)


CLUSTERS = ["q2", "q1", "q2", "q3", "q1", "q2"]


def test_clusters_are_numbered_in_the_order_of_their_first_rows():
    assert numbered(CLUSTERS).tolist() == [0, 1, 0, 2, 1, 0]
    assert numbered([]).tolist() == []


def test_a_resample_contains_all_rows_of_a_cluster_equally_often():
    drawn = draw(CLUSTERS, 50, np.random.default_rng(0))
    assert drawn.times.shape == (50, 3)
    assert (drawn.times.sum(axis=1) == 3).all()
    assert (drawn.counts[:, [0, 1, 3]] == drawn.times).all()
    assert (drawn.counts[:, [0, 0, 1]] == drawn.counts[:, [2, 5, 4]]).all()
    assert len(np.unique(drawn.times, axis=0)) > 5


def test_sums_are_those_of_the_rows_written_out():
    rng = np.random.default_rng(1)
    values, drawn = rng.normal(size=(3, 6)), draw(CLUSTERS, 20, rng)
    for i, counts in enumerate(drawn.counts):
        expected = np.repeat(values, counts, axis=1).sum(axis=1)
        np.testing.assert_allclose(sums(values, drawn)[:, i], expected, atol=1e-12)
