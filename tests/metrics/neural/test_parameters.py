"""The role of each tensor of a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from answersim.metrics.checkpoints import weights
from answersim.metrics.neural import parameters
from answersim.metrics.neural.architecture import FAMILIES, stored_names
from answersim.metrics.neural.compatibility import architecture_of


@pytest.mark.parametrize("family", ["bert", "electra", "roberta", "mpnet"])
def test_each_tensor_of_a_classifier_has_one_role(family: str, tiny: Callable[..., Path]) -> None:
    folder = tiny(family, classifier=True)
    described = architecture_of(folder, pairs=True)
    assert described is not None
    stored = weights.read(folder).by_name
    names = stored_names(described, stored)
    assert names is not None
    encoder = parameters.of_encoder(described, {name: name for name in names})
    affine = [encoder.norm, *parameters.of_head(described, {name: name for name in names})]
    affine += [part for layer in encoder.layers for part in layer] + ([encoder.project] if encoder.project else [])
    roles = [*encoder[:4], *(name for part in affine for name in part)]
    assert sorted(name for name in roles if name) == sorted(names)
    assert (encoder.types is None, encoder.relative is None) == ((True, False) if family == "mpnet" else (False, True))
    assert FAMILIES[family].narrow == (encoder.project is not None)
