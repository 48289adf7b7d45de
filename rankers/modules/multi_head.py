"""Self-attention with several heads and any kernel: global, local or in groups."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor, nn

from rankers.modules.packing import Packing


class Kernel(Protocol):
    """Protocol of attention kernels, from queries, keys and values (n, length, heads, d) and the mask (n, length)."""

    def __call__(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor, /) -> Tensor:
        """Return the attention output of each word, (n, length, heads, d)."""
        ...


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
