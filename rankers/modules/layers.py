"""The layers of encoders such as BERT, run one by one: so that frozen ones can be left out, and the last one cut short.

A network that reads the first state only needs of the last layer its keys and values at every token, but its query, its
output and its feed-forward part at the first token alone: at 100 tokens about a fifth of the work.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention


def layers_of(model: Any) -> list[nn.Module] | None:
    """Return the layers of an encoder if they can be run one by one, as in BERT, RoBERTa and ELECTRA; else None."""
    layers = list(getattr(getattr(model, "encoder", None), "layer", ()))
    runs = getattr(model.config, "_attn_implementation", "") == "sdpa" and not getattr(model.config, "is_decoder", True)
    absolute = getattr(model.config, "position_embedding_type", "absolute") in ("absolute", None)
    return layers if layers and runs and absolute and all(map(_is_like_bert, layers)) else None


def embedded(model: Any, ids: Tensor, types: Tensor | None) -> Tensor:
    """Return what the first layer reads, (n, length) -> (n, length, d)."""
    others = {} if types is None else {"token_type_ids": types}
    x: Tensor = model.embeddings(input_ids=ids, **others)
    return model.embeddings_project(x) if hasattr(model, "embeddings_project") else x


def states_after(layer: Any, x: Tensor, hidden: Tensor | None = None) -> Tensor:
    """Return what a layer makes of the states below it, (n, length, d); ``hidden`` is its attention mask.

    A layer of transformers 4 returns a tuple that begins with the states, one of transformers 5 the states alone.
    """
    output = layer(x, hidden)
    return output[0] if isinstance(output, tuple) else output


def first_state(layer: Any, x: Tensor, mask: Tensor) -> Tensor:
    """Return what a layer makes of the first token, (n, length, d) -> (n, d).

    Args:
        layer: As BERT's.
        x: The states below it, (n, length, d).
        mask: True at tokens, False at padding, bool, (n, length).
    """
    attention, first = layer.attention.self, x[:, :1]
    query, key, value = (
        read(states)
        .unflatten(-1, (attention.num_attention_heads, -1))
        .transpose(1, 2)  # (n, heads, 1 or length, d / heads)
        for read, states in ((attention.query, first), (attention.key, x), (attention.value, x))
    )
    dropout = float(attention.dropout.p) if layer.training else 0.0
    context = scaled_dot_product_attention(query, key, value, mask[:, None, None], dropout, scale=_scaling(attention))
    attended = layer.attention.output(context.transpose(1, 2).flatten(2), first)  # (n, 1, d)
    output: Tensor = layer.output(layer.intermediate(attended), attended)
    return output[:, 0]


def _scaling(attention: Any) -> float:
    """Return what attention multiplies its logits by; an attention of transformers 4 has no attribute for it."""
    return float(getattr(attention, "scaling", attention.attention_head_size**-0.5))


def _is_like_bert(layer: Any) -> bool:
    """Return whether a layer is an attention, its output, and a feed-forward part in two, with the norm after each."""
    attention = getattr(getattr(layer, "attention", None), "self", None)
    parts = ("query", "key", "value", "dropout", "num_attention_heads", "attention_head_size")
    output = getattr(getattr(layer, "attention", None), "output", None)
    blocks = (output, getattr(layer, "output", None))
    return (
        all(hasattr(attention, part) for part in parts)
        and hasattr(layer, "intermediate")
        and not hasattr(layer.attention, "LayerNorm")  # as in networks that norm before they attend
        and all(hasattr(block, "dense") and hasattr(block, "LayerNorm") for block in blocks)
    )
