"""Batches of sequences of similar length."""

import numpy as np

from answersim.training.data.batches import batches


def test_every_pair_is_in_one_batch_of_pairs_of_like_length():
    lengths = np.random.default_rng(0).integers(1, 50, size=1000)
    ordered = batches(lengths.tolist(), 8, np.random.default_rng(1))
    assert sorted(np.concatenate(ordered).tolist()) == list(range(1000))
    padding = sum(lengths[batch].max() * len(batch) for batch in ordered) / lengths.sum() - 1
    assert padding < 0.05
