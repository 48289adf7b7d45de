"""The weights of a network: kept, hashed and put back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from rankers.models.neural_ranker import fingerprint, put_weights, weights  # noqa: E402 # needs torch

FILES = Path("weights.safetensors"), Path("config.json")


def test_weights_are_hashed_and_put_back(bench: Any) -> None:
    one, other = bench.network(seed=0), bench.network(seed=1)
    assert fingerprint(one) == fingerprint(bench.network(seed=0)) != fingerprint(other)
    put_weights(other, weights(one), *FILES)
    assert fingerprint(other) == fingerprint(one)
    assert len(fingerprint(one)) == 12


def test_the_table_of_words_is_not_kept(bench: Any) -> None:
    kept = weights(bench.network())
    assert kept
    assert not [name for name in kept if name.endswith("table")]


def test_a_network_does_not_depend_on_the_random_state_of_torch_and_leaves_it(bench: Any) -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    one = fingerprint(bench.network(seed=0))
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert fingerprint(bench.network(seed=0)) == one
