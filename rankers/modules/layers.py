"""The layers of encoders such as BERT, run one by one, so that frozen layers can be skipped and the last one shortened.

A network that reads only the first state needs the keys and values of the last layer at every token, but its query,
output and feed-forward part at the first token only. At 100 tokens this is about a fifth of the work.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention


def layers_of(model: Any) -> list[nn.Module] | None:
    """Return the layers of an encoder if they can be run one by one, as in BERT, RoBERTa and ELECTRA, or else None."""
    layers = list(getattr(getattr(model, "encoder", None), "layer", ()))
    runs = getattr(model.config, "_attn_implementation", "") == "sdpa" and not getattr(model.config, "is_decoder", True)
    absolute = getattr(model.config, "position_embedding_type", "absolute") in ("absolute", None)
    return layers if layers and runs and absolute and all(map(_is_like_bert, layers)) else None


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


def first_state(layer: Any, x: Tensor, mask: Tensor) -> Tensor:
    """Return the output of a layer for the first token, (n, length, d) -> (n, d).

    Args:
        layer: A layer like those of BERT.
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
    """Return the factor of the logits of attention, for which the attention of transformers 4 has no attribute."""
    return float(getattr(attention, "scaling", attention.attention_head_size**-0.5))


def _is_like_bert(layer: Any) -> bool:
    """Return whether a layer is attention, its output, and two feed-forward layers, with the norm after each part."""
    attention = getattr(getattr(layer, "attention", None), "self", None)
    parts = ("query", "key", "value", "dropout", "num_attention_heads", "attention_head_size")
    output = getattr(getattr(layer, "attention", None), "output", None)
    blocks = (output, getattr(layer, "output", None))
    return (
        all(hasattr(attention, part) for part in parts)
        and hasattr(layer, "intermediate")
        and not hasattr(layer.attention, "LayerNorm")  # as in networks that normalize before attention
        and all(hasattr(block, "dense") and hasattr(block, "LayerNorm") for block in blocks)
    )
