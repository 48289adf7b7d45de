"""The network is that of transformers: layers, attention, and relative positions."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.device import Device
from answersim._base.errors import TruncationWarning
from answersim._base.runtime.concurrency import forget_loaded
from answersim.metrics.checkpoints import adapter, weights
from answersim.metrics.neural import architecture, linear, loading, merged, unpadded
from answersim.metrics.neural import windows as window_module
from answersim.metrics.neural.bi_encoder import cosine
from answersim.metrics.neural.compatibility import architecture_of, layout
from answersim.metrics.neural.encoders import chunks
from answersim.metrics.neural.linear import Linear
from answersim.metrics.neural.relative_positions import bucket
from answersim.metrics.neural.unpadded import Batch, Unpadded
from answersim.metrics.neural.windows import Batch as Windows
from answersim.types import Pair
from tests.cases import cases_of, every
from tests.metrics.neural.conftest import SMALL, config
from tests.pairwise import pairwise

WORDS = "national football league the nfl eleven der eiffelturm steht in paris regions of new growth cortex".split()
LONG = " ".join(WORDS * 10)


def made_up(n: int, seed: int = 0) -> list[Pair]:
    rng = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(rng.choice(WORDS, size=rng.integers(1, 12)))

    return [Pair(text(), text()) for _ in range(n)]


@every(
    ("kind", "name", "batch_tokens"),
    pairwise(
        ["bert", "electra", "roberta", "xlm-roberta", "mpnet"],
        ["bi-encoder", "bertscore-trained", "sas"],
        [1, 37, 100_000],
    ),
)
def test_numbers_do_not_depend_on_the_batch(tiny, kind, name, batch_tokens):
    folder = tiny(kind, classifier=name == "sas", positions=200)
    pairs = made_up(12)
    once = answersim.metric(name, model=folder)(pairs)
    again = answersim.metric(name, model=folder, device=Device(batch_tokens=batch_tokens))(pairs[::-1])[::-1]
    np.testing.assert_allclose(once, again, atol=1e-6, rtol=0)


def test_every_distinct_text_goes_through_the_model_once(tiny, monkeypatch):
    seen: list[int] = []
    original = Unpadded.states

    def counting(self: Unpadded, batch: Batch, *arguments: Any, **more: Any) -> Any:
        seen.append(sum((stop - start) // length for start, stop, length in batch.runs))
        return original(self, batch, *arguments, **more)

    monkeypatch.setattr(Unpadded, "states", counting)
    pairs = [Pair("paris", "in paris"), Pair("in paris", "paris"), Pair("paris", "cortex")]
    settings = {"model": tiny()}
    metrics = [
        answersim.metric("bi-encoder", **settings),
        answersim.metric("bertscore-vanilla", layer=1, **settings),
        answersim.metric("bertscore-trained", layer=3, **settings),
    ]
    together = answersim.score_pairs(pairs, metrics)
    assert sum(seen) == 3
    for metric in metrics:
        np.testing.assert_allclose(together[metric.signature], metric(pairs), atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", ["bi-encoder", "bertscore-trained", "sas"])
def test_what_is_cut_is_counted_and_reported_once(tiny, name):
    folder = tiny(classifier=name == "sas")
    metric = answersim.metric(name, model=folder)
    with pytest.warns(TruncationWarning) as caught:
        metric([Pair(LONG, "paris"), Pair("paris", "paris"), Pair("cortex", LONG + " paris")])
    assert len(caught) == 1
    message = str(caught[0].message)
    assert message.startswith("2 ")
    assert metric.signature in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answersim.metric(name, model=tiny(classifier=name == "sas", positions=200))(made_up(5))


@pytest.mark.parametrize("name", ["bi-encoder", "bertscore-trained", "sas"])
def test_a_million_characters_are_scored_by_their_beginning(tiny, name):
    metric = answersim.metric(name, model=tiny(classifier=name == "sas"))
    with pytest.warns(TruncationWarning):
        numbers = metric([Pair("paris " * 170_000, "paris"), Pair("paris " * 200, "paris")])
    assert np.isfinite(numbers).all()
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-6)


@pytest.mark.parametrize(
    "option", [{"layer": 1}, {"measure": "recall"}, {"max_length": 9}, {"device": "bf16"}, {"idf": ["paris"]}]
)
def test_only_what_can_change_a_number_is_signed(tiny, option):
    plain = answersim.metric("bertscore-trained", model=tiny())
    same = answersim.metric("bertscore-trained", model=tiny(), device="cpu,7")
    other = answersim.metric("bertscore-trained", model=tiny(), **option)
    assert (plain, plain.signature) == (same, same.signature)
    assert other != plain
    assert other.signature != plain.signature


@pytest.mark.parametrize(
    ("pooling", "extra", "message"),
    [("lasttoken", {}, "pools by 'lasttoken'"), ("mean", {"extra": "Dense"}, r"modules \['Dense'\]")],
)
def test_a_pooling_or_a_module_that_is_not_offered_is_an_error(sentence_folder, pooling, extra, message):
    with pytest.raises(ValueError, match=message):
        answersim.metric("bi-encoder", model=sentence_folder(pooling, **extra))


def test_a_classifier_of_three_labels_is_no_similarity(tiny):
    metric = answersim.metric("sas", model=tiny(classifier=True, labels=3))
    with pytest.raises(ValueError, match="3 labels"):
        metric([Pair("paris", "paris")])


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_a_model_of_another_build_runs_by_its_own_pass_to_the_same_numbers(family, tiny, monkeypatch):
    pairs = [Pair("paris", "in paris"), Pair("a", "in regions of new growth"), Pair("?!", "eleven")]
    metrics = [
        answersim.metric("bi-encoder", model=tiny(family)),
        answersim.metric("bertscore-trained", model=tiny(family), layer=2),
        answersim.metric("sas", model=tiny(family, classifier=True)),
    ]
    without_padding = [metric(pairs) for metric in metrics]
    forget_loaded()
    monkeypatch.setattr(loading, "architecture_of", lambda *_, **settings: None)
    for metric, expected in zip(metrics, without_padding, strict=True):
        np.testing.assert_allclose(metric(pairs), expected, atol=1e-6, rtol=0)


torch = pytest.importorskip("torch")


transformers = pytest.importorskip("transformers")


LENGTHS = (300, 299, 130, 129, 128, 65, 33, 33, 32, 31, 17, 16, 9, 9, 8, 2, 1)


@pytest.fixture(scope="module")
def texts() -> list[list[int]]:
    rng = np.random.default_rng(0)
    return [[0, *rng.integers(5, 60, size=length - 1).tolist()] for length in LENGTHS]


def library(tiny: Callable[..., Path], *, pairs: bool) -> Any:
    auto = transformers.AutoModelForSequenceClassification if pairs else transformers.AutoModel
    model = auto.from_pretrained(tiny("mpnet", classifier=pairs, positions=300)).eval()
    with torch.no_grad():  # a bias that matters as much as the scores
        model.get_parameter(f"{'mpnet.' if pairs else ''}encoder.relative_attention_bias.weight").normal_(0, 2)
    return model


def batch(texts: list[list[int]]) -> Windows:
    return unpadded.batch_of(texts, None, torch.device("cpu"))


def test_buckets_are_those_of_transformers_at_every_distance():
    encoder = transformers.models.mpnet.modeling_mpnet.MPNetEncoder
    distance = np.arange(-2000, 2001)
    assert bucket(distance).tolist() == encoder.relative_position_bucket(torch.from_numpy(distance)).tolist()
    assert len(set(bucket(distance).tolist())) == architecture.BUCKETS - 1  # none is for a distance of "+0"


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_every_layer_at_every_length_is_that_of_the_model(tiny, texts, kind):
    model = library(tiny, pairs=False).to(kind)
    described = architecture.read(model.config.to_dict(), pairs=False)
    assert described is not None
    with torch.inference_mode():
        result = unpadded.Unpadded(described, dict(model.named_parameters())).states(batch(texts), range(4))
        own = [model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states for ids in texts]
    near = {"rtol": 0, "atol": 1e-5} if kind is torch.float32 else {"rtol": 5e-2, "atol": 1e-1}
    for layer in range(4):
        torch.testing.assert_close(result[layer], torch.cat([hidden[layer][0] for hidden in own]), **near)


def test_a_table_with_fewer_buckets_is_left_to_transformers(tiny):
    config = library(tiny, pairs=False).config.to_dict()
    assert architecture.read(config, pairs=False) is not None
    assert architecture.read(config | {"relative_attention_num_buckets": 31}, pairs=False) is None
    assert architecture.read(config | {"relative_attention_num_buckets": None}, pairs=False) is None


@pytest.mark.parametrize("name", ["bi-encoder", "bertscore-trained"])
def test_numbers_do_not_depend_on_the_chunk(tiny, monkeypatch, name):
    metric, pairs = answersim.metric(name, model=tiny()), made_up(50)
    once = metric(pairs)
    monkeypatch.setattr("answersim.metrics.neural.encoders._CHUNK_PAIRS", 7)
    assert [stop - start for start, stop in chunks(pairs, 64)] == [7] * 7 + [1]
    np.testing.assert_allclose(metric(pairs), once, atol=1e-6, rtol=0)


@every(
    ("gold", "max_length", "expected"),
    [
        ("x" * 1500, 64, 1_000_000 // 3500),  # what lies beyond 512 tokens, about 2,000 bytes, does not count
        ("x" * 1500, 512, 1_000_000 // 3500),
        ("x" * 1500, 1024, 1_000_000 // 5500),
        ("x" * 1500, 8192, 1_000_000 // 11_500),
        ("ü" * 600, 512, 1_000_000 // 3200),  # two bytes each
    ],
)
def test_chunks_hold_a_bounded_number_of_bytes(gold, max_length, expected):
    pairs = [Pair(gold, "y" * 10_000)] * 700
    sizes = [stop - start for start, stop in chunks(pairs, max_length)]
    assert sum(sizes) == 700
    assert max(sizes) == expected
    assert list(chunks([], max_length)) == []


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


@every("settings", cases_of(__file__)["any_other_configuration_is_left_to_transformers"])
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
    forget_loaded()
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
        layer = Linear(weight, bias, act, lay_out=lay_out)
        torch.testing.assert_close(layer(states).double(), expected, rtol=1e-5, atol=2e-5)


def test_a_product_that_torch_computes_otherwise_is_not_used(monkeypatch):
    assert not linear._works(torch.float64)  # a kind that is not offered
    if not linear._works(torch.float32):
        pytest.skip("this torch has no such products")
    original = torch.ops.mkldnn._linear_pointwise
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", lambda *arguments: original(*arguments) + 1)
    assert not linear._works(torch.float32)
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", lambda: None)  # a TypeError: other parameters
    assert not linear._works(torch.float32)


def test_bf16_is_laid_out_only_where_the_processor_has_it(monkeypatch):
    supported = "_is_mkldnn_bf16_supported"
    assert not linear._works(torch.bfloat16) or torch.ops.mkldnn._is_mkldnn_bf16_supported()
    monkeypatch.setattr(torch.ops.mkldnn, supported, lambda: False, raising=False)
    assert not linear._works(torch.bfloat16)


def test_a_text_begins_in_the_next_free_slot_of_a_window_if_it_fits():
    layout = window_module.windows([(0, 20, 20), (20, 32, 12), (32, 62, 30), (62, 72, 5)])
    first = [0, 20, 32, 62, 67]  # tokens in the batch
    assert layout.slots[first].tolist() == [0, 20, 32, 64, 69]
    assert layout.source[layout.slots].tolist() == layout.places.tolist() == list(range(72))
    assert layout.apart.shape == (3, 1, 32, 32)
    together = ~layout.apart[:, 0]
    assert together.sum(axis=(1, 2)).tolist() == [20**2 + 12**2, 30**2 + 2**2, 2 * 5**2 + 22**2]


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


@every("value", [float("nan"), float("inf"), -float("inf")])
def test_the_cosine_of_what_is_not_finite_is_not_0_but_that_of_zeros_is(value):
    first = np.array([[value, 1.0], [value, 0.0], [value, 0.0], [0.0, 0.0], [1.0, 2.0], [0.0, 1.0]])
    second = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [1.0, 2.0], [1.0, 2.0], [value, 1.0]])
    for entry in (cosine(first, second), cosine(second, first)):
        assert np.isnan(entry[[0, 1, 2, 5]]).all()
        np.testing.assert_allclose(entry[3:5], [0.0, 1.0])
