"""Means over parts of the rows: clusters, parts, scores beyond 0 and 1, and coverage for clusters of several sizes."""

import numpy as np
import pytest

from answersim.stats.bounded_mean import bounded_mean
from answersim.stats.clustered_means import ClusteredMeans


def world(clusters, rng, size=5, share=0.7):
    """0 and 1, alike within clusters: each cluster has a share of its own, the mean of which is given."""
    own = rng.beta(2 * share, 2 * (1 - share), clusters)
    return (rng.random((clusters, size)) < own[:, None]).astype(float).ravel(), np.repeat(np.arange(clusters), size)


@pytest.mark.parametrize("part", [1.0, 0.4], ids=["all rows", "a part: clusters of several sizes"])
def test_intervals_contain_the_true_mean_about_as_often_as_their_level(part):
    rng, held = np.random.default_rng(0), []
    for _ in range(400):
        values, clusters = world(60, rng)
        estimate = ClusteredMeans(clusters, 0.95).of(values, rng.random(len(values)) < part)
        held.append(estimate.low <= 0.7 <= estimate.high)
    assert 0.93 <= np.mean(held) <= 0.985


def test_an_interval_that_ignored_clusters_would_be_too_narrow():
    values, clusters = world(200, np.random.default_rng(1))
    everything = np.ones(len(values), dtype=bool)
    by_cluster = ClusteredMeans(clusters.tolist(), 0.95).of(values, everything)
    by_row = ClusteredMeans(range(len(values)), 0.95).of(values, everything)
    assert by_cluster.value == by_row.value
    assert by_cluster.high - by_cluster.low > 1.3 * (by_row.high - by_row.low)


def test_a_part_has_the_interval_of_its_rows():
    values, clusters = world(50, np.random.default_rng(2))
    part = np.random.default_rng(3).random(len(values)) < 0.3
    found = ClusteredMeans([f"q{i}" for i in clusters], 0.9).of(values, part)
    assert found == pytest.approx(bounded_mean(values[part], groups=clusters[part], level=0.9))


def test_scores_beyond_0_and_1_widen_the_bounds():
    values = np.random.default_rng(4).normal(size=500)
    estimate = ClusteredMeans(range(500), 0.95).of(values, np.ones(500))
    half = 1.959964 * values.std(ddof=1) / np.sqrt(500)
    assert estimate == pytest.approx((values.mean(), values.mean() - half, values.mean() + half), abs=0.01)


def test_clusters_of_a_part_are_counted():
    means = ClusteredMeans(["a", "a", "b"], 0.95)
    assert (means.clusters([True, True, False]), means.clusters([True, False, True])) == (1, 2)
    assert np.isnan(means.of([0.2, 0.2, 0.2], [False] * 3)).all()
