"""The bias of MPNet, which attention adds to a score by the distance of key and query, equally in all layers."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from answersim.neural.architecture import BUCKETS

_SHORTEST = 32  # tokens of a window of attention: no bias is for fewer
_FARTHEST = 128  # from this distance on, all distances of a side share a bucket


def bias_by_distance(table: Tensor, length: int) -> Tensor:
    """Return the bias of each head for each relative position, key minus query, from 1 - l to l - 1.

    Args:
        table: The learned bias by bucket and head, (buckets, heads).
        length: The length of the longest text; l is this, and at least 32.

    Returns:
        (heads, 2 l - 1).
    """
    farthest = max(length, _SHORTEST) - 1
    return table[bucket(torch.arange(-farthest, farthest + 1)).to(table.device)].t()


def bucket(distance: Tensor) -> Tensor:
    """Return the bucket of each relative position, key minus query.

    Each side has 16 buckets: one for each distance below 8, and wider ones, by its logarithm, up to 128 tokens.

    >>> bucket(torch.tensor([0, 1, -1, 7, -7, 8, -8, 16, 127, 500, -500])).tolist()
    [0, 17, 1, 23, 7, 24, 8, 26, 31, 31, 15]

    Source: ``MPNetEncoder.relative_position_bucket`` of transformers, in the same operations, since the rounding of a
    logarithm decides the bucket of a distance such as 16.
    """
    side, far = BUCKETS // 2, distance.abs()
    exact = side // 2
    wide = exact + (torch.log(far.float() / exact) / math.log(_FARTHEST / exact) * (side - exact)).to(torch.long)
    return (distance > 0).long() * side + torch.where(far < exact, far, wide.clamp(max=side - 1))
