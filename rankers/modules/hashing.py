"""The locality-constrained hashing denoiser: words as short, almost binary codes from which they can be restored."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn

REDUCTIONS = ("word", "text")


class Hashed(NamedTuple):
    """The output of the denoiser for words."""

    raw: Tensor  # the codes before the hashing function, B, (words, bits)
    codes: Tensor  # the codes, B_D = tanh(alpha B), (words, bits)
    restored: Tensor  # the output of the decoder for the codes, (words, d)


class Denoiser(nn.Module):
    """An encoder d -> m1 -> m2 -> bits (tanh, ReLU, tanh), tanh(alpha B), and a decoder bits -> m2 -> m1 -> d.

    The activations of the decoder are tanh, ReLU and none. The ADDAX paper has ReLU in the second layer and tanh in the
    others, but a final tanh could not restore values outside (-1, 1).

    Attributes:
        alpha: The steepness of the hashing function.

    Source: the ADDAX paper, section 3.2. It states neither m1 and m2 nor whether the "transposed" decoder has its own
    weights. Here it has.
    """

    def __init__(self, dim: int, bits: int, widths: tuple[int, int], *, alpha: float = 5.0) -> None:
        """Build the denoiser from ``dim`` to ``bits``."""
        super().__init__()
        self.alpha = alpha
        self.first = nn.Linear(dim, widths[0])
        self.second = nn.Linear(widths[0], widths[1])
        self.third = nn.Linear(widths[1], bits)
        backwards = [bits, *widths[::-1], dim]
        self.decoder = nn.ModuleList(nn.Linear(one, other) for one, other in pairwise(backwards))

    def forward(self, words: Tensor) -> Hashed:
        """Return the output for each word alone, (words, d)."""
        raw = self.raw(words)
        codes = torch.tanh(self.alpha * raw)
        return Hashed(raw, codes, self.restored(codes))

    def raw(self, words: Tensor) -> Tensor:
        """Return B, (words, d) -> (words, bits), in (-1, 1)."""
        h = torch.relu(self.second(torch.tanh(self.first(words))))  # (words, m2)
        return torch.tanh(self.third(h))

    def restored(self, codes: Tensor) -> Tensor:
        """Restore the words of these codes, (words, bits) -> (words, d)."""
        into, within, out = self.decoder
        return out(torch.relu(within(torch.tanh(into(codes)))))


def signs(raw: Tensor) -> Tensor:
    """Return sgn(B) with sgn(0) = 1, so that a code is -1 or 1. It has no gradient.

    >>> signs(torch.tensor([-0.5, 0.0, 2.0]))
    tensor([-1.,  1.,  1.])
    """
    return torch.where(raw.detach() >= 0, 1.0, -1.0).to(raw.dtype)


def quantization(hashed: Hashed, texts: int) -> Tensor:
    """Return L1, the squared distance of codes from their signs, summed over each text and averaged over texts.

    Args:
        hashed: The words of all texts, without padding.
        texts: The number of texts.
    """
    return (hashed.codes - signs(hashed.raw)).square().sum() / texts


def reconstruction(hashed: Hashed, words: Tensor, texts: int, reduction: str = "word") -> Tensor:
    """Return L2, the squared distance of the restored words from the words.

    The words are a target and get no gradient. If scores are cosines, the words could otherwise reduce this loss by
    shrinking.

    Args:
        hashed: The output of the denoiser for the words, without padding.
        words: The words, (words, d).
        texts: The number of texts.
        reduction: "word" is the sum over features, averaged over words; "text" is the sum over a text (the Frobenius
            norm of the paper), averaged over texts. Gamma depends on the reduction.
    """
    squares = (hashed.restored - words.detach()).square()
    return squares.sum() / (texts if reduction == "text" else len(words))
