"""The parameters of a network by their role, as arrays of torch or of numpy. Both engines are built from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from answersim.metrics.neural.architecture import Architecture


class Affine(NamedTuple):
    """The parameters of a linear layer or of a norm."""

    weight: Any
    bias: Any


class LayerParameters(NamedTuple):
    """The parameters of a layer."""

    query: Affine
    key: Affine
    value: Affine
    out: Affine
    after_attention: Affine
    up: Affine
    down: Affine
    after_feed_forward: Affine


class EncoderParameters(NamedTuple):
    """The parameters of an encoder."""

    words: Any  # (vocabulary, d)
    places: Any  # (positions, d)
    types: Any  # (types, d), or None for a model without token types
    relative: Any  # the bias of attention, (buckets, heads), or None for a model without relative positions
    norm: Affine  # after the embeddings
    project: Affine | None  # from the width of the words to that of the layers, if they differ, as in ELECTRA
    layers: list[LayerParameters]


def of_encoder(architecture: Architecture, tensors: Mapping[str, Any]) -> EncoderParameters:
    """Return the parameters of an encoder, from its tensors by the names of the architecture."""
    prefix, names = architecture.prefix, architecture.attention
    embeddings, project = f"{prefix}embeddings", f"{prefix}embeddings_project"
    attention = (names.query, names.key, names.value, names.out, names.norm)
    parts = (*attention, "intermediate.dense", "output.dense", "output.LayerNorm")
    return EncoderParameters(
        words=tensors[f"{embeddings}.word_embeddings.weight"],
        places=tensors[f"{embeddings}.position_embeddings.weight"],
        types=tensors.get(f"{embeddings}.token_type_embeddings.weight"),
        relative=tensors.get(f"{prefix}encoder.relative_attention_bias.weight"),
        norm=_affine(tensors, f"{embeddings}.LayerNorm"),
        project=_affine(tensors, project) if f"{project}.weight" in tensors else None,
        layers=[
            LayerParameters(*(_affine(tensors, f"{prefix}encoder.layer.{i}.{tensor}") for tensor in parts))
            for i in range(architecture.n_layers)
        ],
    )


def of_head(architecture: Architecture, tensors: Mapping[str, Any]) -> tuple[Affine, Affine]:
    """Return the two linear layers of a classifier. The first one reads the first token of the encoder."""
    dense, out = "classifier.dense", "classifier.out_proj"
    if architecture.head == "pooler":
        dense, out = f"{architecture.prefix}pooler.dense", "classifier"
    return _affine(tensors, dense), _affine(tensors, out)


def _affine(tensors: Mapping[str, Any], name: str) -> Affine:
    return Affine(tensors[f"{name}.weight"], tensors[f"{name}.bias"])
