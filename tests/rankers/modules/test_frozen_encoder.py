"""States against transformers' own, what is encoded how often, what is trained, and what is kept."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
import transformers
from torch import nn

from rankers.modules import frozen_encoder
from rankers.modules.frozen_encoder import FrozenEncoder, LowRank
from rankers.modules.scoring import Embedding, Texts, pad_ids
from tests.pairwise import pairwise

ROWS = [[30, 31, 32, 33], [40], [31, 30, 9], [9, 41, 22], [40]]
HALF = 2e-3  # states are below 4, where half precision has steps of 2^-9


@pytest.fixture(autouse=True)
def _nothing_kept():
    """States of another test are not there."""
    frozen_encoder.shared_cache.cache_clear()
    yield
    frozen_encoder.shared_cache.cache_clear()


@pytest.fixture
def encoder(tiny):
    """``encoder(unfrozen_layers=1)`` stands on a tiny BERT of three layers."""

    def make(kind="bert", seed=0, **settings):
        return FrozenEncoder(str(tiny(kind, seed=seed)), **settings).eval()

    return make


def alone(folder: Path, row: list[int]) -> torch.Tensor:
    """The last layer's states of one text with its special tokens by transformers, (tokens, d)."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    ids = torch.tensor([[tokenizer.cls_token_id, *row, tokenizer.sep_token_id]])
    with torch.no_grad():
        return model(input_ids=ids).last_hidden_state[0]


def wide(extra: int) -> Texts:
    texts = pad_ids(ROWS)
    return Texts(*(torch.nn.functional.pad(text, (0, extra)) for text in texts))


@pytest.mark.parametrize(
    ("kind", "unfrozen_layers", "keep_special"), pairwise(["bert", "electra"], [0, 1, 3], [False, True])
)
def test_states_are_those_of_each_text_alone(encoder, tiny, kind, unfrozen_layers, keep_special):
    with torch.no_grad():
        result = encoder(kind, unfrozen_layers=unfrozen_layers, keep_special=keep_special)(pad_ids(ROWS))
    assert result.vectors.dtype == torch.float32
    for row, states, mask in zip(ROWS, *result, strict=True):
        every = alone(tiny(kind), row)
        expected = every if keep_special else every[1:-1]
        # Rounding below is carried upwards by the layers that are trained.
        torch.testing.assert_close(states[mask], expected, atol=HALF * (1 + 2 * unfrozen_layers), rtol=1e-3)


def test_each_text_is_encoded_once_by_all_networks_on_the_same_weights(encoder):
    built, other = encoder(), encoder()
    first = built(pad_ids(ROWS))
    assert built.kept.misses == 4  # one text is there twice
    for entry in (built, other, copy.deepcopy(built)):
        torch.testing.assert_close(entry(pad_ids(ROWS)).vectors, first.vectors, atol=0, rtol=0)
        assert entry.kept is built.kept
    assert built.kept.misses == 4


def test_other_weights_and_other_layers_have_their_own_states(encoder):
    first = encoder(seed=0)(pad_ids(ROWS)).vectors
    assert not torch.allclose(encoder(seed=1)(pad_ids(ROWS)).vectors, first, atol=0.1)
    assert encoder(unfrozen_layers=1).kept is not encoder().kept


@pytest.mark.parametrize("unfrozen_layers", [0, 1])
def test_states_stored_in_scoring_are_used_in_training(encoder, unfrozen_layers):
    built = encoder(unfrozen_layers=unfrozen_layers)
    with torch.inference_mode():
        built(pad_ids(ROWS))
    weights = torch.nn.Parameter(torch.ones(built.dim, built.dim))
    (built.train()(pad_ids(ROWS)).vectors @ weights).square().sum().backward()
    assert weights.grad is not None
    assert weights.grad.any()


def test_only_the_last_layers_are_trained_and_kept(encoder):
    frozen, built = encoder(), encoder(unfrozen_layers=2)
    assert list(frozen.parameters()) == []
    assert list(frozen.state_dict()) == ["_extra_state"]
    names = {name for name, _ in built.named_parameters()}
    assert {name.split(".")[1] for name in names} == {"0", "1"}
    assert {*built.state_dict()} == {*names, "_extra_state"}
    built(pad_ids(ROWS)).vectors.square().sum().backward()
    assert all(p.grad is not None for p in built.parameters())


def test_there_is_dropout_in_the_layers_that_are_trained_only(encoder):
    frozen = encoder(limit=0).train()
    assert torch.equal(frozen(pad_ids(ROWS)).vectors, frozen(pad_ids(ROWS)).vectors)
    built = encoder(unfrozen_layers=1).train()
    assert not torch.equal(built(pad_ids(ROWS)).vectors, built(pad_ids(ROWS)).vectors)


def test_weights_are_put_back_and_those_on_another_checkpoint_are_refused(encoder):
    built, fresh = encoder(unfrozen_layers=1), encoder(unfrozen_layers=1)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.add_(0.1)
    fresh.load_state_dict(built.state_dict())
    with torch.no_grad():
        torch.testing.assert_close(fresh(pad_ids(ROWS)).vectors, built(pad_ids(ROWS)).vectors)
    with pytest.raises(RuntimeError, match="were trained on"):
        encoder(seed=1, unfrozen_layers=1).load_state_dict(built.state_dict())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unfrozen_layers": 4}, "unfrozen_layers is 4, but .* has 3 layers"),
        ({"unfrozen_layers": -1}, "unfrozen_layers is -1"),
        ({"longest": 63}, "read at most 62"),
    ],
)
def test_what_an_encoder_cannot_do_is_refused(encoder, settings, message):
    encoder(longest=62)
    with pytest.raises(ValueError, match=message):
        encoder(**settings)


def test_words_of_another_vocabulary_are_refused(encoder):
    built = encoder()
    built.fits(Embedding(torch.zeros(built.words, 2)))
    with pytest.raises(ValueError, match="the words have 7 ids"):
        built.fits(Embedding(torch.zeros(7, 2)))


def test_it_adds_the_product_of_both_matrices():
    torch.manual_seed(0)
    linear = nn.Linear(5, 3)
    layer, x = LowRank(linear, 2), torch.randn(4, 5)
    nn.init.normal_(layer.b)
    expected = x @ (linear.weight + layer.b @ layer.a).T + linear.bias
    assert torch.allclose(layer(x), expected, atol=1e-6)


def test_a_rank_of_zero_trains_whole_layers_of_an_encoder(tiny):
    whole, low = (FrozenEncoder(str(tiny("bert")), unfrozen_layers=1, lora_r=rank, longest=8) for rank in (0, 2))
    assert any(name.endswith("dense.weight") for name, _ in whole.named_parameters())
    names = [name for name, _ in low.named_parameters()]
    assert names
    assert {name.rsplit(".", 1)[1] for name in names} == {"a", "b"}
    assert sum(p.numel() for p in low.parameters()) < sum(p.numel() for p in whole.parameters()) / 2
