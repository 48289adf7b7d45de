"""Weights that are incomplete, of another shape, changed or damaged are refused."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.errors import ChecksumError
from answersim.metrics.checkpoints import weights
from answersim.metrics.checkpoints.search import find
from answersim.metrics.neural import loading
from answersim.metrics.neural.encoders import Request
from answersim.metrics.neural.transformer import PairTransformer, Transformer
from tests.metrics.neural.loaded_models import PAIRS, WEIGHTS

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
peft = pytest.importorskip("peft")
safetensors_torch = pytest.importorskip("safetensors.torch")


def reconfigure(folder: Path, settings: dict[str, Any]) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | settings))


def test_a_cross_encoder_without_a_head_is_refused_and_not_random(tiny, adapter, copied):
    folder = copied(tiny())
    reconfigure(folder, {"num_labels": 1, "id2label": {"0": "LABEL_0"}})
    with pytest.raises(ValueError, match=r"no classifier\.bias, classifier\.weight, so the scores would be random"):
        PairTransformer(checkpoint=find(folder)).logits([("a", "b")])
    with_head = PairTransformer(checkpoint=find(folder), adapter=adapter(pairs=True))
    assert np.isfinite(with_head.logits([("a", "b")])[0]).all()


def changed(folder: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Path:
    """The folder with other tensors."""
    file = folder / "model.safetensors"
    tensors = {name: tensor.clone() for name, tensor in safetensors_torch.load_file(file).items()}
    safetensors_torch.save_file(change(tensors), file, {"format": "pt"})
    return folder


INCOMPLETE = {
    "a prefix": (lambda found: {f"module.{name}": value for name, value in found.items()}, "more tensors"),
    "a layer": (
        lambda found: {name: value for name, value in found.items() if ".layer.1." not in name},
        r"lack (bert\.)?encoder\.layer\.1\.attention\.output\.LayerNorm\.bias, .* and 13 more tensors",
    ),
    "one tensor": (
        lambda found: {name: value for name, value in found.items() if "position_embeddings" not in name},
        r"lack (bert\.)?embeddings\.position_embeddings\.weight, so that the scores would be random",
    ),
    # an old safetensors calls an empty file damaged
    "everything": (lambda found: {}, "more tensors|cannot be read"),
}


@pytest.mark.parametrize(
    ("name", "what"),
    [*zip(("bi-encoder", "sas") * 2, INCOMPLETE, strict=True), ("sas", "a prefix"), ("sas", "one tensor")],
)
def test_weights_that_lack_a_tensor_are_refused_by_its_name_and_not_random(tiny, copied, name, what):
    change, words = INCOMPLETE[what]
    folder = changed(copied(tiny(classifier=name == "sas")), change)
    with pytest.raises(ValueError, match=words):
        answersim.metric(name, model=folder)(PAIRS)


@pytest.mark.parametrize("kind", ["bert", "electra", "roberta", "xlm-roberta", "mpnet"])
def test_what_no_metric_reads_may_be_missing_and_what_is_not_needed_may_be_there(tiny, copied, tmp_path, kind):
    expected = answersim.metric("bi-encoder", model=tiny(kind))(PAIRS)
    bare = changed(copied(tiny(kind)), lambda found: {n: value for n, value in found.items() if "pooler" not in n})
    assert answersim.metric("bi-encoder", model=bare)(PAIRS).tolist() == expected.tolist()
    for auto in (transformers.AutoModelForMaskedLM, transformers.AutoModelForSequenceClassification):
        folder = copied_to(tiny(kind), tmp_path / auto.__name__)
        with weights.quiet():
            auto.from_pretrained(tiny(kind)).save_pretrained(folder)
        assert answersim.metric("bi-encoder", model=folder)(PAIRS).tolist() == expected.tolist()


def copied_to(folder: Path, there: Path) -> Path:
    import shutil

    shutil.copytree(folder, there)
    return there


def test_a_layer_that_is_not_read_need_not_be_there(tiny, copied):
    folder = changed(copied(tiny()), INCOMPLETE["a layer"][0])
    below = answersim.metric("bertscore-vanilla", model=folder, layer=1)(PAIRS)
    assert below.tolist() == answersim.metric("bertscore-vanilla", model=tiny(), layer=1)(PAIRS).tolist()
    with pytest.raises(ValueError, match="lack encoder"):
        answersim.metric("bertscore-vanilla", model=folder, layer=2)(PAIRS)


@pytest.mark.parametrize("encoder_only", [False, True])
def test_of_an_encoder_with_a_decoder_only_the_encoder_must_be_there(tiny, tmp_path, encoder_only):
    config = transformers.T5Config(vocab_size=500, d_model=16, d_kv=4, d_ff=32, num_layers=2, num_heads=4)
    torch.manual_seed(0)
    whole = transformers.T5Model(config)
    copied_to(tiny(), tmp_path / "t5")
    if encoder_only:
        encoder = transformers.T5EncoderModel(config)
        encoder.load_state_dict(whole.state_dict(), strict=False)
        encoder.config.is_encoder_decoder = True  # as folders say that were saved by earlier versions
        encoder.save_pretrained(tmp_path / "t5")
    else:
        whole.save_pretrained(tmp_path / "t5")
    result = Transformer(checkpoint=find(tmp_path / "t5")).encode([Request(["eleven"], 64, pooling="mean")])[0].pooled
    ids = transformers.AutoTokenizer.from_pretrained(tmp_path / "t5")("eleven", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        expected = whole.get_encoder().eval()(input_ids=ids).last_hidden_state.mean(dim=1)
    np.testing.assert_allclose(result, expected, atol=1e-5, rtol=0)
    changed(
        tmp_path / "t5", lambda all_: {name: value for name, value in all_.items() if "encoder.block.1." not in name}
    )
    with pytest.raises(ValueError, match=r"lack encoder\.block\.1\."):
        Transformer(checkpoint=find(tmp_path / "t5")).encode([Request(["eleven"], 64, pooling="mean")])


@pytest.mark.parametrize("name", ["bi-encoder", "sas"])
def test_a_tensor_of_another_shape_is_refused_by_its_name(tiny, copied, name):
    def narrow(found: dict[str, Any]) -> dict[str, Any]:
        return {
            each: tensor[:, :5].contiguous() if each.endswith("layer.1.attention.self.query.weight") else tensor
            for each, tensor in found.items()
        }

    folder = changed(copied(tiny(classifier=name == "sas")), narrow)
    with pytest.raises(ValueError, match=r"layer\.1\..*query\.weight has (the|another) shape .*copy the model"):
        answersim.metric(name, model=folder)(PAIRS)


def overwrite(file: Path, other: Path) -> None:
    """Put the bytes of another file of the same size into this one, in place and without a trace in its times."""
    import os

    before = file.stat()
    content = other.read_bytes()
    assert len(content) == before.st_size
    with file.open("r+b") as opened:
        opened.write(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("name", ["bi-encoder", "sas"])
def test_weights_that_are_replaced_before_the_first_call_are_refused(tiny, copied, name):
    pairs = name == "sas"
    folder = copied(tiny(classifier=pairs))
    metric = answersim.metric(name, model=folder)
    overwrite(folder / "model.safetensors", tiny(classifier=pairs, seed=1) / "model.safetensors")
    with pytest.raises(ChecksumError, match=r"was changed after this metric was made.*build the metric again"):
        metric(PAIRS)
    again = answersim.metric(name, model=folder)
    expected = answersim.metric(name, model=tiny(classifier=pairs, seed=1))
    assert (again.signature, again(PAIRS).tolist()) == (expected.signature, expected(PAIRS).tolist())


@pytest.mark.parametrize("name", ["bi-encoder", "sas"])
def test_weights_that_are_replaced_after_the_first_call_change_no_number(tiny, copied, name):
    pairs = name == "sas"
    folder = copied(tiny(classifier=pairs, seed=2))
    for load in (loading.encoder, loading.classifier, loading.unpadded_encoder, loading.unpadded_classifier):
        load.cache_clear()
    metric = answersim.metric(name, model=folder)
    expected = metric(PAIRS)
    overwrite(folder / "model.safetensors", tiny(classifier=pairs, seed=1) / "model.safetensors")
    assert metric(PAIRS).tolist() == expected.tolist()


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json"])
def test_settings_that_are_replaced_before_the_first_call_are_refused(tiny, copied, file):
    folder = copied(tiny(seed=3))
    metric = answersim.metric("bi-encoder", model=folder)
    text = (folder / file).read_text()
    old, new = ('"gelu"', '"relu"') if file == "config.json" else ('"the"', '"thy"')
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    with pytest.raises(ChecksumError, match="was changed after this metric was made"):
        metric(PAIRS)


def test_an_adapter_that_is_replaced_before_the_first_call_is_refused(tiny, adapter, copied):
    folder = copied(adapter())
    metric = answersim.metric("bi-encoder", model=tiny(), adapter=folder)
    overwrite(folder / WEIGHTS, adapter(seed=1) / WEIGHTS)
    with pytest.raises(ChecksumError, match="was changed after this metric was made"):
        metric(PAIRS)


def test_a_folder_with_a_model_and_an_adapter_is_refused(tiny, adapter, copied):
    folder = copied(tiny())
    for file in ("adapter_config.json", WEIGHTS):
        (folder / file).write_bytes((adapter() / file).read_bytes())
    with pytest.raises(ValueError, match="move the adapter into another folder and pass that folder with adapter="):
        answersim.metric("bi-encoder", model=folder)


def test_weights_of_another_kind_are_a_clear_error(tiny, copied):
    folder = copied(tiny())
    (folder / "model.safetensors").unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch says that TorchScript is of the past
        torch.jit.trace(torch.nn.Linear(2, 2), torch.ones(1, 2)).save(folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"the weights in .* cannot be read \(pytorch_model\.bin: .*TorchScript"):
        answersim.metric("bi-encoder", model=folder)(PAIRS)


def test_a_pickle_runs_no_code(tiny, copied, tmp_path):
    import pickle

    class Hostile:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "ran",)

    folder = copied(tiny())
    (folder / "model.safetensors").unlink()
    torch.save({"a": Hostile()}, folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match="cannot be read"):
        answersim.metric("bi-encoder", model=folder)(PAIRS)
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Hostile()))
    with pytest.raises(ValueError, match="cannot be read"):
        answersim.metric("bi-encoder", model=folder)(PAIRS)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"num_hidden_layers": "x"}, "num_hidden_layers is 'x', but it must be a whole number"),
        ({"num_hidden_layers": -1}, "num_hidden_layers is -1"),
        ({"num_hidden_layers": 0}, "num_hidden_layers is 0, .* from 1 to 1,000"),
        ({"num_hidden_layers": None}, "num_hidden_layers is None, .* from 1 to"),
        ({"num_hidden_layers": []}, r"num_hidden_layers is \[\]"),
        ({"num_hidden_layers": True}, "num_hidden_layers is True"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers is 1000000000, .* from 1 to 1,000"),
        ({"num_attention_heads": -1}, "num_attention_heads is -1, .* from 1 to"),
        ({"model_type": ["bert"]}, r"model_type is \['bert'\]"),
        ({"num_hidden_layers": 4.5}, r"num_hidden_layers is 4\.5"),
        ({"num_hidden_layers": 4}, r"lack encoder\.layer\.3\."),
        ({"hidden_size": 10**9}, "describes a model of .* parameters|cannot be built"),
        ({"hidden_size": 10**12}, "hidden_size is 1000000000000"),
        ({"hidden_size": "32"}, "hidden_size is '32'"),
        ({"vocab_size": 10**9}, "describes a model of .* parameters"),
        ({"vocab_size": 7}, r"word_embeddings\.weight has (the|another) shape"),
        ({"max_position_embeddings": [64]}, r"max_position_embeddings is \[64\]"),
        ({"num_attention_heads": 0}, "num_attention_heads is 0"),
        ({"num_attention_heads": 5}, "cannot be built"),
        ({"hidden_act": "no such function"}, "cannot be built .*no such function"),
        ({"model_type": "no-such-model"}, "cannot be built"),
        ({"model_type": 5}, "model_type is 5, but it must be a text"),
        ({"model_type": "gpt2"}, "lack|shape|cannot be built"),
    ],
)
def test_a_configuration_that_fits_no_weights_is_a_clear_error(tiny, copied, settings, words):
    folder = copied(tiny())
    reconfigure(folder, settings)
    for name in ("bi-encoder", "bertscore"):
        with pytest.raises(ValueError, match=words) as error:
            answersim.metric(name, model=folder)(PAIRS)
        assert str(folder) in str(error.value)


@pytest.mark.parametrize("settings", [{"hidden_act": {"a": 1}}, {"layer_norm_eps": "x"}])
def test_a_setting_that_fails_when_it_is_used_is_a_reported_error(tiny, copied, settings):
    folder = copied(tiny())
    reconfigure(folder, settings)
    with pytest.raises((ValueError, TypeError)):
        answersim.metric("bi-encoder", model=folder)(PAIRS)


@pytest.mark.parametrize(
    "tokenizer", ["[]", "{", "[" * 200_000, '{"version": "1.0", "model": {"type": "WordPiece", "vocab": 5}}']
)
def test_a_damaged_tokenizer_is_a_clear_error(tiny, copied, tokenizer):
    folder = copied(tiny())
    (folder / "tokenizer.json").write_text(tokenizer)
    with pytest.raises(ValueError, match=r"the model in .* cannot be built") as error:
        answersim.metric("bi-encoder", model=folder)(PAIRS)
    assert str(folder) in str(error.value)
