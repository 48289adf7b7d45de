"""The layers of encoders such as BERT, run one by one, so that frozen layers can be skipped."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn


def layers_of(model: Any) -> list[nn.Module] | None:
    """Return the layers of an encoder if they can be run one by one, as in BERT, RoBERTa and ELECTRA, or else None."""
    layers = list(getattr(getattr(model, "encoder", None), "layer", ()))
    runs = getattr(model.config, "_attn_implementation", "") == "sdpa" and not getattr(model.config, "is_decoder", True)
    absolute = getattr(model.config, "position_embedding_type", "absolute") in ("absolute", None)
    return layers if layers and runs and absolute else None


def embed(model: Any, ids: Tensor, types: Tensor | None) -> Tensor:
    """Return the input of the first layer, (n, length) -> (n, length, d)."""
    others = {} if types is None else {"token_type_ids": types}
    x: Tensor = model.embeddings(input_ids=ids, **others)
    return model.embeddings_project(x) if hasattr(model, "embeddings_project") else x


def states_after(layer: Any, x: Tensor, hidden: Tensor | None = None) -> Tensor:
    """Return the output of a layer for the states below it, (n, length, d). ``hidden`` is its attention mask.

    A layer of transformers 4 returns a tuple that begins with the states; a layer of transformers 5 returns the states
    alone.
    """
    output = layer(x, hidden)
    return output[0] if isinstance(output, tuple) else output
