"""The layers of an encoder, run one by one."""

from __future__ import annotations

import copy
import json

import pytest
import torch

from rankers.modules import frozen_encoder
from rankers.modules.cross_encoder import PairEncoder
from rankers.modules.frozen_encoder import layers_of
from tests.rankers.modules.pair_batches import PAIRS, batch_of


@pytest.mark.parametrize("autocast", [False, True])
def test_frozen_layers_run_in_single_precision_in_mixed_training_too(tiny, autocast):
    folder = tiny("bert")
    batch = batch_of(folder)
    encoder = PairEncoder(str(folder), max_length=60, pooler="cls", frozen=3).eval()
    frozen_encoder.shared_cache.cache_clear()
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        built = encoder(batch)
    frozen_encoder.shared_cache.cache_clear()
    assert torch.equal(built, encoder(batch))


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_an_encoder_without_separate_layers_runs_as_a_whole_with_the_same_numbers(tiny, kind):
    folder = tiny(kind)
    encoder = PairEncoder(str(folder), max_length=60).eval()
    with torch.no_grad():
        ours = encoder(batch_of(folder))
        encoder.model.config._attn_implementation = "eager"
        assert layers_of(encoder.model) is None
        encoder._layers = None
        torch.testing.assert_close(encoder(batch_of(folder)), ours, atol=1e-5, rtol=0)


HALF = 2e-3  # states are below 4, where half precision has steps of 2^-9


@pytest.mark.parametrize("kind", ["bert", "electra", "roberta"])
@pytest.mark.parametrize("frozen", [1, 3])
def test_frozen_layers_change_nothing_but_half_precision(tiny, kind, frozen):
    folder = tiny(kind)
    free = PairEncoder(str(folder), max_length=60, pooler="cls").eval()
    some = PairEncoder(str(folder), max_length=60, pooler="cls", frozen=frozen).eval()
    with torch.no_grad():
        for _ in range(2):  # made, then kept
            torch.testing.assert_close(some(batch_of(folder, extra=2)), free(batch_of(folder)), atol=HALF, rtol=0)


def test_a_pair_goes_through_frozen_layers_once_whoever_reads_it(tiny, monkeypatch):
    folder, seen = tiny("bert"), [0]
    encoders = [PairEncoder(str(folder), max_length=60, pooler="cls", frozen=2) for _ in range(2)]
    ours = type(encoders[0])._embedded

    def counted(self, ids, types):
        seen[0] += len(ids)
        return ours(self, ids, types)

    monkeypatch.setattr(PairEncoder, "_embedded", counted)
    frozen_encoder.shared_cache.cache_clear()
    for encoder in (*encoders, copy.deepcopy(encoders[0])):
        encoder(batch_of(folder, [*PAIRS, PAIRS[0]]))
    assert seen == [len(PAIRS)]


def test_what_other_weights_made_is_not_used(tiny):
    folder = tiny("bert")
    first, second = (PairEncoder(str(folder), max_length=60, pooler="cls", frozen=2).eval() for _ in range(2))
    batch = batch_of(folder)
    with torch.no_grad():
        before = second(batch)
        for encoder in (first, second):  # as a training does that goes on from another, and as a loaded network does
            state = {name: tensor + 0.1 * tensor.roll(1) for name, tensor in encoder.state_dict().items()}
            encoder.load_state_dict(state)
        fresh = PairEncoder(str(folder), max_length=60, pooler="cls").eval()
        fresh.load_state_dict(first.state_dict())
        assert (before - second(batch)).abs().max() > 0.01
        torch.testing.assert_close(second(batch), fresh(batch), atol=HALF, rtol=0)


def test_what_the_same_weights_made_with_other_heads_is_not_used(tiny, tmp_path):
    import shutil

    folder, other = tiny("bert"), tmp_path / "other"
    shutil.copytree(folder, other)
    config = json.loads((other / "config.json").read_text())
    config["num_attention_heads"] //= 2
    (other / "config.json").write_text(json.dumps(config))
    with torch.no_grad():
        results = [
            PairEncoder(str(entry), max_length=60, frozen=3).eval()(batch_of(folder)) for entry in (folder, other)
        ]
        free = PairEncoder(str(other), max_length=60).eval()(batch_of(folder))
    assert not torch.equal(results[0], results[1])
    torch.testing.assert_close(results[1], free, atol=HALF, rtol=0)
