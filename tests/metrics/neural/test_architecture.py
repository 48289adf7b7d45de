"""What a configuration states and which network reads it: sizes, linear layers, devices, windows."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.runtime.concurrency import forget_loaded
from answersim.metrics.checkpoints import adapter, weights
from answersim.metrics.neural import (
    architecture,
    linear,
    loading,
    merged,
)
from answersim.metrics.neural.compatibility import architecture_of, layout
from answersim.metrics.neural.linear import Linear
from answersim.metrics.neural.vectors import cosine
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
    built = transformers.AutoConfig.for_model("distilbert", **settings)
    built.save_pretrained(tmp_path / "model")
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


def drawn(*shape: int, seed: int = 0) -> Any:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@every("rows", [1, 3, 50, 4000])
@every("activation", [None, "gelu", "relu"])
def test_the_numbers_are_those_of_the_plain_product(rows, activation):
    weight, bias, states = drawn(24, 40, seed=1), drawn(24, seed=2), drawn(rows, 40, seed=3)
    act = None if activation is None else getattr(torch.nn.functional, activation)
    expected = states.double() @ weight.double().T + bias.double()
    expected = expected if act is None else act(expected)
    for lay_out in (True, False):
        layer = Linear(weight, bias, act, is_gelu=activation == "gelu", lay_out=lay_out)
        torch.testing.assert_close(layer(states).double(), expected, rtol=1e-5, atol=2e-5)


def test_a_product_that_torch_computes_otherwise_is_not_used(monkeypatch):
    assert not linear._works(torch.float64)  # a kind that is not offered
    if not linear._works(torch.float32):
        pytest.skip("this torch has no such products")
    original = torch.ops.mkldnn._linear_pointwise
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", lambda *arguments: original(*arguments) + 1)
    assert not linear._works(torch.float32)
    monkeypatch.delattr(torch.ops.mkldnn, "_linear_pointwise")


pretend: Any = pytest.importorskip("tests.rankers.pretend_device")
loading_module: Any = pytest.importorskip("answersim.metrics.neural.loading")

DEVICE_PAIRS = [
    Pair("National Football League", "the NFL"),
    Pair("eleven", "11"),
    Pair("", "Old John Feather Merchant, born in 1945"),
    Pair("answer " * 4, "another answer"),
]
METRICS = (
    ("bi-encoder", False, {}),
    ("bertscore-trained", False, {"layer": 2}),
    ("sas", True, {}),
    ("bi-encoder", False, {"kind": "mpnet"}),
)
gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU of CUDA")


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let "cuda" be a device that every machine has; see ``pretend_device``."""
    usual = loading_module.device
    forget_loaded()
    with pretend.pretend_device() as device:
        monkeypatch.setattr(loading_module, "device", lambda name: device if name == "cuda" else usual(name))
        yield
    forget_loaded()


def scores(tiny: Any, name: str, classifier: bool, options: dict[str, Any], **running: Any) -> Any:
    options = dict(options)
    model = tiny(options.pop("kind", "bert"), classifier=classifier)
    return answersim.metric(name, model=model, **options, **running)(DEVICE_PAIRS)


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize(("name", "classifier", "options"), METRICS)
def test_a_metric_on_a_device_gives_the_numbers_of_the_cpu(tiny, name, classifier, options):
    on_cpu = scores(tiny, name, classifier, options, device="cpu")
    assert len(set(on_cpu.tolist())) == len(DEVICE_PAIRS)
    np.testing.assert_allclose(scores(tiny, name, classifier, options, device="cuda"), on_cpu, atol=1e-5)


@pytest.mark.gpu
@gpu
@pytest.mark.parametrize(("precision", "tolerance"), [("fp32", 1e-5), ("bf16", 0.05), ("fp16", 0.01)])
@pytest.mark.parametrize(("name", "classifier", "options"), METRICS)
def test_a_metric_on_a_gpu_gives_the_numbers_of_the_cpu(tiny, name, classifier, options, precision, tolerance):
    on_cpu = scores(tiny, name, classifier, options, device="cpu")
    on_gpu = scores(tiny, name, classifier, options, device=f"cuda,{precision}")
    np.testing.assert_allclose(on_gpu, on_cpu, atol=tolerance)


@pytest.mark.gpu
@gpu
def test_the_shipped_metrics_on_a_gpu_give_the_numbers_of_the_cpu_on_the_probe():
    from answersim.evaluation.data import load

    pairs = load("probe").pairs
    for name in ("bi-encoder", "bertscore-names", "sas", "answersim"):
        on_cpu, on_gpu = (answersim.metric(name, device=device)(pairs) for device in ("cpu", "cuda"))
        np.testing.assert_allclose(on_gpu, on_cpu, atol=1e-4, err_msg=name)


pytest.importorskip("peft")


@every("value", [float("nan"), float("inf"), -float("inf")])
def test_the_cosine_of_what_is_not_finite_is_not_0_but_that_of_zeros_is(value):
    first = np.array([[value, 1.0], [value, 0.0], [value, 0.0], [0.0, 0.0], [1.0, 2.0], [0.0, 1.0]])
    second = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [1.0, 2.0], [1.0, 2.0], [value, 1.0]])
    for entry in (cosine(first, second), cosine(second, first)):
        assert np.isnan(entry[[0, 1, 2, 5]]).all()
        np.testing.assert_allclose(entry[3:5], [0.0, 1.0])
