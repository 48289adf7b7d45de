"""Each word attends to the words of its group only: a text is cut into groups, and each is a small text of its own.

The cost grows as L x l for groups of l words, against L x L for global attention (GGSA paper, section 3.4), as the
L x L matrix is never made: cutting is a reshape.
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
    """Return what each word takes from the words of its group, head by head.

    In a head with offset o, the words at i and j are of one group if ``(i + o) // size == (j + o) // size``: with an
    offset the first group of a text is shorter. Ends are not joined. Neighboring heads of equal offset are one call.

    Args:
        q: Queries, (n, length, heads, d).
        k: Keys, of that shape.
        v: Values, of that shape.
        mask: True at words, (n, length), padding on the right only: groups go by the place from the left.
        size: Words per group, at least 1.
        offsets: One per head, from 0 to ``size - 1``.
        scale: What a dot product is multiplied by before the softmax; None for 1 / sqrt(d).

    Returns:
        Of the shape of ``q``; finite at padding, but meaningless there.

    Source: GGSA paper, sections 3.1.1 and 3.1.2. It shows offsets in a figure only; that the first and the last group
    are cut short, and not rolled into one, is our reading of it.
    """
    parts, start = [], 0
    for offset, run in groupby(offsets):
        heads = slice(start, start := start + sum(1 for _ in run))
        parts.append(_in_groups(q[:, :, heads], k[:, :, heads], v[:, :, heads], mask, size, offset, scale))
    return torch.cat(parts, dim=2) if len(parts) > 1 else parts[0]


def _in_groups(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, size: int, offset: int, scale: float | None) -> Tensor:
    """Return the attention of heads of one offset, (n, length, heads, d)."""
    n, length = mask.shape
    right = -(offset + length) % size  # padding that makes the last group whole

    def cut(x: Tensor) -> Tensor:  # (n, length, heads, d) -> (n * groups, heads, size, d)
        whole = functional.pad(x, (0, 0, 0, 0, offset, right)) if offset or right else x  # padding by 0 copies, too
        return whole.reshape(-1, size, *x.shape[2:]).transpose(1, 2)

    keys = open_to_all(functional.pad(mask, (offset, right)).reshape(-1, size))  # (n * groups, size)
    taken = functional.scaled_dot_product_attention(
        cut(q), cut(k), cut(v), attn_mask=keys[:, None, None, :], scale=scale
    )
    return taken.transpose(1, 2).reshape(n, -1, *q.shape[2:])[:, offset : offset + length]
