"""The parts of ADDAX: the gating siamese cell, and words as short, almost binary codes that restore them."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from rankers.modules.composition import States
from rankers.modules.pooling import Packing, masked_softmax


class Highway(nn.Module):
    """W5 z + b5 with z = (1 - g) * x + g * relu(W3 x + b3) and g = sigmoid(W4 x + b4).

    Source: the ADDAX paper, equations 10 to 13; Srivastava et al. 2015, "Highway networks". The paper does not state
    the initial b4. Below 0, most of the input is passed on at first, as Srivastava et al. recommend.
    """

    def __init__(self, dim: int, out: int, *, gate_bias: float = -1.0) -> None:
        """Build a highway from ``dim`` to ``out``. ``gate_bias`` is the initial value of b4."""
        super().__init__()
        self.transform = nn.Linear(dim, dim)  # W3, b3
        self.gate = nn.Linear(dim, dim)  # W4, b4
        self.out = nn.Linear(dim, out)  # W5, b5
        nn.init.constant_(self.gate.bias, gate_bias)

    def forward(self, x: Tensor) -> Tensor:
        """Return the output for each vector alone, (..., dim) -> (..., out)."""
        open_by = torch.sigmoid(self.gate(x))  # (..., dim)
        return self.out(x + open_by * (torch.relu(self.transform(x)) - x))


def reference(similarities: Tensor, partner: States) -> Tensor:
    """Return R = softmax(S) V: each word in terms of the other text, (n, l, t) and (n, t, d) -> (n, l, d).

    Source: the ADDAX paper, equation 4; padding of the other text has no weight.
    """
    weights = masked_softmax(similarities, partner.mask[:, None])  # (n, l, t)
    return weights @ partner.vectors.masked_fill(~partner.mask[..., None], 0)


class MagCell(nn.Module):
    """One side of the matching-adapted gating siamese cell.

    S are the similarities of its l words to the t words of the other text, U its own vectors, and V those of the other
    text: R = softmax(S) V, D = U - R, E = sigmoid(S W1 + b1), Fr = R * E, Fd = D * (1 - E), p = sigmoid(S w1 + b), F =
    [p Fr; (1 - p) Fd], and H = highway(F). S is padded with 0 before W1 and w1, which identify words of the other text
    by position: a text with more words than there are weights is rejected.

    Source: the ADDAX paper, equations 4 to 13. Its B1 has as many rows as the *other* text has words, which cannot be
    added. Here it is one vector for all words.
    """

    def __init__(self, dim: int, other_length: int, *, highway: bool = True, gate_bias: float = -1.0) -> None:
        """Build the cell for vectors of ``dim`` and other texts of at most ``other_length`` words.

        Without a highway, H = p Fr + (1 - p) Fd. ``gate_bias`` is the initial bias of its gates.
        """
        super().__init__()
        self.other_length = other_length
        self.feature = nn.Linear(other_length, dim)  # W1, b1
        self.share = nn.Linear(other_length, 1)  # w1, b
        self.highway = Highway(2 * dim, dim, gate_bias=gate_bias) if highway else None

    def forward(self, states: States, partner: States, similarities: Tensor) -> Tensor:
        """Return H of a text, (n, l, d), 0 at padding, given the other text, (n, t, d), and S, scaled, (n, l, t)."""
        limit = self.other_length
        if partner.mask.shape[1] > limit and bool(partner.mask[:, limit:].any()):
            raise ValueError(
                f"a text has more than {limit} words, but the cell has weights for the first {limit} positions: "
                "read fewer words, or make question_length and answer_length as long as the texts"
            )
        packing = Packing(states.mask)
        shared = packing.rows(reference(similarities, partner))  # R, (words, d)
        divergent = packing.rows(states.vectors) - shared  # D, (words, d)
        seen = packing.rows(similarities.masked_fill(~partner.mask[:, None], 0))[:, :limit]  # S0, (words, t)
        gates = self.gates(seen)  # E, (words, d)
        shared, divergent = shared * gates, divergent * (1 - gates)  # Fr, Fd
        p = torch.sigmoid(functional.linear(seen, self.share.weight[:, : seen.shape[1]], self.share.bias))
        shared, divergent = p * shared, (1 - p) * divergent
        if self.highway is None:
            return packing.texts(shared + divergent)
        return packing.texts(self.highway(torch.cat([shared, divergent], dim=-1)))

    def gates(self, seen: Tensor) -> Tensor:
        """Return E, (words, t) -> (words, d): the share of each feature that is kept; ``seen`` is S, 0 at padding.

        Positions beyond its width are padding, so their weights are left out.
        """
        return torch.sigmoid(functional.linear(seen, self.feature.weight[:, : seen.shape[1]], self.feature.bias))

    def pass_on(self) -> None:
        """Initialize close to the identity: all gates at 1/2, and a highway whose output layer restores U.

        Then F is [R / 4; (U - R) / 4], so four times the sum of its halves is U. Without a highway, H is U / 4, or U /
        2 unweighted, which has the direction of U.
        """
        for parameter in (*self.feature.parameters(), *self.share.parameters()):
            nn.init.zeros_(parameter)
        if self.highway is not None:
            eye = torch.eye(self.highway.out.out_features)
            with torch.no_grad():
                self.highway.out.weight.copy_(4 * torch.cat([eye, eye], dim=1))
                self.highway.out.bias.zero_()


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
        self.decoder = nn.ModuleList(nn.Linear(*sizes) for sizes in pairwise(backwards))

    def forward(self, words: Tensor) -> Hashed:
        """Return the output for each word alone, (words, d)."""
        raw = torch.tanh(self.third(torch.relu(self.second(torch.tanh(self.first(words))))))  # B, (words, bits)
        codes = torch.tanh(self.alpha * raw)
        into, within, out = self.decoder
        return Hashed(raw, codes, out(torch.relu(within(torch.tanh(into(codes))))))


def signs(raw: Tensor) -> Tensor:
    """Return sgn(B) with sgn(0) = 1, so that a code is -1 or 1. It has no gradient.

    >>> signs(torch.tensor([-0.5, 0.0, 2.0]))
    tensor([-1.,  1.,  1.])
    """
    return torch.where(raw.detach() >= 0, 1.0, -1.0).to(raw.dtype)


def quantization(hashed: Hashed, texts: int) -> Tensor:
    """Return L1, the squared distance of codes from their signs, summed over each text, averaged over texts."""
    return (hashed.codes - signs(hashed.raw)).square().sum() / texts


def reconstruction(hashed: Hashed, words: Tensor, texts: int, reduction: str = "word") -> Tensor:
    """Return L2, the squared distance of the restored words from the words, (words, d).

    The words are a target and get no gradient. If scores are cosines, the words could otherwise reduce this loss by
    shrinking. The reduction "word" is the sum over features, averaged over words; "text" is the sum over a text (the
    Frobenius norm of the paper), averaged over texts. Gamma depends on it.
    """
    squares = (hashed.restored - words.detach()).square()
    return squares.sum() / (texts if reduction == "text" else len(words))
