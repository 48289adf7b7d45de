"""Means, maxima and softmax weights over the words of a text without its padding."""

from __future__ import annotations

import torch
from torch import Tensor


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over the words of each text, or 0 for a text without words.

    Args:
        x: One vector per word, (n, length, d); values at padding may be anything, also inf or nan.
        mask: True at words, (n, length).

    Returns:
        (n, d).

    >>> masked_mean(torch.tensor([[[1.0], [3.0], [99.0]]]), torch.tensor([[True, True, False]]))
    tensor([[2.]])
    """
    total = x.masked_fill(~mask[..., None], 0).sum(dim=-2)  # (n, d)
    return total / mask.sum(dim=-1, keepdim=True).clamp_min(1)


def masked_max(x: Tensor, mask: Tensor) -> Tensor:
    """Return the maximum of each feature over the words of each text, or 0 for a text without words.

    Args:
        x: One vector per word, (n, length, d).
        mask: True at words, (n, length).

    Returns:
        (n, d).

    >>> masked_max(torch.tensor([[[-1.0], [-3.0], [99.0]]]), torch.tensor([[True, True, False]]))
    tensor([[-1.]])
    """
    largest = x.masked_fill(~mask[..., None], float("-inf")).amax(dim=-2)  # (n, d)
    return largest.masked_fill(~mask.any(dim=-1, keepdim=True), 0)


def masked_softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Return weights that sum to 1 where the mask is True and are exactly 0 elsewhere. All are 0 if it is nowhere True.

    Args:
        scores: Unnormalized log weights, of any shape.
        mask: True where there is a score to weight, in a shape that broadcasts to that of ``scores``.
        dim: The dimension over which the weights sum to 1.

    Returns:
        The weights in the shape of ``scores``. Neither values nor gradients are nan if the mask is nowhere True.

    >>> masked_softmax(torch.tensor([0.0, 0.0, 5.0]), torch.tensor([True, True, False]))
    tensor([0.5000, 0.5000, 0.0000])
    """
    kept = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)  # -inf would give nan if the mask is nowhere True
    return torch.softmax(kept, dim=dim).masked_fill(~mask, 0)
