"""Each word attends to every word of its text: the attention of Vaswani et al. 2017, L x L."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional


def global_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, scale: float | None = None) -> Tensor:
    """Return the attention of each word over all words of its text, per head.

    Args:
        q: Queries, (n, length, heads, d).
        k: Keys, in the same shape.
        v: Values, in the same shape.
        mask: True at words, (n, length).
        scale: The factor of dot products before the softmax; None for 1 / sqrt(d).

    Returns:
        The result in the shape of ``q``; finite at padding, but meaningless there.
    """
    q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))  # (n, heads, length, d)
    keys = open_to_all(mask)[:, None, None, :]  # (n, 1, 1, length)
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=keys, scale=scale).transpose(1, 2)


def open_to_all(mask: Tensor) -> Tensor:
    """Return the mask, but True everywhere if its last dimension has no True, because a softmax over nothing is nan.

    Scaled dot-product attention returns 0 in this case in torch 2.5 and later, but nan in 2.4. A plain softmax returns
    nan.
    """
    return mask | ~mask.any(dim=-1, keepdim=True)
