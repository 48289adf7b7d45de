from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from rankers.modules import frozen_encoder
from rankers.modules.cross_encoder import PairEncoder
from tests.rankers.modules.pair_batches import PAIRS, batch_of, tokenizer


@pytest.mark.parametrize("kind", ["bert", "electra", "roberta", "xlm-roberta"])
def test_pairs_are_read_as_the_checkpoints_own_tokenizer_makes_them(tiny, kind):
    folder = tiny(kind)
    built = PairEncoder(str(folder), max_length=60).inputs(batch_of(folder, extra=3))
    ours = tokenizer(folder)(
        [q for q, _ in PAIRS], [a for _, a in PAIRS], padding=True, return_token_type_ids=True, return_tensors="pt"
    )
    assert torch.equal(built.ids, ours["input_ids"])
    assert torch.equal(built.mask.long(), ours["attention_mask"])
    if kind in ("bert", "electra"):
        assert torch.equal(built.types, ours["token_type_ids"])


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("limit", [8, 10, 12])
def test_a_long_pair_loses_the_end_of_its_answer(tiny, kind, limit):
    folder = tiny(kind)
    pairs = [("a", "in regions of new growth ?!")]
    read = tokenizer(folder)
    question = read("a", add_special_tokens=False)["input_ids"]
    answer = read(pairs[0][1], add_special_tokens=False)["input_ids"]
    encoder = PairEncoder(str(folder), max_length=limit)
    left = answer[: limit - encoder.around.size - len(question)]
    before, between, after = (list(entry) for entry in encoder.around)
    ids = encoder.inputs(batch_of(folder, pairs)).ids
    assert ids.tolist() == [[*before, *question, *between, *left, *after]]
    assert ids.shape == (1, limit)


def test_a_question_that_fills_the_limit_leaves_one_word_of_the_answer(tiny):
    folder = tiny("bert")
    ids = PairEncoder(str(folder), max_length=6).inputs(batch_of(folder, [PAIRS[1][::-1]])).ids
    question, answer = (tokenizer(folder)(pair, add_special_tokens=False)["input_ids"] for pair in PAIRS[1][::-1])
    assert ids.tolist() == [[2, *question[:2], 3, answer[0], 3]]


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_vectors_are_those_of_the_checkpoints_own_layers(tiny, kind):
    import transformers

    folder = tiny(kind)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    types = {"return_token_type_ids": kind == "bert"}
    ours = tokenizer(folder)([q for q, _ in PAIRS], [a for _, a in PAIRS], padding=True, return_tensors="pt", **types)
    with torch.no_grad():
        expected = model(**ours)
        pooled = PairEncoder(str(folder), max_length=60).eval()(batch_of(folder))
        torch.testing.assert_close(pooled, expected.pooler_output, atol=1e-5, rtol=0)
        first = PairEncoder(str(folder), max_length=60, pooler="cls").eval()(batch_of(folder))
        torch.testing.assert_close(first, expected.last_hidden_state[:, 0], atol=1e-5, rtol=0)


def new_pooler(folder: Path, pooler: str, kind: str = "bert") -> tuple[PairEncoder, Tensor, Tensor]:
    """An encoder, its vectors, and those of its new layer on the first states."""
    torch.manual_seed(0)
    encoder = PairEncoder(str(folder), max_length=60, pooler=pooler).eval()
    first = PairEncoder(str(folder), max_length=60, pooler="cls").eval()
    assert encoder.pooler is not None
    with torch.no_grad():
        return encoder, encoder(batch_of(folder)), encoder.pooler(first(batch_of(folder))).tanh()


def test_a_new_pooler_is_tanh_of_a_linear_map_and_the_only_one(tiny):
    encoder, vectors, expected = new_pooler(tiny("bert"), "new")
    torch.testing.assert_close(vectors, expected, atol=1e-5, rtol=0)
    assert [name for name, _ in encoder.named_parameters() if "pooler" in name] == ["pooler.weight", "pooler.bias"]


@pytest.mark.parametrize(("kind", "classifier"), [("electra", False), ("roberta", True)])
def test_a_checkpoint_without_a_pooler_gets_a_new_one(tiny, kind, classifier):
    encoder, vectors, expected = new_pooler(tiny(kind, classifier=classifier), "checkpoint")
    torch.testing.assert_close(vectors, expected, atol=1e-5, rtol=0)
    assert [name for name, _ in encoder.named_parameters() if "pooler" in name] == ["pooler.weight", "pooler.bias"]


def test_every_parameter_that_is_trained_gets_a_gradient_and_no_other(tiny):
    for pooler in ("checkpoint", "new", "cls"):
        encoder = PairEncoder(str(tiny("bert")), max_length=60, pooler=pooler, frozen=2)
        encoder(batch_of(tiny("bert"))).square().sum().backward()
        got = {name for name, p in encoder.named_parameters() if p.grad is not None}
        assert got == {name for name, p in encoder.named_parameters() if p.requires_grad}
        assert not any(part in name for name in got for part in ("embeddings", "layer.0.", "layer.1."))
        assert any("layer.2." in name for name in got)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"max_length": 65}, ValueError, "has 64 positions"),
        ({"max_length": 4}, ValueError, "3 special tokens and two words need 5"),
        ({"max_length": 60, "frozen": 4}, ValueError, "4 layers are to be frozen, but .* has 3"),
    ],
)
def test_what_the_checkpoint_cannot_do_is_refused(tiny, settings, error, message):
    with pytest.raises(error, match=message):
        PairEncoder(str(tiny("bert")), **settings)


def test_roberta_counts_its_positions_from_after_padding(tiny):
    PairEncoder(str(tiny("roberta")), max_length=64)
    with pytest.raises(ValueError, match="has 64 positions"):
        PairEncoder(str(tiny("roberta")), max_length=65)


def test_frozen_layers_have_no_dropout_in_training_and_others_have(tiny):
    folder = tiny("bert")
    batch = batch_of(folder)
    frozen_encoder.shared_cache.cache_clear()
    encoder = PairEncoder(str(folder), max_length=60, pooler="cls", frozen=3).train()
    assert torch.equal(encoder(batch), encoder(batch))
    frozen_encoder.shared_cache.cache_clear()
    torch.testing.assert_close(encoder(batch), encoder.eval()(batch), atol=1e-6, rtol=0)
    for frozen in (0, 2):
        encoder = PairEncoder(str(folder), max_length=60, pooler="cls", frozen=frozen).train()
        assert not torch.equal(encoder(batch), encoder(batch))


def test_weights_that_lack_a_tensor_are_refused_and_only_the_pooler_may_be_new(tiny, lacking):
    built = PairEncoder(str(lacking(tiny("bert"), "pooler.")), max_length=16)
    assert built.pooler is not None
    with pytest.raises(ValueError, match=r"lack encoder\.layer\.1\."):
        PairEncoder(str(lacking(tiny("bert"), ".layer.1.")), max_length=16)
