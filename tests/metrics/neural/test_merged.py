"""Weights for either engine: what files must contain, and that they are those of the fingerprint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim._base.errors import ChecksumError
from answersim.metrics.checkpoints import weights
from answersim.metrics.neural import architecture
from answersim.metrics.neural.compatibility import architecture_of
from answersim.metrics.neural.merged import Tensors, classifier_weights, encoder_weights, matched

CONFIG = {
    "model_type": "bert",
    "vocab_size": 7,
    "hidden_size": 4,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 8,
    "max_position_embeddings": 6,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}
WORDS = "embeddings.word_embeddings.weight"


def described(n_labels: int = 0) -> architecture.Architecture:
    found = architecture.read(CONFIG, pairs=n_labels > 0, n_labels=n_labels or None)
    assert found is not None
    return found


def is_pooler(name: str) -> bool:
    return name.startswith("pooler.")


def test_only_optional_parameters_may_be_missing_and_each_has_its_shape(tiny: Callable[..., Path]) -> None:
    folder = tiny("bert")
    found = weights.read(folder)
    whole = architecture_of(folder, pairs=False)
    assert whole is not None

    def missing(**changed: Any) -> frozenset[str]:
        """The missing parameters, if the file has these tensors instead; None takes one away."""
        by_name = {name: tensor for name, tensor in (found.by_name | changed).items() if tensor is not None}
        parameters = matched(folder, whole, found._replace(by_name=by_name), is_pooler, lambda tensor: tensor)
        assert parameters is not None
        return parameters.missing

    poolers = {name for name in whole.layout.shapes if is_pooler(name)}
    assert missing() == frozenset()
    assert missing(**dict.fromkeys(poolers)) == poolers != set()
    for wrong in (None, found.by_name[WORDS][1:]):
        with pytest.raises(ValueError, match=WORDS):
            missing(**{WORDS: wrong})


def reader(of: architecture.Architecture, fingerprint: str, missing: Callable[[str], bool]) -> Callable[..., Tensors]:
    """Return what reads all parameters but some, as zeros, from files of this fingerprint."""
    names = [name for name in of.layout.shapes if not missing(name)]
    tensors = {name: np.zeros(of.layout.shapes[name], dtype=np.float32) for name in names}

    def read(folder: Path, asked: architecture.Architecture, optional: Callable[[str], bool]) -> Tensors:
        assert asked is of
        assert all(map(optional, of.layout.shapes.keys() - tensors.keys()))
        return Tensors(tensors, frozenset(of.layout.shapes.keys() - tensors.keys()), fingerprint)

    return read


def test_weights_of_another_fingerprint_are_refused(tmp_path: Path) -> None:
    of = described()
    read = reader(of, "abc", is_pooler)
    assert WORDS in encoder_weights(read, tmp_path, of, "abc/fp32", None, "fp32")
    with pytest.raises(ChecksumError):
        encoder_weights(read, tmp_path, of, "abd/fp32", None, "fp32")
    with pytest.raises(ChecksumError):
        encoder_weights(read, tmp_path, of, "abc/fp32", None, "bf16")


def test_a_classifier_has_one_label_and_a_head(tmp_path: Path) -> None:
    one = described(1)
    read = reader(one, "abc", lambda name: False)
    assert classifier_weights(read, tmp_path, one, "abc/fp32", None, "fp32").keys() == one.layout.shapes.keys()
    with pytest.raises(ValueError, match="2 labels, but a similarity is one number per pair"):
        classifier_weights(read, tmp_path, described(2), "abc/fp32", None, "fp32")
    headless = reader(one, "abc", lambda name: name.startswith("classifier."))
    with pytest.raises(ValueError, match=r"contains no classifier\.bias, classifier\.weight"):
        classifier_weights(headless, tmp_path, one, "abc/fp32", None, "fp32")
