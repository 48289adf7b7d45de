"""Self-attention with several heads: global, local or in groups, with sinusoids as positions.

The cost of groups of l words is L x l, compared with L x L for global attention (GGSA paper, section 3.4), because the
L x L matrix is never computed. The division is a reshape.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby

import torch
from torch import Tensor, nn
from torch.nn import functional

from rankers.modules.pooling import Packing


def sinusoids(length: int, dim: int) -> Tensor:
    """Return one vector per position, (length, dim): sin(i / 10000^(j/dim)) at even j, and the cosine at j + 1.

    The GGSA paper prints the exponent 2j/D with j the raw dimension, which would give sines and cosines different
    wavelengths, and most features almost constant values. This is the encoding of Vaswani et al. 2017, section 3.5.

    >>> sinusoids(2, 4)
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    steps = torch.arange(0, dim, 2, dtype=torch.float32) * (-math.log(10_000) / dim)  # (dim / 2, rounded up)
    angles = torch.arange(length, dtype=torch.float32)[:, None] * steps.exp()  # (length, dim / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :dim]  # (length, dim)


# An attention kernel, which decides the words that a word attends to: queries, keys and values, (n, length, heads, d),
# and the mask, True at words, (n, length), to the attention of each word, (n, length, heads, d), which is finite at
# padding, but meaningless there. Dot products are divided by sqrt(d), as in Vaswani et al. The GGSA paper prints
# sqrt(D), over all heads.
Kernel = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def global_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """Return the attention of each word over all words of its text: a ``Kernel``."""
    q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))  # (n, heads, length, d)
    keys = open_to_all(mask)[:, None, None, :]  # (n, 1, 1, length)
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=keys).transpose(1, 2)


def open_to_all(mask: Tensor) -> Tensor:
    """Return the mask, but True everywhere if its last dimension has no True, because a softmax over nothing is nan.

    Scaled dot-product attention returns 0 in this case in torch 2.5 and later, but nan in 2.4. A plain softmax returns
    nan.
    """
    return mask | ~mask.any(dim=-1, keepdim=True)


def local_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, reach: int) -> Tensor:
    """Return the attention of each word over the words at most ``reach`` positions away, including itself, per head.

    Keys and values are copied window by window ("img2col" in the GGSA paper), 2 * reach + 1 times their size. The L x L
    matrix is never computed. The other arguments are those of a ``Kernel``.

    Source: GGSA paper, section 3.1.1 and Figure 4 (b).
    """

    def windows(x: Tensor) -> Tensor:  # (n, length, ...) -> (n, length, ..., 2 * reach + 1)
        ends = [0, 0] * (x.ndim - 2) + [reach, reach]
        return functional.pad(x, ends).unfold(1, 2 * reach + 1, 1)

    keys = open_to_all(windows(mask))[:, :, None, None, :]  # (n, length, 1, 1, window)
    scores = (q * q.shape[-1] ** -0.5)[..., None, :] @ windows(k)  # (n, length, heads, 1, window)
    weights = torch.softmax(scores.masked_fill(~keys, float("-inf")), dim=-1)
    return (weights @ windows(v).transpose(-1, -2))[..., 0, :]  # (n, length, heads, d)


def group_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, size: int, offsets: Sequence[int]) -> Tensor:
    """Return the attention of each word over the words of its group, per head.

    In a head with offset o, the words at i and j are in one group if ``(i + o) // size == (j + o) // size``. With an
    offset, the first group of a text is shorter. The first and the last group are not joined. Neighboring heads with
    equal offsets are computed in one call. Padding is on the right only, because groups are counted from the left. Each
    head has an offset from 0 to ``size - 1``. The other arguments are those of a ``Kernel``.

    Source: GGSA paper, sections 3.1.1 and 3.1.2. It shows offsets in a figure only. That the first and the last group
    are shorter, instead of joined, is an interpretation of the figure.
    """
    parts, start = [], 0
    for offset, run in groupby(offsets):
        heads = slice(start, start := start + sum(1 for _ in run))
        parts.append(_in_groups(q[:, :, heads], k[:, :, heads], v[:, :, heads], mask, size, offset))
    return torch.cat(parts, dim=2) if len(parts) > 1 else parts[0]


def _in_groups(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, size: int, offset: int) -> Tensor:
    """Return the attention of heads of one offset, (n, length, heads, d)."""
    n, length = mask.shape
    right = -(offset + length) % size  # padding that completes the last group

    def cut(x: Tensor) -> Tensor:  # (n, length, heads, d) -> (n * groups, heads, size, d)
        whole = functional.pad(x, (0, 0, 0, 0, offset, right)) if offset or right else x  # padding by 0 copies, too
        return whole.reshape(-1, size, *x.shape[2:]).transpose(1, 2)

    keys = open_to_all(functional.pad(mask, (offset, right)).reshape(-1, size))  # (n * groups, size)
    taken = functional.scaled_dot_product_attention(cut(q), cut(k), cut(v), attn_mask=keys[:, None, None, :])
    return taken.transpose(1, 2).reshape(n, -1, *q.shape[2:])[:, offset : offset + length]


class MultiHead(nn.Module):
    """W_o applied to the output of all heads. Queries, keys and values come from one input by matrices without biases.

    Source: Vaswani et al. 2017, section 3.2.2, as the GGSA paper writes it in section 2.1 (no biases).
    """

    def __init__(self, dim: int, heads: int, kernel: Kernel) -> None:
        super().__init__()
        self.heads = heads
        self.kernel = kernel
        self.inward = nn.Linear(dim, 3 * dim, bias=False)  # W_q, W_k and W_v in one
        self.outward = nn.Linear(dim, dim, bias=False)

    def forward(self, rows: Tensor, packing: Packing) -> Tensor:
        """Return the output of the attention for each word, (words, dim) -> (words, dim)."""
        inward = self.inward(rows).view(len(rows), 3, self.heads, -1)  # (words, 3, heads, d)
        q, k, v = packing.texts(inward).unbind(2)  # (n, length, heads, d) each
        taken = self.kernel(q, k, v, packing.mask)  # (n, length, heads, d)
        return self.outward(packing.rows(taken.flatten(2)))
