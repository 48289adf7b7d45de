"""The position of a word as a vector of sines and cosines of many wavelengths."""

from __future__ import annotations

import math

import torch
from torch import Tensor


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
