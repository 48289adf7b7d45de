"""Each word attends to the words near it: a window slides along the text, one word per step."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from rankers.modules.global_attention import open_to_all


def local_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, reach: int, scale: float | None = None) -> Tensor:
    """Return what each word takes from the words at most ``reach`` places away, itself among them, head by head.

    Keys and values are written out window by window (the GGSA paper's "img2col"), 2 * reach + 1 times their size; the
    L x L matrix is never made.

    Args:
        q: Queries, (n, length, heads, d).
        k: Keys, of that shape.
        v: Values, of that shape.
        mask: True at words, (n, length).
        reach: How far a word sees to each side, at least 0.
        scale: What a dot product is multiplied by before the softmax; None for 1 / sqrt(d).

    Returns:
        Of the shape of ``q``; finite at padding, but meaningless there.

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
