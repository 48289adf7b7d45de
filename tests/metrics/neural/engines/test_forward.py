"""The forward pass in numpy against the one in torch, for every family, head and length."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from answersim.metrics.neural import architecture, windows
from answersim.metrics.neural.engines import forward

LENGTHS = (40, 33, 33, 32, 20, 7, 5, 5, 3, 2, 1)  # longer than a window, as long, and several in one
FAMILIES = ("bert", "electra", "roberta", "xlm-roberta", "mpnet")


def loaded(folder: Path) -> tuple[Any, architecture.Architecture, dict[str, Any]]:
    """The model of transformers in a folder, its architecture and its weights."""
    transformers = pytest.importorskip("transformers")
    pairs = "ForSequenceClassification" in (folder / "config.json").read_text()
    auto = transformers.AutoModelForSequenceClassification if pairs else transformers.AutoModel
    model = auto.from_pretrained(folder).eval()
    described = architecture.read(model.config.to_dict(), pairs=pairs)
    assert described is not None
    return model, described, {name: value.detach() for name, value in model.named_parameters()}


def texts(vocabulary: int) -> list[list[int]]:
    rng = np.random.default_rng(0)
    return [rng.integers(0, vocabulary, size=length).tolist() for length in LENGTHS]


def arrays(tensors: dict[str, Any]) -> dict[str, forward.Floats]:
    return {name: tensor.numpy() for name, tensor in tensors.items()}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_layer_is_that_of_torch(family: str, tiny: Callable[..., Path]) -> None:
    torch = pytest.importorskip("torch")
    from answersim.metrics.neural import unpadded

    model, described, tensors = loaded(tiny(family))
    ids = texts(model.config.vocab_size)
    batch, other = windows.batch_of(ids, None), unpadded.batch_of(ids, None, torch.device("cpu"))
    on_torch, on_numpy = unpadded.Unpadded(described, tensors), forward.Encoder(described, arrays(tensors))
    for wanted, only_first in (((0, 1, 2, 3), False), ((2,), False), ((0,), False), ((1, 3), True)):
        with torch.inference_mode():
            expected = on_torch.states(other, wanted, only_first=only_first)
        result = on_numpy.states(batch, wanted, only_first=only_first)
        assert result.keys() == expected.keys()
        for layer, states in expected.items():
            assert result[layer].dtype == np.float32
            np.testing.assert_allclose(result[layer], states.numpy(), atol=5e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_are_those_of_torch(family: str, tiny: Callable[..., Path]) -> None:
    torch = pytest.importorskip("torch")
    from answersim.metrics.neural import unpadded

    model, described, tensors = loaded(tiny(family, classifier=True))
    ids = texts(model.config.vocab_size)
    types = [[i % 2 for i in range(len(text))] for text in ids] if family in ("bert", "electra") else None
    with torch.inference_mode():
        batch = unpadded.batch_of(ids, types, torch.device("cpu"))
        expected = unpadded.UnpaddedClassifier(described, tensors).logits(batch)
    result = forward.Classifier(described, arrays(tensors)).logits(windows.batch_of(ids, types))
    np.testing.assert_allclose(result, expected.numpy(), atol=5e-6)
    assert np.ptp(result) > 1e-3  # texts differ, so that a mix-up would be seen


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_a_text_does_not_depend_on_the_other_texts_of_its_batch(family: str, tiny: Callable[..., Path]) -> None:
    model, described, tensors = loaded(tiny(family))
    encoder = forward.Encoder(described, arrays(tensors))
    ids = texts(model.config.vocab_size)
    together = encoder.states(windows.batch_of(ids, None), (3,))[3]
    alone = np.concatenate([encoder.states(windows.batch_of([text], None), (3,))[3] for text in ids])
    np.testing.assert_allclose(together, alone, atol=2e-6, rtol=1e-6)  # values of up to 4, in fp32


def test_a_value_that_is_not_finite_stays_in_its_text(tiny: Callable[..., Path]) -> None:
    _, described, tensors = loaded(tiny("bert"))
    weights = arrays(tensors)
    words = weights["embeddings.word_embeddings.weight"].copy()
    words[7] = np.inf
    broken = forward.Encoder(described, weights | {"embeddings.word_embeddings.weight": words})
    states = broken.states(windows.batch_of([[5, 7], [5, 6], [8, 9]], None), (3,))[3]
    assert np.isnan(states[:2]).all()
    whole = forward.Encoder(described, weights).states(windows.batch_of([[5, 6], [8, 9]], None), (3,))[3]
    np.testing.assert_allclose(states[2:], whole, atol=2e-6)


def test_the_gelu_is_the_exact_one_within_two_units_of_fp32() -> None:
    values = np.concatenate([np.linspace(-40, 40, 400_001), [1e4, -1e4, 1e20, -1e20, 0.0]])
    with np.errstate(over="ignore"):  # 1e20 squared
        result = forward.gelu(values.astype(np.float32).reshape(-1, 1))
    exact = values.astype(np.float32).astype(np.float64) * ndtr(values.astype(np.float32).astype(np.float64))
    np.testing.assert_allclose(result[:, 0], exact, atol=2e-7, rtol=2e-7)
