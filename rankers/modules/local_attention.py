"""Each word attends to the words near it, in a window that slides along the text by one word per step."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from rankers.modules.global_attention import open_to_all


def local_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, reach: int, scale: float | None = None) -> Tensor:
    """Return the attention of each word over the words at most ``reach`` positions away, including itself, per head.

    Keys and values are copied window by window ("img2col" in the GGSA paper), 2 * reach + 1 times their size. The L x L
    matrix is never computed.

    Args:
        q: Queries, (n, length, heads, d).
        k: Keys, in the same shape.
        v: Values, in the same shape.
        mask: True at words, (n, length).
        reach: The number of words to each side, at least 0.
        scale: The factor of dot products before the softmax; None for 1 / sqrt(d).

    Returns:
        The result in the shape of ``q``; finite at padding, but meaningless there.

    Source: GGSA paper, section 3.1.1 and Figure 4 (b).
    """
    scale = q.shape[-1] ** -0.5 if scale is None else scale

    def windows(x: Tensor) -> Tensor:  # (n, length, ...) -> (n, length, ..., 2 * reach + 1)
        ends = [0, 0] * (x.ndim - 2) + [reach, reach]
        return functional.pad(x, ends).unfold(1, 2 * reach + 1, 1)

    keys = open_to_all(windows(mask))[:, :, None, None, :]  # (n, length, 1, 1, window)
    scores = (q * scale)[..., None, :] @ windows(k)  # (n, length, heads, 1, window)
    weights = torch.softmax(scores.masked_fill(~keys, float("-inf")), dim=-1)
    return (weights @ windows(v).transpose(-1, -2))[..., 0, :]  # (n, length, heads, d)
