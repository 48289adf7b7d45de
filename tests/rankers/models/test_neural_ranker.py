"""The weights of a network: kept, hashed and put back."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from rankers.models.neural_ranker import fingerprint, put_weights, weights  # noqa: E402 # needs torch

FILES = Path("weights.safetensors"), Path("config.json")


def test_weights_are_hashed_and_put_back(bench):
    first, second = bench.network(seed=0), bench.network(seed=1)
    assert fingerprint(first) == fingerprint(bench.network(seed=0)) != fingerprint(second)
    put_weights(second, weights(first), *FILES)
    assert fingerprint(second) == fingerprint(first)
    assert len(fingerprint(first)) == 12


def test_the_table_of_words_is_not_kept(bench):
    remaining = weights(bench.network())
    assert remaining
    assert not [name for name in remaining if name.endswith("table")]


def test_a_network_does_not_depend_on_the_random_state_of_torch_and_leaves_it(bench):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = fingerprint(bench.network(seed=0))
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert fingerprint(bench.network(seed=0)) == first
