"""Soft pairwise accuracy: the example of its authors, all exchanges written out, ties, and resamples."""

from itertools import product

import numpy as np
import pytest

from answersim.stats.cluster_bootstrap import Resamples
from answersim.stats.soft_pairwise import better_p, exchanges, resampled_accuracy, soft_pairwise_accuracy

# The example in the released code (Thompson 2024): two systems, five segments and ten permutations. The difference is
# 3.0, and one permutation has the same. So p is 1 / 10 there, and (0 + 1 / 2 + 1 / 2) / (10 + 1) here.
SYSTEMS = [[0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]]
SIGNS = [
    *([1, 1, -1, -1, -1], [1, -1, 1, -1, 1], [1, -1, 1, 1, -1], [-1, 1, -1, -1, 1], [1, 1, 1, -1, 1]),
    *([-1, 1, -1, 1, -1], [1, 1, 1, 1, 1], [1, -1, 1, -1, 1], [1, -1, 1, -1, 1], [-1, 1, -1, -1, -1]),
]


def test_p_is_that_of_the_authors_example():
    assert better_p(SYSTEMS, np.array(SIGNS)) == pytest.approx([1 / 11])


def test_p_is_that_of_all_exchanges_written_out():
    rng = np.random.default_rng(0)
    scores = rng.integers(4, size=(3, 7)) / 4
    signs = np.array(list(product([1, -1], repeat=7)))
    found = iter(better_p(scores, signs))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        gaps = scores[i] - scores[j]
        drawn = [sum(sign * gap for sign, gap in zip(row, gaps, strict=True)) for row in signs]
        larger = sum(value > gaps.sum() + 1e-9 for value in drawn)
        same = sum(abs(value - gaps.sum()) <= 1e-9 for value in drawn)
        assert next(found) == pytest.approx((larger + same / 2 + 0.5) / (128 + 1))


def test_several_metrics_at_once_have_the_numbers_of_each_alone():
    rng = np.random.default_rng(2)
    human, metrics, signs = rng.integers(2, size=(4, 40)), rng.random((3, 4, 40)), exchanges(200, 40, rng)
    alone = [soft_pairwise_accuracy(human, metric[None], signs)[0] for metric in metrics]
    assert soft_pairwise_accuracy(human, metrics, signs) == pytest.approx(alone)


def test_accuracy_is_one_less_the_mean_distance_of_p():
    human = np.array([[1, 1, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1]])
    metric = np.array([[0.9, 0.2, 0.4, 0.1], [0.3, 0.8, 0.1, 0.2], [0.9, 0.5, 0.3, 0.8]])
    signs = exchanges(100, 4, np.random.default_rng(3))
    expected = 1 - np.mean(np.abs(better_p(human, signs) - better_p(metric, signs)))
    assert soft_pairwise_accuracy(human, metric[None], signs) == pytest.approx([expected])


def test_the_scale_of_a_metric_does_not_matter_and_a_reversed_one_is_near_zero():
    rng = np.random.default_rng(4)
    human, signs = rng.random((3, 200)) < np.array([[0.9], [0.6], [0.2]]), exchanges(1000, 200, rng)
    alike = rng.random((3, 200)) < 0.5
    same, reversed_ = soft_pairwise_accuracy(human, [human, ~human], signs)
    assert same == 1
    assert reversed_ < 0.01
    assert soft_pairwise_accuracy(alike, [alike, alike * 1e-6 - 5], signs).tolist() == [1, 1]


def test_a_resample_is_that_of_its_items_written_out():
    rng = np.random.default_rng(5)
    human, metrics, signs = rng.integers(2, size=(3, 6)), rng.random((2, 3, 6)), exchanges(64, 6, rng)
    times = np.array([[1, 1, 1, 1, 1, 1], [3, 0, 1, 0, 2, 0]], dtype=np.int32)
    found = resampled_accuracy(human, metrics, signs, Resamples(np.arange(6), times))
    items = [0, 0, 0, 2, 4, 4]
    expected = soft_pairwise_accuracy(human[:, items], metrics[:, :, items], signs)
    np.testing.assert_allclose(found, np.stack([soft_pairwise_accuracy(human, metrics, signs), expected], axis=1))


def test_exchanges_are_fair():
    signs = exchanges(400, 50, np.random.default_rng(6))
    assert set(np.unique(signs)) == {-1, 1}
    assert abs(signs.mean()) < 0.03
