"""The layers of an encoder, run one by one."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from rankers.modules import frozen_encoder
from rankers.modules.cross_encoder import PairEncoder
from rankers.modules.frozen_encoder import layers_of
from rankers.modules.scoring import Batch, Texts, pad_ids

PAIRS = [("the NFL", "National Football League"), ("a", "in regions of new growth ?!"), ("eleven", "11")]


def tokenizer(folder: Path) -> Any:
    return transformers.AutoTokenizer.from_pretrained(folder)


def batch_of(folder: Path, pairs: Sequence[tuple[str, str]] = PAIRS, extra: int = 0) -> Batch:
    """The pairs, each text on its own, without special tokens; ``extra`` columns of padding with ids of words."""
    read = tokenizer(folder)
    sides = []
    for side in range(2):
        built = pad_ids([read(pair[side], add_special_tokens=False)["input_ids"] for pair in pairs])
        more = torch.full((len(pairs), extra), 7)
        sides.append(Texts(torch.cat([built.ids, more], 1), torch.cat([built.mask, torch.zeros_like(more).bool()], 1)))
    places = torch.arange(len(pairs))
    return Batch(*sides, places, places)


@pytest.mark.parametrize("kind", ["bert", "electra", "roberta", "xlm-roberta"])
def test_pairs_are_read_by_the_checkpoints_own_tokenizer_and_layers(tiny, kind):
    folder = tiny(kind)
    types = {"return_token_type_ids": kind in ("bert", "electra")}
    ours = tokenizer(folder)([q for q, _ in PAIRS], [a for _, a in PAIRS], padding=True, return_tensors="pt", **types)
    encoder = PairEncoder(str(folder), max_length=60, pooler="cls").eval()
    built = encoder.inputs(batch_of(folder, extra=3))
    assert torch.equal(built.ids, ours["input_ids"])
    assert torch.equal(built.mask.long(), ours["attention_mask"])
    if types["return_token_type_ids"]:
        assert torch.equal(built.types, ours["token_type_ids"])
    with torch.no_grad():
        expected = transformers.AutoModel.from_pretrained(folder).eval()(**ours)
        torch.testing.assert_close(encoder(batch_of(folder)), expected.last_hidden_state[:, 0], atol=1e-5, rtol=0)
        if kind in ("bert", "roberta"):
            pooled = PairEncoder(str(folder), max_length=60).eval()(batch_of(folder))
            torch.testing.assert_close(pooled, expected.pooler_output, atol=1e-5, rtol=0)


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


@pytest.mark.parametrize(
    ("kind", "classifier", "pooler"),
    [("bert", False, "new"), ("electra", False, "checkpoint"), ("roberta", True, "checkpoint")],
)
def test_a_new_pooler_is_tanh_of_a_linear_map_and_the_only_one(tiny, kind, classifier, pooler):
    folder = tiny(kind, classifier=classifier)  # the last two have none of their own
    torch.manual_seed(0)
    encoder = PairEncoder(str(folder), max_length=60, pooler=pooler).eval()
    first = PairEncoder(str(folder), max_length=60, pooler="cls").eval()
    with torch.no_grad():
        expected = encoder.pooler(first(batch_of(folder))).tanh()
        torch.testing.assert_close(encoder(batch_of(folder)), expected, atol=1e-5, rtol=0)
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
    ("kind", "settings", "message"),
    [
        ("bert", {"max_length": 65}, "has 64 positions"),
        ("roberta", {"max_length": 65}, "has 64 positions"),  # counted from after padding
        ("bert", {"max_length": 4}, "3 special tokens and two words need 5"),
        ("bert", {"max_length": 60, "frozen": 4}, "4 layers are to be frozen, but .* has 3"),
    ],
)
def test_what_the_checkpoint_cannot_do_is_refused(tiny, kind, settings, message):
    PairEncoder(str(tiny(kind)), max_length=64)
    with pytest.raises(ValueError, match=message):
        PairEncoder(str(tiny(kind)), **settings)


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
