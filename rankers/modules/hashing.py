"""The locality-constrained hashing denoiser: words as short, almost binary codes from which they can be made again."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from answersim.errors import unknown

REDUCTIONS = ("word", "text", "mean")


class Hashed(NamedTuple):
    """What the denoiser made of words.

    Attributes:
        raw: B, before the hashing function, (words, bits).
        codes: B_D = tanh(alpha B), (words, bits).
        restored: What the decoder made of the codes, (words, d).
    """

    raw: Tensor
    codes: Tensor
    restored: Tensor


class Denoiser(nn.Module):
    """An encoder d -> m1 -> m2 -> bits (tanh, ReLU, tanh), tanh(alpha B), and a decoder bits -> m2 -> m1 -> d.

    The decoder has tanh, ReLU and nothing: the ADDAX paper has ReLU in the second layer and tanh in the others, but a
    last tanh could not restore values outside (-1, 1).

    Attributes:
        alpha: How steep the hashing function is.

    Source: the ADDAX paper, section 3.2. It gives no m1 and m2, and does not state whether the "transposed" decoder has
    weights of its own; ours has, unless ``tied``.
    """

    def __init__(self, dim: int, bits: int, widths: tuple[int, int], *, alpha: float = 5.0, tied: bool = False) -> None:
        """Build the denoiser from ``dim`` to ``bits``. A ``tied`` decoder has the transposed weights of the encoder."""
        super().__init__()
        self.alpha = alpha
        self.first = nn.Linear(dim, widths[0])
        self.second = nn.Linear(widths[0], widths[1])
        self.third = nn.Linear(widths[1], bits)
        backwards = [bits, *widths[::-1], dim]
        layers = [nn.Linear(one, other) for one, other in pairwise(backwards)]
        self.decoder = None if tied else nn.ModuleList(layers)
        self.decoder_biases = nn.ParameterList(layer.bias for layer in layers) if tied else None

    def forward(self, words: Tensor) -> Hashed:
        """Return each word alone, (words, d)."""
        raw = self.raw(words)
        codes = torch.tanh(self.alpha * raw)
        return Hashed(raw, codes, self.restored(codes))

    def raw(self, words: Tensor) -> Tensor:
        """Return B, (words, d) -> (words, bits), in (-1, 1)."""
        h = torch.relu(self.second(torch.tanh(self.first(words))))  # (words, m2)
        return torch.tanh(self.third(h))

    def restored(self, codes: Tensor) -> Tensor:
        """Restore the words of these codes, (words, bits) -> (words, d)."""
        if self.decoder is not None:
            into, within, out = self.decoder
            return out(torch.relu(within(torch.tanh(into(codes)))))
        biases = list(self.decoder_biases or ())
        h = torch.tanh(functional.linear(codes, self.third.weight.T, biases[0]))  # (words, m2)
        h = torch.relu(functional.linear(h, self.second.weight.T, biases[1]))  # (words, m1)
        return functional.linear(h, self.first.weight.T, biases[2])


def signs(raw: Tensor) -> Tensor:
    """Return sgn(B), with sgn(0) = 1, so that a code is -1 or 1; it has no gradient.

    >>> signs(torch.tensor([-0.5, 0.0, 2.0]))
    tensor([-1.,  1.,  1.])
    """
    return torch.where(raw.detach() >= 0, 1.0, -1.0).to(raw.dtype)


def quantization(hashed: Hashed, texts: int) -> Tensor:
    """Return L1: the squared distance of codes from their signs, summed over a text; the mean over texts.

    Args:
        hashed: The words of all texts; no padding among them.
        texts: How many texts they are of.
    """
    return (hashed.codes - signs(hashed.raw)).square().sum() / texts


def reconstruction(hashed: Hashed, words: Tensor, texts: int, reduction: str = "word") -> Tensor:
    """Return L2: the squared distance of the restored words from the words.

    The words are a target and get no gradient: with a score of cosines they could make this small for free, by
    shrinking.

    Args:
        hashed: What the denoiser made of the words; no padding among them.
        words: (words, d).
        texts: How many texts they are of.
        reduction: "word" sums over features, and is the mean over words; "text" sums over a text (the Frobenius norm
            of the paper), and is the mean over texts; "mean" is the mean over all numbers. They differ by factors of
            hundreds, and with them what gamma means.

    Raises:
        LookupError: If there is no such reduction.
    """
    if reduction not in REDUCTIONS:
        raise unknown("reduction", reduction, REDUCTIONS)
    squares = (hashed.restored - words.detach()).square()
    if reduction == "mean":
        return squares.mean()
    return squares.sum() / (texts if reduction == "text" else len(words))
