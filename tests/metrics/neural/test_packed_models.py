"""A packed encoder in both engines: the vectors and logits are those of transformers."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim.metrics.checkpoints import weights
from answersim.metrics.checkpoints.search import find
from answersim.metrics.neural.bi_encoder import bi_encoder
from answersim.metrics.neural.encoders import Request
from answersim.metrics.neural.tokens import tokenize
from tests import packed_files

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

TEXTS = ["ab 東京", "de", "", "12 abc во", "a " * 30, "ab"]
PAIRS = [("ab", "abc"), ("東京", "de"), ("", "a"), ("12", "во во")]


def _kinds(engine: str) -> tuple[Any, Any]:
    if engine == "numpy":
        from answersim.metrics.neural.engines.numpy_engine import NumpyPairTransformer, NumpyTransformer

        return NumpyTransformer, NumpyPairTransformer
    from answersim.metrics.neural.transformer import PairTransformer, Transformer

    return Transformer, PairTransformer


@pytest.mark.parametrize("engine", ["numpy", "torch"])
def test_vectors_are_those_of_transformers(tmp_path: Path, engine: str) -> None:
    checkpoint = find(packed_files.folder(tmp_path))
    encoder = _kinds(engine)[0](checkpoint)
    vectors = encoder.encode([Request(TEXTS, 40, pooling="mean")])[0].pooled
    model = weights.load(checkpoint.folder, dtype=torch.float32).model
    with torch.no_grad():
        expected = [
            model(torch.tensor([ids])).last_hidden_state[0].mean(0).numpy()
            for ids in tokenize(checkpoint, TEXTS, 40).ids
        ]
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_both_engines_give_the_same_logits_with_an_adapter(tmp_path: Path) -> None:
    checkpoint = find(packed_files.folder(tmp_path / "base"))
    adapter = _trained(checkpoint.folder, tmp_path / "adapter")
    logits = [_kinds(engine)[1](checkpoint, adapter).logits(PAIRS)[0] for engine in ("numpy", "torch")]
    np.testing.assert_allclose(logits[0], logits[1], atol=1e-5)
    assert len(set(logits[0].round(6))) == len(PAIRS)


def test_the_prompt_precedes_every_text(tmp_path: Path) -> None:
    checkpoint = find(packed_files.folder(tmp_path))
    metric = bi_encoder(_kinds("numpy")[0](checkpoint))
    assert metric.request([("ab", "de")]).texts == ["query: ab", "query: de"]
    assert "|prompt:sha256-" in metric.signature


def _trained(base: Path, folder: Path) -> Path:
    """A random adapter for a cross-encoder on this base, whose head and pooler it brings."""
    from answersim.training.cross_encoder import model

    pytest.importorskip("peft")
    torch.manual_seed(0)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # peft asks transformers 5 for a property by its former name
        classifier = model.adapt(model.build(base), 2, 4, 0.0)
        for parameter in classifier.parameters():
            if parameter.requires_grad:
                parameter.normal_(std=0.3)
        classifier.save_pretrained(str(folder))
    return folder
