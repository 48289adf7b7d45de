"""States against transformers' own, what is encoded how often, what is trained, and what is kept."""

from __future__ import annotations

import copy
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from torch import nn

from answersim._base.errors import CheckpointNotFoundError, ChecksumError, TruncationWarning
from rankers.modules import frozen_encoder
from rankers.modules.encoder import Encoder
from rankers.modules.encoder import encoder as load
from rankers.modules.frozen_encoder import FrozenEncoder, LowRank
from rankers.modules.scoring import Embedding, pad_ids
from tests.pairwise import pairwise

TEXTS = ["the quick brown fox", "a dog", "the quick brown fox jumps over the lazy dog", "", "a dog"]


@pytest.fixture
def tiny_encoder(tiny):
    return load(str(tiny("bert")))


def alone(folder: Path, content: str | list[int]) -> torch.Tensor:
    """The last layer's states of one text or of its ids by transformers, with its special tokens, (tokens, d)."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    row = content if isinstance(content, list) else tokenizer(content, add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        ids = torch.tensor([[tokenizer.cls_token_id, *row, tokenizer.sep_token_id]])
        return model(input_ids=ids).last_hidden_state[0]


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_states_are_those_of_each_text_alone_without_special_tokens(tiny, kind):
    result = load(str(tiny(kind))).vectors_and_states(TEXTS)[1]
    for text, states in zip(TEXTS, result, strict=True):
        torch.testing.assert_close(states, alone(tiny(kind), text)[1:-1], atol=1e-5, rtol=0)


def test_vectors_are_the_mean_over_all_tokens_of_each_text_alone(tiny, tiny_encoder):
    expected = torch.stack([alone(tiny("bert"), text).mean(dim=0) for text in TEXTS])
    torch.testing.assert_close(tiny_encoder.vectors(TEXTS), expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("mode", ["mean", "cls", "max"])
def test_a_folder_of_sentence_transformers_is_pooled_and_cut_as_that_does(mode, sentence_folder):
    from sentence_transformers import SentenceTransformer

    folder = sentence_folder(mode, limit=8)
    with pytest.warns(TruncationWarning, match=r"2 texts were longer .*\|max_length:8\)"):
        ours = torch.nn.functional.normalize(load(str(folder)).vectors(TEXTS), dim=-1)
    theirs = SentenceTransformer(str(folder), device="cpu").encode(TEXTS)
    np.testing.assert_allclose(ours.numpy(), theirs, atol=1e-5)


def test_the_size_of_a_batch_changes_nothing_and_equal_texts_go_through_once(tiny, tiny_encoder):
    small = Encoder(tiny_encoder.checkpoint, tiny_encoder.max_length, batch_tokens=1)
    assert small == tiny_encoder == load(str(tiny("bert"))) != load(str(tiny("bert", seed=1)))
    torch.testing.assert_close(small.vectors(TEXTS), tiny_encoder.vectors(TEXTS), atol=1e-6, rtol=0)
    result = tiny_encoder.vectors_and_states(TEXTS)[1]
    assert result[1] is result[4]
    assert len(tiny_encoder.vectors([])) == len(tiny_encoder.vectors_and_states([])[1]) == 0


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [({"pooling": "meen"}, LookupError, "did you mean 'mean'"), ({"max_length": 2}, ValueError, "max_length is 2")],
)
def test_a_setting_out_of_its_range_is_an_error(tiny_encoder, settings, error, message):
    with pytest.raises(error, match=message):
        Encoder(tiny_encoder.checkpoint, **({"max_length": 16} | settings))  # type: ignore[arg-type]


def test_folders_modules_and_poolings_that_are_not_offered_are_refused(sentence_folder, tmp_path):
    with pytest.raises(CheckpointNotFoundError, match="no weights"):
        load(str(tmp_path / "nothing"))
    with pytest.raises(ValueError, match="Dense"):
        load(str(sentence_folder("mean", extra="Dense")))
    with pytest.raises(ValueError, match="lasttoken"):
        load(str(sentence_folder("lasttoken")))


def test_weights_that_lack_a_tensor_are_refused_and_not_random(tiny, lacking):
    without_pooler = load(str(lacking(tiny("bert"), "pooler.")))
    assert torch.equal(without_pooler.vectors(TEXTS), load(str(tiny("bert"))).vectors(TEXTS))
    with pytest.raises(ValueError, match=r"lack encoder\.layer\.1\."):
        load(str(lacking(tiny("bert"), ".layer.1."))).vectors(TEXTS)


def test_weights_that_are_replaced_before_the_first_text_are_refused(tiny, lacking):
    folder = lacking(tiny("bert"), "pooler.")
    built = load(str(folder))
    (folder / "model.safetensors").write_bytes((tiny("bert", seed=1) / "model.safetensors").read_bytes())
    with pytest.raises(ChecksumError, match="was changed after"):
        built.vectors(TEXTS)


@pytest.fixture
def adapted(tiny, tmp_path):
    """An adapter for the tiny BERT, by peft, with matrices that are not zero."""
    peft = pytest.importorskip("peft")
    settings = peft.LoraConfig(r=2, lora_alpha=4, target_modules=["query", "value"], init_lora_weights=False)
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peft asks transformers 5 for a property by its former name
        model = peft.get_peft_model(transformers.AutoModel.from_pretrained(tiny("bert")), settings)
    model.save_pretrained(tmp_path / "a")
    return tmp_path / "a"


def test_an_adapter_is_merged_as_peft_merges_it(tiny, adapted):
    import peft

    base = transformers.AutoModel.from_pretrained(tiny("bert"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        merged = peft.PeftModel.from_pretrained(base, adapted).merge_and_unload().eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny("bert"))
    with torch.no_grad():
        expected = torch.stack(
            [merged(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0) for text in TEXTS]
        )
    plain, ours = load(str(tiny("bert"))), load(str(tiny("bert")), adapter=adapted)
    torch.testing.assert_close(ours.vectors(TEXTS), expected, atol=1e-5, rtol=0)
    assert (plain.vectors(TEXTS) - expected).abs().max() > 1e-3  # and the two are kept apart
    assert ours != plain
    assert f"+a@{ours.fingerprint.split('@')[-1].split('/')[0]}/fp32" in ours.fingerprint


def test_an_adapter_that_was_changed_is_refused(tiny, adapted):
    pins = {"sha256": {"adapter_model.safetensors": "0" * 64}}
    (adapted / "recipe.json").write_text(json.dumps(pins))
    with pytest.raises(ChecksumError, match=r"adapter_model\.safetensors: SHA-256 is"):
        load(str(tiny("bert")), adapter=adapted)
    (adapted / "recipe.json").unlink()
    built = load(str(tiny("bert")), adapter=adapted)
    config = json.loads((adapted / "adapter_config.json").read_text())
    (adapted / "adapter_config.json").write_text(json.dumps(config | {"lora_alpha": 1}))
    with pytest.raises(ChecksumError, match="was changed after"):
        built.vectors(TEXTS)


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
