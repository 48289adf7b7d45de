"""The cluster bootstrap: whole clusters, sums of the rows written out, and intervals that hold where rows are alike."""

import numpy as np

from answersim.stats.cluster_bootstrap import Resamples, draw, numbered, sums

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


def test_one_seed_gives_one_result():
    one, other = (draw(CLUSTERS, 9, np.random.default_rng(4)).times for _ in range(2))
    assert (one == other).all()


def test_the_size_of_a_resample_varies_with_its_clusters():
    drawn = Resamples(np.array([0, 0, 0, 1]), np.array([[2, 0], [0, 2], [1, 1]], dtype=np.int32))
    assert sums(np.ones((1, 4)), drawn).tolist() == [[6, 2, 4]]
