"""Intervals of means and shares: exact ones, those of scipy, coverage where errors are rare, and clusters."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from scipy.optimize import brentq as brentq_of_scipy
from scipy.stats import binomtest, norm

from answersim.stats.bounded_mean import bounded_mean, bounded_means, sums_of, tails
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.design_effect import design_effect, rows_per_group
from answersim.stats.proportion import t_quantile, wilson
from answersim.stats.root import brentq
from answersim.stats.score_mean import mean_interval
from tests.cases import every

NUMBERS = st.lists(st.sampled_from([0.0, 1.0, 0.5, 0.97, 1e-9]) | st.floats(0, 1), min_size=1, max_size=40)


@every(("hits", "n"), [(0, 10), (1, 1), (1, 2), (5, 10), (29, 30), (98, 100), (500, 1000)])
def test_shares_have_the_interval_of_clopper_and_pearson(hits, n):
    expected = binomtest(hits, n).proportion_ci(method="exact")
    mean = bounded_mean(np.repeat([1.0, 0.0], [hits, n - hits]))
    assert mean.value == hits / n
    assert (mean.low, mean.high) == pytest.approx((expected.low, expected.high), abs=2e-4)


@every("part", [-1.0, 2.0])
def test_the_tail_is_that_of_simulated_divisions(part):
    rng = np.random.default_rng(0)
    values = rng.normal(0.2, 0.5, 25)
    drawn = rng.dirichlet(np.ones(26), 40_000) @ np.append(values, -3.0)
    mean = values.mean() + part * values.std() / 5
    assert tails([(sums_of(values), -3.0, mean)])[0] == pytest.approx((drawn <= mean).mean(), abs=0.008)


def tail_by_scipy(values, sizes, mean, bound):
    """The probability that a sum of exponential variables is at most 0, by one root and one formula per sample."""
    parts = np.append(values - mean * sizes, (bound - mean) * np.square(sizes).sum() / sizes.sum())
    parts = parts[parts != 0] / np.abs(parts).max()
    if not (parts < 0).any():
        return 0.0
    for sign in (1, -1):
        if (sign * parts < 0).sum() == 1:
            others = np.prod(1 - parts[sign * parts > 0] / parts[sign * parts < 0])
            return 1 / others if sign == 1 else 1 - 1 / others
    ends = (1 - 1e-12) / parts.min(), (1 - 1e-12) / parts.max()
    slope = brentq_of_scipy(lambda s: (parts / (1 - s * parts)).sum(), *ends, xtol=1e-15, rtol=1e-14)
    distance = np.sign(slope) * np.sqrt(2 * np.log(1 - slope * parts).sum())
    scaled = slope * np.sqrt(parts / (1 - slope * parts) @ (parts / (1 - slope * parts)))
    return norm.cdf(distance) + norm.pdf(distance) * (1 / distance - 1 / scaled)


@every("kind", ["shares", "scores", "rare", "clusters"])
def test_the_ends_of_many_samples_are_those_of_one_sample_by_scipy(kind):
    rng = np.random.default_rng(5)
    samples, expected = [], []
    for n in (5, 8, 13, 40, 41, 200):
        values = {"shares": rng.random(n) < 0.6, "rare": np.where(rng.random(n) < 0.9, 0.97, 0.05)}.get(kind)
        values = rng.random(n) if values is None else values.astype(float)
        groups = np.arange(n) // 3 if kind == "clusters" else np.arange(n)
        samples.append(sums_of(values, groups))
        totals, sizes = np.bincount(groups, values), np.bincount(groups).astype(float)
        mean = values.mean()
        low, high = (
            brentq_of_scipy(lambda x, t=t, b=b: tail_by_scipy(t, sizes, x, b) - 0.025, b, m - 1e-6, xtol=1e-14)  # noqa: B023
            for t, b, m in ((totals, 0.0, mean), (-totals, -1.0, -mean))
        )
        expected.append((mean, low, -high))
    result = bounded_means(samples, [(0.0, 1.0)] * len(samples))
    assert np.array(result) == pytest.approx(np.array(expected), abs=2e-9)


@given(st.lists(NUMBERS, min_size=2, max_size=6))
def test_an_interval_does_not_depend_on_the_samples_beside_it(samples):
    together = bounded_means([*map(sums_of, samples)], [(0.0, 1.0)] * len(samples))
    assert together == [*map(bounded_mean, samples)]


def test_the_true_mean_is_in_the_interval_although_errors_are_rare():
    """The percentile bootstrap covers .61 here. ``benchmarks.interval_coverage`` measures other populations."""
    values = np.where(np.random.default_rng(1).random((400, 30)) < 0.97, 0.97, 0.05)
    truth = 0.05 + 0.92 * 0.97
    assert np.mean([value.low <= truth <= value.high for value in map(bounded_mean, values)]) > 0.94


def test_equal_clusters_count_once_and_numbers_of_clusters_may_have_gaps():
    values = np.random.default_rng(3).random(200)
    once = bounded_mean(values)
    assert bounded_mean(np.repeat(values, 4), groups=np.repeat(np.arange(200) * 3, 4)) == pytest.approx(once)


@given(NUMBERS, st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_an_interval_contains_its_mean_and_stays_within_the_bounds(values, level):
    mean = bounded_mean(values, level=level)
    assert 0 <= mean.low <= mean.value + 1e-12
    assert mean.value - 1e-12 <= mean.high <= 1
    wider = bounded_mean(values, level=(1 + level) / 2)
    assert wider.low <= mean.low + 1e-9
    assert wider.high >= mean.high - 1e-9


@given(NUMBERS)
def test_mirrored_numbers_have_the_mirrored_interval(values):
    result, other = bounded_mean(values), bounded_mean([1 - value for value in values])
    assert (1 - other.high, 1 - other.low) == pytest.approx((result.low, result.high), abs=1e-6)


def test_no_rows_have_no_interval():
    assert np.isnan(bounded_mean([])).all()


def world(clusters, rng, size=5):
    """0 and 1, alike within clusters: each cluster has a share of its own."""
    own = rng.beta(1.4, 0.6, clusters)
    return (rng.random((clusters, size)) < own[:, None]).astype(float).ravel(), np.repeat(np.arange(clusters), size)


def test_a_part_has_the_interval_of_its_rows():
    values, clusters = world(50, np.random.default_rng(2))
    part = np.random.default_rng(3).random(len(values)) < 0.3
    result = ClusteredMeans([f"q{i}" for i in clusters], 0.9).of(values, part)
    assert result == pytest.approx(bounded_mean(values[part], groups=clusters[part], level=0.9))


def test_scores_beyond_0_and_1_widen_the_bounds():
    values = np.random.default_rng(4).normal(size=500)
    estimate = ClusteredMeans(range(500), 0.95).of(values, np.ones(500))
    half = 1.959964 * values.std(ddof=1) / np.sqrt(500)
    assert estimate == pytest.approx((values.mean(), values.mean() - half, values.mean() + half), abs=0.01)


def test_clusters_of_a_part_are_counted():
    means = ClusteredMeans(["a", "a", "b"], 0.95)
    assert (means.clusters([True, True, False]), means.clusters([True, False, True])) == (1, 2)
    assert np.isnan(means.of([0.2, 0.2, 0.2], [False] * 3)).all()


# statsmodels 0.15.0, proportion_confint(count, n, method="wilson")
@every(
    ("count", "n", "low", "high"),
    [(45, 50, 0.786398, 0.956524), (0, 20, 0.0, 0.161125), (20, 20, 0.838875, 1.0), (300, 1000, 0.272407, 0.329124)],
)
def test_the_interval_is_that_of_statsmodels(count, n, low, high):
    assert wilson(count / n, n, t_quantile(0.95, math.inf)) == pytest.approx((low, high), abs=1e-6)


# Any printed table of Student's t, two-sided 95 %.
@every(("freedom", "quantile"), [(1, 12.706), (5, 2.571), (30, 2.042), (math.inf, 1.960)])
def test_the_quantile_is_that_of_printed_tables(freedom, quantile):
    assert t_quantile(0.95, freedom) == pytest.approx(quantile, abs=5e-4)


@every("level", [0.5, 0.8, 0.95, 0.99])
def test_the_quantile_has_twelve_digits_of_that_of_scipy(level):
    freedoms = (1, 1.2, 1.5, 2, 2.3, 3, 4.7, 16, 99, 199.9, 200, 201, 1e3, 12345.6, 1e6, 1e8)
    quantiles = [t_quantile(level, freedom) for freedom in freedoms]
    assert quantiles == pytest.approx(special.stdtrit(freedoms, (1 + level) / 2), rel=1e-12, abs=0)
    assert t_quantile(level, math.inf) == pytest.approx(special.ndtri((1 + level) / 2), rel=1e-12, abs=0)


def test_the_quantile_of_a_high_coverage_has_nine_digits():
    quantiles = [t_quantile(0.9999, freedom) for freedom in (1, 1.2, 2, 30, 1e4)]
    assert quantiles == pytest.approx(special.stdtrit((1, 1.2, 2, 30, 1e4), 0.99995), rel=1e-9, abs=0)


def test_less_than_one_degree_of_freedom_counts_as_one():
    assert t_quantile(0.95, 0) == t_quantile(0.95, 1)


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


@every(
    ("function", "low", "high"),
    [
        (lambda x: x**2 - 2, 0.0, 2.0),
        (lambda x: math.cos(x) - x, 0.0, 1.0),
        (lambda x: math.erfc(x) - 0.025, 0.0, 8.0),
        (lambda x: (x - 1) ** 9, 0.0, 3.0),
        (lambda x: math.atan(100 * (x - 0.9)), 0.0, 1.0),
        (lambda x: math.copysign(1, x - 0.3), 0.0, 1.0),
        (lambda x: x, 0.0, 1.0),
        (lambda x: 1e-300 * (x - 0.5), 0.0, 1.0),
    ],
)
def test_the_root_is_that_of_scipy(function, low, high):
    calls = []

    def counted(x: np.ndarray) -> np.ndarray:
        calls.append(float(x[0]))
        return np.array([function(calls[-1])])

    result = float(brentq(counted, np.array([low]), np.array([high]), np.array([1e-9]))[0])
    expected, settings = brentq_of_scipy(function, low, high, xtol=1e-9, full_output=True)
    assert abs(function(result)) <= abs(function(expected)) or result == pytest.approx(expected, abs=1e-9)
    assert len(calls) <= 2 * settings.function_calls + 5
    assert all(low <= x <= high for x in calls)


def test_a_root_does_not_depend_on_the_roots_beside_it():
    wanted, low, high, xtol = np.arange(1.0, 9.0), np.zeros(8), np.full(8, 3.0), np.geomspace(1e-3, 1e-12, 8)
    together = brentq(lambda x: x * x - wanted, low, high, xtol)
    alone = [
        float(brentq(lambda x, i=i: x * x - wanted[i], *(entry[i : i + 1] for entry in (low, high, xtol)))[0])
        for i in range(8)
    ]
    assert together.tolist() == alone


GROUPS = np.repeat(np.arange(100), 5)


@every(
    ("errors", "groups", "effect"),
    [
        ([1, 1, -1, -1], [0, 0, 1, 1], 2),  # 8 / 4
        ([1, -1, 1, -1], [0, 0, 1, 1], 1),  # 0 / 4, and at least 1
        ([3, 3, -6], [0, 0, 2], 72 / 54),
    ],
)
def test_by_hand(errors, groups, effect):
    assert design_effect(np.array(errors, dtype=float), np.array(groups)) == effect


def test_a_correction_for_few_groups():
    errors = np.array([1.0, 1, -1, -1])
    assert design_effect(errors, [0, 0, 1, 1], few_groups=True) == 2 * 2 / (2 - 1)
    assert design_effect(errors, [0, 0, 0, 0], few_groups=True) == 4


def test_without_errors_the_similarity_is_unknown():
    assert design_effect(np.zeros(4), [0, 0, 1, 1]) == 1
    assert design_effect(np.zeros(4), [0, 0, 1, 1], 2.0) == 2


def test_equal_rows_count_as_one_per_group():
    errors = np.random.default_rng(0).normal(size=100)[GROUPS]
    assert rows_per_group(GROUPS) == 5
    assert design_effect(errors, GROUPS) == pytest.approx(5)
