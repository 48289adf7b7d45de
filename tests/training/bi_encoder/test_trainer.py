"""The batches of an epoch."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.cases import every

for module in ("torch", "safetensors.torch", "sentence_transformers", "peft", "accelerate", "datasets"):
    pytest.importorskip(module)


def test_every_epoch_takes_every_pair_once_in_new_batches():
    from answersim.training.bi_encoder.trainer import _LengthSampler

    lengths = np.random.default_rng(0).integers(3, 30, size=100).tolist()
    sampler = _LengthSampler(lengths, 8, drop_last=False, seed=5)
    epochs = []
    for epoch in (0, 1, 0):
        sampler.set_epoch(epoch)
        epochs.append(list(sampler))
        assert sorted(place for batch in epochs[-1] for place in batch) == list(range(100))
        assert len(epochs[-1]) == len(sampler) == 13
    assert epochs[0] == epochs[2] != epochs[1]
    padding = sum(max(lengths[i] for i in batch) * len(batch) for batch in epochs[0]) / sum(lengths) - 1
    assert padding < 0.15
    full = _LengthSampler(lengths, 8, drop_last=True, seed=5)
    assert [len(batch) for batch in full] == [8] * len(full) == [8] * 12


@every("labels", [[1, 1, 1, 0.5, 0], [0, 0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3]])
def test_the_highest_spearman_is_that_of_scores_in_the_order_of_the_labels(labels):
    from answersim.training.bi_encoder.trainer import highest_spearman

    best = spearmanr(labels, np.argsort(np.argsort(labels, kind="stable"))).statistic
    assert highest_spearman(labels) == pytest.approx(best, abs=1e-12)
