"""Each word attends to the words of its group only. A text is divided into groups, and each is treated as a small text.

The cost is L x l for groups of l words, compared with L x L for global attention (GGSA paper, section 3.4), because the
L x L matrix is never computed. The division is a reshape.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import torch
from torch import Tensor
from torch.nn import functional

from rankers.modules.global_attention import open_to_all


def group_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, size: int, offsets: Sequence[int], scale: float | None = None
) -> Tensor:
    """Return the attention of each word over the words of its group, per head.

    In a head with offset o, the words at i and j are in one group if ``(i + o) // size == (j + o) // size``. With an
    offset, the first group of a text is shorter. The first and the last group are not joined. Neighboring heads with
    equal offsets are computed in one call.

    Args:
        q: Queries, (n, length, heads, d).
        k: Keys, in the same shape.
        v: Values, in the same shape.
        mask: True at words, (n, length), padding on the right only, because groups are counted from the left.
        size: The number of words per group, at least 1.
        offsets: The offset of each head, from 0 to ``size - 1``.
        scale: The factor of dot products before the softmax; None for 1 / sqrt(d).

    Returns:
        The result in the shape of ``q``; finite at padding, but meaningless there.

    Source: GGSA paper, sections 3.1.1 and 3.1.2. It shows offsets in a figure only. That the first and the last group
    are shorter, instead of joined, is an interpretation of the figure.
    """
    parts, start = [], 0
    for offset, run in groupby(offsets):
        heads = slice(start, start := start + sum(1 for _ in run))
        parts.append(_in_groups(q[:, :, heads], k[:, :, heads], v[:, :, heads], mask, size, offset, scale))
    return torch.cat(parts, dim=2) if len(parts) > 1 else parts[0]


def _in_groups(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, size: int, offset: int, scale: float | None) -> Tensor:
    """Return the attention of heads of one offset, (n, length, heads, d)."""
    n, length = mask.shape
    right = -(offset + length) % size  # padding that completes the last group

    def cut(x: Tensor) -> Tensor:  # (n, length, heads, d) -> (n * groups, heads, size, d)
        whole = functional.pad(x, (0, 0, 0, 0, offset, right)) if offset or right else x  # padding by 0 copies, too
        return whole.reshape(-1, size, *x.shape[2:]).transpose(1, 2)

    keys = open_to_all(functional.pad(mask, (offset, right)).reshape(-1, size))  # (n * groups, size)
    taken = functional.scaled_dot_product_attention(
        cut(q), cut(k), cut(v), attn_mask=keys[:, None, None, :], scale=scale
    )
    return taken.transpose(1, 2).reshape(n, -1, *q.shape[2:])[:, offset : offset + length]
