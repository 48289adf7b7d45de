"""The layers of an encoder, run one by one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from rankers.modules import frozen_layers
from rankers.modules.cross_encoder import PairEncoder
from rankers.modules.frozen_layers import layers_of
from tests.rankers.modules.pair_batches import batch_of


@pytest.mark.parametrize("autocast", [False, True])
def test_frozen_layers_run_in_single_precision_in_mixed_training_too(tiny: Callable[..., Path], autocast: bool) -> None:
    folder = tiny("bert")
    batch = batch_of(folder)
    encoder = PairEncoder(str(folder), max_length=60, pooler="cls", frozen=3).eval()
    frozen_layers.shared_cache.cache_clear()
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        made = encoder(batch)
    frozen_layers.shared_cache.cache_clear()
    assert torch.equal(made, encoder(batch))


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_an_encoder_without_separate_layers_runs_as_a_whole_with_the_same_numbers(
    tiny: Callable[..., Path], kind: str
) -> None:
    folder = tiny(kind)
    encoder = PairEncoder(str(folder), max_length=60).eval()
    with torch.no_grad():
        ours = encoder(batch_of(folder))
        encoder.model.config._attn_implementation = "eager"
        assert layers_of(encoder.model) is None
        encoder._layers = None
        torch.testing.assert_close(encoder(batch_of(folder)), ours, atol=1e-5, rtol=0)
