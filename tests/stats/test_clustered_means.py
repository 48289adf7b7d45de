"""Means with intervals over clusters: coverage by simulation, and both ways to an interval agree."""

import numpy as np
import pytest

from answersim.stats import clustered_means
from answersim.stats.clustered_means import ClusteredMeans


def world(clusters, rng, size=5, share=0.7):
    """0 and 1, alike within clusters: each cluster has a share of its own, the mean of which is given."""
    own = rng.beta(2 * share, 2 * (1 - share), clusters)
    return (rng.random((clusters, size)) < own[:, None]).astype(float).ravel(), np.repeat(np.arange(clusters), size)


@pytest.mark.parametrize("most", [10_000, 0], ids=["bootstrap", "normal"])
def test_intervals_hold_the_true_mean_about_as_often_as_they_say(most, monkeypatch):
    monkeypatch.setattr(clustered_means, "MOST", most)
    rng, held = np.random.default_rng(0), []
    for _ in range(300):
        values, clusters = world(100, rng)
        estimate = ClusteredMeans(clusters.tolist(), 400, 0.95, rng).of(values, np.ones(len(values)))
        held.append(estimate.low <= 0.7 <= estimate.high)
    assert 0.91 <= np.mean(held) <= 0.98


def test_an_interval_that_ignored_clusters_would_be_too_narrow():
    values, clusters = world(200, np.random.default_rng(1))
    everything = np.ones(len(values), dtype=bool)
    by_cluster = ClusteredMeans(clusters.tolist(), 1000, 0.95, np.random.default_rng(0)).of(values, everything)
    by_row = ClusteredMeans(range(len(values)), 1000, 0.95, np.random.default_rng(0)).of(values, everything)
    assert by_cluster.value == by_row.value
    assert by_cluster.high - by_cluster.low > 1.3 * (by_row.high - by_row.low)


def test_both_ways_to_an_interval_agree_also_over_a_part(monkeypatch):
    values, clusters = world(2000, np.random.default_rng(2))
    part = np.random.default_rng(3).random(len(values)) < 0.3
    drawn = ClusteredMeans(clusters.tolist(), 4000, 0.9, np.random.default_rng(0)).of(values, part)
    monkeypatch.setattr(clustered_means, "MOST", 0)
    normal = ClusteredMeans(clusters.tolist(), 4000, 0.9, np.random.default_rng(0)).of(values, part)
    assert drawn.value == normal.value == pytest.approx(values[part].mean())
    assert drawn == pytest.approx(normal, abs=0.002)


def test_clusters_of_one_row_give_the_interval_of_a_mean(monkeypatch):
    monkeypatch.setattr(clustered_means, "MOST", 0)
    values = np.random.default_rng(4).normal(size=500)
    estimate = ClusteredMeans(range(500), 10, 0.95, np.random.default_rng(0)).of(values, np.ones(500))
    half = 1.959964 * values.std(ddof=1) / np.sqrt(500)
    assert estimate == pytest.approx((values.mean(), values.mean() - half, values.mean() + half))


def test_only_ones_or_only_zeros_have_a_score_interval():
    means = ClusteredMeans(["a", "a", "b", "c", "d"], 50, 0.95, np.random.default_rng(0))
    everything = np.ones(5)
    # Wilson 1927: z² / (n + z²) and n / (n + z²) for n = 4 clusters.
    assert means.of(np.zeros(5), everything) == pytest.approx((0, 0, 0.48989), abs=1e-5)
    assert means.of(np.ones(5), everything) == pytest.approx((1, 0.51011, 1), abs=1e-5)


def test_what_cannot_have_an_interval_has_none():
    means = ClusteredMeans(["a", "a", "b"], 50, 0.95, np.random.default_rng(0))
    assert means.of([0.2, 0.4, 0.9], [True, True, False])[0] == pytest.approx(0.3)
    assert np.isnan(means.of([0.2, 0.4, 0.9], [True, True, False])[1:]).all()  # one cluster
    assert np.isnan(means.of([0.2, 0.2, 0.2], [True, True, True])[1:]).all()  # one value
    assert np.isnan(means.of([0.2, 0.2, 0.2], [False] * 3)).all()
    assert (means.clusters([True, True, False]), means.clusters([True, False, True])) == (1, 2)
