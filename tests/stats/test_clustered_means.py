"""Means over parts of the rows: clusters, parts, and scores beyond 0 and 1."""

import numpy as np
import pytest

from answersim.stats.bounded_mean import bounded_mean
from answersim.stats.clustered_means import ClusteredMeans


def world(clusters, rng, size=5):
    """0 and 1, alike within clusters: each cluster has a share of its own."""
    own = rng.beta(1.4, 0.6, clusters)
    return (rng.random((clusters, size)) < own[:, None]).astype(float).ravel(), np.repeat(np.arange(clusters), size)


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
