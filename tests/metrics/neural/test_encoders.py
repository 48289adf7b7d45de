"""One pass over the texts for each encoder: equal ones share it, others do not."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import NonFiniteScoreError
from answersim.metrics import planning
from answersim.metrics.neural.cross_encoder import CrossEncoder
from answersim.metrics.neural.transformer import PairTransformer, Transformer
from answersim.types import Metric, Pair
from tests.cases import every

pytest.importorskip("torch")
pytest.importorskip("peft")

PAIRS = [Pair("eleven", "11"), Pair("cortex", "the NFL"), Pair("Paris", "paris")]


@dataclass(frozen=True)
class Mean:
    """A combined metric: the mean of its parts."""

    parts: tuple[Metric, ...]

    @property
    def signature(self) -> str:
        return f"mean|parts:{'+'.join(each.signature for each in self.parts)}|v:1"

    def combine(self, pairs: Sequence[Pair], columns: Sequence[FloatArray], questions: Any = None) -> FloatArray:
        return np.mean(columns, axis=0)

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        return self.combine(pairs, planning.score_all(self.parts, pairs))


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The fingerprint of each encoder that runs, in order."""
    seen: list[str] = []
    encode = Transformer.encode

    def counting(self: Transformer, requests: Any) -> Any:
        seen.append(self.fingerprint)
        return encode(self, requests)

    monkeypatch.setattr(Transformer, "encode", counting)
    return seen


def test_equal_encoders_share_a_pass_and_different_adapters_do_not(tiny, adapter, passes):
    adapters: list[Path | None] = [None, adapter(seed=0), adapter(seed=1)]
    vectors = [answersim.metric("bi-encoder", model=tiny(), adapter=adapter) for adapter in adapters]
    tokens = [answersim.metric("bertscore-trained", model=tiny(), layer=3, adapter=adapter) for adapter in adapters]
    combined = Mean((*vectors, *tokens))
    together = answersim.score_pairs(PAIRS, [combined, *vectors, *tokens])
    assert len(passes) == len(set(passes)) == 3
    for metric in (combined, *vectors, *tokens):
        np.testing.assert_allclose(together[metric.signature], metric(PAIRS), atol=1e-6, rtol=0)


def poisoned(folder: Path, there: Path, word: str, value: float) -> Path:
    """A copy of the model in which the embedding of a word has values that are not finite, or overflow in fp16."""
    import shutil

    import safetensors.torch
    import transformers

    shutil.copytree(folder, there)
    tensors = safetensors.torch.load_file(there / "model.safetensors")
    (name,) = [tensor for tensor in tensors if tensor.endswith("embeddings.word_embeddings.weight")]
    (token,) = transformers.AutoTokenizer.from_pretrained(folder)(word, add_special_tokens=False)["input_ids"]
    tensors = {each: tensor.clone() for each, tensor in tensors.items()}
    tensors[name][token] = value
    safetensors.torch.save_file(tensors, there / "model.safetensors", {"format": "pt"})
    return there


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["bi-encoder", "bertscore-trained", "bertscore-vanilla", "sas"])
def test_a_score_that_is_not_finite_names_the_pair_and_is_not_cached(tiny, tmp_path, name, value):
    folder = poisoned(tiny(classifier=name == "sas"), tmp_path / "poisoned", "a", value)
    how = {"layer": 2} if name == "bertscore-vanilla" else {}
    metric = answersim.metric(name, model=folder, **how)
    pairs = [*PAIRS, Pair("eleven", "a"), Pair("cortex", "11")]
    assert np.isfinite(metric(PAIRS)).all()
    with pytest.raises(NonFiniteScoreError, match=r"pair 4 \(gold 'eleven', prediction 'a'\)") as error:
        metric(pairs)
    assert (error.value.index, error.value.signature) == (3, metric.signature)
    with pytest.raises(NonFiniteScoreError, match="pair 4 "):
        answersim.score_pairs(pairs, [metric], cache=tmp_path / "cache")
    assert answersim.scoring.cache.ScoreCache(tmp_path / "cache").info().scores == {}


@pytest.mark.parametrize("name", ["bi-encoder", "bertscore-trained", "sas"])
def test_an_overflow_of_half_precision_is_an_error(tiny, tmp_path, name):
    folder = poisoned(tiny(classifier=name == "sas"), tmp_path / "large", "a", 1e30)
    metric = answersim.metric(name, model=folder, device="fp16")
    with pytest.raises(NonFiniteScoreError, match=r"pair 1 .* choose device='fp32'"):
        metric([Pair("a", "eleven")])


@dataclass(frozen=True)
class Logits:
    """A scorer whose logits were written down."""

    values: tuple[float, ...]
    fingerprint: str = "by-hand"
    reads_questions: bool = False

    def logits(self, pairs: Sequence[Any], questions: Any = None) -> tuple[FloatArray, int]:
        return np.array([self.values[i % len(self.values)] for i in range(len(pairs))]), 0


@every("order", ["gold-pred", "pred-gold", "mean", "max"])
@every("value", [float("nan"), float("inf"), -float("inf")])
def test_the_sigmoid_makes_no_score_of_a_logit_that_is_not_finite(order, value):
    with pytest.raises(NonFiniteScoreError, match=r"pair 2 \(gold 'cortex', prediction 'the NFL'\) is -?(nan|inf)"):
        CrossEncoder(Logits((0.0, value, 0.0)), order)(PAIRS)


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The device and the size of a batch of each pass, in order; of encoders and of scorers of pairs."""
    seen: list[tuple[str, int]] = []

    def recording(run: Any) -> Any:
        def recorded(self: Any, *arguments: Any) -> Any:
            seen.append((str(self.torch_device), self.device.batch_tokens))
            return run(self, *arguments)

        return recorded

    monkeypatch.setattr(Transformer, "encode", recording(Transformer.encode))
    monkeypatch.setattr(PairTransformer, "logits", recording(PairTransformer.logits))
    return seen


def test_metrics_with_equal_encoders_keep_their_own_device_and_batches(tiny, places):
    metrics = [
        answersim.metric("bi-encoder", model=tiny(), device="cpu"),
        answersim.metric("bertscore-trained", model=tiny(), device="cpu:0"),  # a second name of the same device
        answersim.metric("bertscore-trained", model=tiny(), layer=1, device="cpu,7"),
        answersim.metric("bi-encoder", model=tiny(), max_length=9, device="cpu"),  # shares the pass of the first
    ]
    together = answersim.score_pairs(PAIRS, metrics)
    assert sorted(places) == [("cpu", 7), ("cpu", 8192), ("cpu:0", 8192)]
    for metric in metrics:
        np.testing.assert_allclose(together[metric.signature], metric(PAIRS), atol=1e-6, rtol=0)


def test_a_part_of_a_composite_metric_keeps_its_own_device(tiny, places):
    for name, classifier in (("bi-encoder", False), ("sas", True)):
        here, there = (
            answersim.metric(name, model=tiny(classifier=classifier), device=device) for device in ("cpu", "cpu:0")
        )
        assert here.signature == there.signature
        places.clear()
        planning.score_all([here, Mean((there,)), there], PAIRS)
        assert sorted(places) == [("cpu", 8192), ("cpu:0", 8192)]


def test_auto_shares_a_pass_with_the_device_that_it_means(tiny, places):
    metrics = [answersim.metric("bi-encoder", model=tiny(), device="auto", max_length=9)]
    metrics.append(answersim.metric("bi-encoder", model=tiny(), device=str(metrics[0].encoder.torch_device)))  # type: ignore[attr-defined]
    answersim.score_pairs(PAIRS, metrics)
    assert len(places) == 1
