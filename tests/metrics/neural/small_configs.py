"""Configurations of small models."""

from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
safetensors_torch = pytest.importorskip("safetensors.torch")

SMALL = {
    "vocab_size": 40,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 20,
    "type_vocab_size": 3,
    "pad_token_id": 1,
}


def config(kind: str, **settings: Any) -> dict[str, Any]:
    built: dict[str, Any] = transformers.AutoConfig.for_model(kind, **(SMALL | settings)).to_dict()
    return built
