"""Means of bounded numbers: exact intervals of shares, coverage where errors are rare, clusters, and edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binomtest, norm

from answersim.stats.bounded_mean import bounded_mean, bounded_means, sums_of, tails
from tests.cases import every

NUMBERS = st.lists(st.sampled_from([0.0, 1.0, 0.5, 0.97, 1e-9]) | st.floats(0, 1), min_size=1, max_size=40)


@every(("hits", "n"), [(0, 10), (1, 1), (1, 2), (5, 10), (29, 30), (98, 100), (500, 1000)])
def test_shares_have_the_interval_of_clopper_and_pearson(hits, n):
    expected = binomtest(hits, n).proportion_ci(method="exact")
    found = bounded_mean(np.repeat([1.0, 0.0], [hits, n - hits]))
    assert found.value == hits / n
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=2e-4)


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
    slope = brentq(lambda s: (parts / (1 - s * parts)).sum(), *ends, xtol=1e-15, rtol=1e-14)
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
            brentq(lambda x, t=t, b=b: tail_by_scipy(t, sizes, x, b) - 0.025, b, m - 1e-6, xtol=1e-14)  # noqa: B023
            for t, b, m in ((totals, 0.0, mean), (-totals, -1.0, -mean))
        )
        expected.append((mean, low, -high))
    found = bounded_means(samples, [(0.0, 1.0)] * len(samples))
    assert np.array(found) == pytest.approx(np.array(expected), abs=2e-9)


@given(st.lists(NUMBERS, min_size=2, max_size=6))
def test_an_interval_does_not_depend_on_the_samples_beside_it(samples):
    together = bounded_means([*map(sums_of, samples)], [(0.0, 1.0)] * len(samples))
    assert together == [*map(bounded_mean, samples)]


def test_the_true_mean_is_in_the_interval_although_errors_are_rare():
    """The percentile bootstrap covers .61 here. ``benchmarks.interval_coverage`` measures other populations."""
    values = np.where(np.random.default_rng(1).random((400, 30)) < 0.97, 0.97, 0.05)
    truth = 0.05 + 0.92 * 0.97
    assert np.mean([one.low <= truth <= one.high for one in map(bounded_mean, values)]) > 0.94


def test_many_rows_have_the_normal_interval():
    values = np.random.default_rng(2).random(20_000)
    half = 1.96 * values.std() / np.sqrt(len(values))
    found = bounded_mean(values)
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=1e-4)


def test_equal_clusters_count_once_and_numbers_of_clusters_may_have_gaps():
    values = np.random.default_rng(3).random(200)
    once = bounded_mean(values)
    assert bounded_mean(np.repeat(values, 4), groups=np.repeat(np.arange(200) * 3, 4)) == pytest.approx(once)


@given(NUMBERS, st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_an_interval_contains_its_mean_and_stays_within_the_bounds(values, level):
    found = bounded_mean(values, level=level)
    assert 0 <= found.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.high <= 1
    wider = bounded_mean(values, level=(1 + level) / 2)
    assert wider.low <= found.low + 1e-9
    assert wider.high >= found.high - 1e-9


@given(NUMBERS)
def test_mirrored_numbers_have_the_mirrored_interval(values):
    found, other = bounded_mean(values), bounded_mean([1 - value for value in values])
    assert (1 - other.high, 1 - other.low) == pytest.approx((found.low, found.high), abs=1e-6)


def test_no_rows_have_no_interval():
    assert np.isnan(bounded_mean([])).all()
