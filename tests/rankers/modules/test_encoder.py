from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from answersim._base.errors import CheckpointNotFoundError, ChecksumError, TruncationWarning
from rankers.modules.encoder import Encoder, encoder

TEXTS = ["the quick brown fox", "a dog", "the quick brown fox jumps over the lazy dog", "", "a dog"]


@pytest.fixture
def tiny_encoder(tiny):
    return encoder(str(tiny("bert")))


def alone(folder: Path, text: str) -> tuple[torch.Tensor, list[str]]:
    """The last layer's states of one text by transformers, (tokens, d), and its tokens."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    read = tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        return model(**read).last_hidden_state[0], tokenizer.convert_ids_to_tokens(read["input_ids"][0].tolist())


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_states_are_those_of_each_text_alone_without_special_tokens(tiny, kind):
    result = encoder(str(tiny(kind))).states(TEXTS)
    for text, states in zip(TEXTS, result, strict=True):
        every, tokens = alone(tiny(kind), text)
        content = [token not in ("[CLS]", "[SEP]", "<s>", "</s>") for token in tokens]
        torch.testing.assert_close(states, every[content], atol=1e-5, rtol=0)


def test_vectors_are_the_mean_over_all_tokens_of_each_text_alone(tiny, tiny_encoder):
    expected = torch.stack([alone(tiny("bert"), text)[0].mean(dim=0) for text in TEXTS])
    torch.testing.assert_close(tiny_encoder.vectors(TEXTS), expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("mode", ["mean", "cls", "max"])
def test_a_folder_of_sentence_transformers_is_pooled_and_cut_as_that_does(mode, sentence_folder):
    from sentence_transformers import SentenceTransformer

    folder = sentence_folder(mode, limit=8)
    with pytest.warns(TruncationWarning, match=r"2 texts were longer .*\|max_length:8\)"):
        ours = torch.nn.functional.normalize(encoder(str(folder)).vectors(TEXTS), dim=-1)
    theirs = SentenceTransformer(str(folder), device="cpu").encode(TEXTS)
    np.testing.assert_allclose(ours.numpy(), theirs, atol=1e-5)


def test_the_size_of_a_batch_changes_nothing(tiny_encoder):
    small = Encoder(tiny_encoder.checkpoint, tiny_encoder.max_length, batch_tokens=1)
    assert small == tiny_encoder
    torch.testing.assert_close(small.vectors(TEXTS), tiny_encoder.vectors(TEXTS), atol=1e-6, rtol=0)


def test_equal_texts_go_through_once(tiny_encoder):
    result = tiny_encoder.states(TEXTS)
    assert result[1] is result[4]


def test_no_texts_have_no_vectors(tiny_encoder):
    assert len(tiny_encoder.vectors([])) == 0
    assert tiny_encoder.states([]) == []


def test_weights_sign_with_their_fingerprint(tiny, tiny_encoder):
    assert tiny_encoder == encoder(str(tiny("bert")))
    assert tiny_encoder != encoder(str(tiny("bert", seed=1)))


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [({"pooling": "meen"}, LookupError, "did you mean 'mean'"), ({"max_length": 2}, ValueError, "max_length is 2")],
)
def test_a_setting_out_of_its_range_is_an_error(tiny_encoder, settings, error, message):
    with pytest.raises(error, match=message):
        Encoder(tiny_encoder.checkpoint, **({"max_length": 16} | settings))  # type: ignore[arg-type]


def test_modules_and_poolings_that_are_not_offered_are_refused(sentence_folder):
    with pytest.raises(ValueError, match="Dense"):
        encoder(str(sentence_folder("mean", extra="Dense")))
    with pytest.raises(ValueError, match="lasttoken"):
        encoder(str(sentence_folder("lasttoken")))


def test_weights_that_are_nowhere_are_an_error_before_any_work(tmp_path):
    with pytest.raises(CheckpointNotFoundError, match="no weights"):
        encoder(str(tmp_path / "nothing"))


def test_weights_that_lack_a_tensor_are_refused_and_not_random(tiny, lacking):
    without_pooler = encoder(str(lacking(tiny("bert"), "pooler.")))
    assert torch.equal(without_pooler.vectors(TEXTS), encoder(str(tiny("bert"))).vectors(TEXTS))
    with pytest.raises(ValueError, match=r"lack encoder\.layer\.1\."):
        encoder(str(lacking(tiny("bert"), ".layer.1."))).vectors(TEXTS)


def test_weights_that_are_replaced_before_the_first_text_are_refused(tiny, lacking):
    folder = lacking(tiny("bert"), "pooler.")
    built = encoder(str(folder))
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
    plain, ours = encoder(str(tiny("bert"))), encoder(str(tiny("bert")), adapter=adapted)
    torch.testing.assert_close(ours.vectors(TEXTS), expected, atol=1e-5, rtol=0)
    assert (plain.vectors(TEXTS) - expected).abs().max() > 1e-3  # and the two are kept apart
    assert ours != plain
    assert f"+a@{ours.fingerprint.split('@')[-1].split('/')[0]}/fp32" in ours.fingerprint


def test_an_adapter_that_was_changed_is_refused(tiny, adapted):
    pins = {"sha256": {"adapter_model.safetensors": "0" * 64}}
    (adapted / "recipe.json").write_text(json.dumps(pins))
    with pytest.raises(ChecksumError, match=r"adapter_model\.safetensors: SHA-256 is"):
        encoder(str(tiny("bert")), adapter=adapted)
    (adapted / "recipe.json").unlink()
    built = encoder(str(tiny("bert")), adapter=adapted)
    config = json.loads((adapted / "adapter_config.json").read_text())
    (adapted / "adapter_config.json").write_text(json.dumps(config | {"lora_alpha": 1}))
    with pytest.raises(ChecksumError, match="was changed after"):
        built.vectors(TEXTS)
