"""The architectures of the engine: their parameters and the names in files, compared with what transformers builds."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import answersim
from answersim.metrics.checkpoints import adapter, weights
from answersim.metrics.neural import architecture, loading, merged
from answersim.metrics.neural.compatibility import architecture_of, layout
from answersim.types import Pair
from tests.cases import every
from tests.metrics.neural.small_configs import SMALL, config

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
safetensors_torch = pytest.importorskip("safetensors.torch")

PAIRS = [Pair("National Football League", "the NFL"), Pair("eleven", "11"), Pair("cortex", "Old John Merchant")]


@every("kind", architecture.FAMILIES)
@every("pairs", [False, True])
def test_the_parameters_are_those_of_the_model_of_transformers(kind, pairs):
    for settings in ({"embedding_size": 16, "num_labels": 3}, {"embedding_size": 32, "num_labels": 1}):
        auto = transformers.AutoModelForSequenceClassification if pairs else transformers.AutoModel
        with torch.device("meta"):
            expected = adapter.layout_of(auto.from_config(transformers.AutoConfig.for_model(kind, **SMALL, **settings)))
        rows = architecture.read(config(kind, **settings), pairs=pairs)
        assert rows is not None
        assert rows.layout == expected
        assert rows.layout.size == sum(int(np.prod(shape)) for shape in expected.shapes.values())


def test_layers_and_labels_can_be_chosen():
    shallow = architecture.read(config("bert"), pairs=False, layers=1)
    assert shallow is not None
    assert {name.split(".")[2] for name in shallow.layout.shapes if name.startswith("encoder.")} == {"0"}
    labels = architecture.read(config("bert", num_labels=3), pairs=True, n_labels=1)
    assert labels is not None
    assert labels.layout.shapes["classifier.weight"] == (1, 32)


@every(
    "settings",
    [
        {"model_type": "distilbert"},
        {"model_type": 5},
        {"is_decoder": True},
        {"add_cross_attention": True},
        {"position_embedding_type": "relative_key"},
        {"quantization_config": {"bits": 4}},
        {"num_attention_heads": 5},
        {"num_attention_heads": 0},
        {"hidden_size": None},
        {"hidden_size": "32"},
        {"type_vocab_size": True},
        {"hidden_act": {"a": 1}},
        {"layer_norm_eps": "x"},
        {"pad_token_id": 40},
        {"id2label": ["a"]},
        {"num_labels": 2, "id2label": {"0": "a"}},
    ],
)
def test_any_other_configuration_is_left_to_transformers(settings):
    plain = config("bert")
    assert architecture.read(plain, pairs=True) is not None
    assert architecture.read(plain | settings, pairs=True) is None


def test_a_roberta_needs_a_padding_id_and_a_bert_does_not():
    assert architecture.read(config("roberta") | {"pad_token_id": None}, pairs=False) is None
    assert architecture.read(config("bert") | {"pad_token_id": None}, pairs=False) is not None


def test_a_setting_that_an_old_file_lacks_has_the_default_of_transformers(tiny, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(tiny(), folder)
    settings = json.loads((folder / "config.json").read_text())
    for name in ("layer_norm_eps", "type_vocab_size", "hidden_act"):
        del settings[name]
    (folder / "config.json").write_text(json.dumps(settings))
    assert architecture.read(settings, pairs=False) is None
    assert architecture_of(folder, pairs=False) == architecture_of(tiny(), pairs=False)
    expected = answersim.metric("bi-encoder", model=tiny())(PAIRS)
    assert answersim.metric("bi-encoder", model=folder)(PAIRS).tolist() == expected.tolist()


def test_the_layout_of_another_architecture_is_that_of_transformers(tiny, tmp_path):
    shutil.copytree(tiny(), tmp_path / "model")
    settings = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "vocab_size": 40}
    made = transformers.AutoConfig.for_model("distilbert", **settings)
    made.save_pretrained(tmp_path / "model")
    assert architecture_of(tmp_path / "model", pairs=False) is None
    result = layout(tmp_path / "model", pairs=True)
    assert result.model == "DistilBertForSequenceClassification"
    assert "distilbert.transformer.layer.1.attention.q_lin" in result.linear
    assert result.shapes["classifier.bias"] == (1,)


def rewritten(source: Path, folder: Path, rename: Callable[[str], str]) -> Path:
    """A copy of a model whose tensors have other names."""
    shutil.copytree(source, folder)
    tensors = safetensors_torch.load_file(source / "model.safetensors")
    safetensors_torch.save_file(
        {rename(name): tensor.clone() for name, tensor in tensors.items()}, folder / "model.safetensors"
    )
    return folder


def old_names(name: str) -> str:
    return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")


@pytest.mark.parametrize(
    ("kind", "old"),
    [("bert", True), ("bert", False), ("electra", True), ("roberta", False), ("xlm-roberta", True), ("mpnet", False)],
)
def test_an_encoder_is_read_with_and_without_its_prefix_and_by_old_names(tiny, tmp_path, kind, old):
    base = architecture.FAMILIES[kind].base
    folder = rewritten(tiny(kind), tmp_path / "model", lambda name: base + (old_names(name) if old else name))
    expected = answersim.metric("bi-encoder", model=tiny(kind))(PAIRS)
    assert answersim.metric("bi-encoder", model=folder)(PAIRS).tolist() == expected.tolist()
    with weights.quiet():  # and transformers reads it in the same way
        by_library = weights.load(folder, dtype=torch.float32).model
        original = weights.load(tiny(kind), dtype=torch.float32).model
    for name, parameter in original.named_parameters():
        assert torch.equal(by_library.get_parameter(name), parameter)


def test_half_precision_is_read_as_the_numbers_that_it_holds(tiny, tmp_path):
    folder = tmp_path / "half"
    shutil.copytree(tiny(), folder)
    tensors = safetensors_torch.load_file(tiny() / "model.safetensors")
    safetensors_torch.save_file({name: t.half() for name, t in tensors.items()}, folder / "model.safetensors")
    result = answersim.metric("bertscore-trained", model=folder, layer=2)(PAIRS)
    exact = answersim.metric("bertscore-trained", model=tiny(), layer=2)(PAIRS)
    assert 0 < np.abs(result - exact).max() < 0.01


@pytest.mark.parametrize("name", ["bertscore-trained", "sas"])
def test_weights_that_transformers_has_to_read_give_the_same_numbers(tiny, monkeypatch, name):
    options = {"model": tiny(classifier=name == "sas", seed=8)}
    expected = answersim.metric(name, **options)(PAIRS)
    for cached in (loading.unpadded_encoder, loading.unpadded_classifier):
        cached.cache_clear()  # type: ignore[attr-defined]
    read: list[str] = []
    original = weights.load
    monkeypatch.setattr(weights, "load", lambda *more, **how: read.append("by transformers") or original(*more, **how))
    monkeypatch.setattr(merged, "stored_names", lambda *_: None)
    assert answersim.metric(name, **options)(PAIRS).tolist() == expected.tolist()
    assert read == ["by transformers"]
