"""Weights in files of other names: which parameter a tensor is for."""

import pytest

from answersim.metrics.neural import architecture
from tests.cases import every
from tests.metrics.neural.small_configs import config

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
safetensors_torch = pytest.importorskip("safetensors.torch")


def test_names_in_files():
    encoder = architecture.read(config("bert"), pairs=False)
    classifier = architecture.read(config("bert"), pairs=True)
    assert encoder is not None
    assert classifier is not None
    word, norm = "embeddings.word_embeddings.weight", "embeddings.LayerNorm.weight"
    assert architecture.stored_names(encoder, [word, "cls.bias"]) == {word: word}
    assert architecture.stored_names(encoder, [f"bert.{word}", "classifier.bias"]) == {word: f"bert.{word}"}
    assert architecture.stored_names(encoder, ["embeddings.LayerNorm.gamma"]) == {norm: "embeddings.LayerNorm.gamma"}
    assert architecture.stored_names(encoder, [f"module.{word}"]) == {}
    assert architecture.stored_names(classifier, [word]) == {f"bert.{word}": word}
    head = ["classifier.bias", f"bert.{word}"]
    assert architecture.stored_names(classifier, head) == {name: name for name in reversed(head)}


@every("pairs", [False, True])
def test_names_that_could_mean_one_parameter_are_left_to_transformers(pairs):
    described = architecture.read(config("bert"), pairs=pairs)
    assert described is not None
    word = "embeddings.word_embeddings.weight"
    assert architecture.stored_names(described, [word, f"bert.{word}"]) is None
    norm = "bert.embeddings.LayerNorm."
    assert architecture.stored_names(described, [f"{norm}weight", f"{norm}gamma"]) is None
    if pairs:
        assert architecture.stored_names(described, [word, "classifier.bias"]) is None
