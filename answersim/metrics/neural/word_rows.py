"""A table of words in 4 bits for torch: the rows of a batch are computed when they are read."""

from __future__ import annotations

import torch
from torch import Tensor


class WordRows:
    """The rows of a packed table. See ``checkpoints.packed`` for its blocks."""

    def __init__(self, blocks: Tensor, dtype: torch.dtype) -> None:
        """Take the bytes of the blocks of each row, (rows, blocks, 18), and the type of the values."""
        self.blocks, self.dtype = blocks, dtype

    def to(self, *, device: torch.device, dtype: torch.dtype) -> WordRows:
        """Return the same table on another device, or with values of another type."""
        return WordRows(self.blocks.to(device), dtype)

    def __getitem__(self, ids: Tensor) -> Tensor:
        """Return the rows with these numbers: (n,) -> (n, columns)."""
        blocks = self.blocks[ids]
        scale = blocks[..., :2].contiguous().view(torch.float16).float()  # (n, blocks, 1)
        halves = blocks[..., 2:]
        values = torch.cat([halves & 15, halves >> 4], dim=-1).float().sub_(8).mul_(scale)
        return values.reshape(len(ids), -1).to(self.dtype)
