"""The similarity of the vectors of a question and an answer: their cosine, or the output of a small network."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from answersim.errors import unknown


class Cosine(nn.Module):
    """The cosine of both vectors, for pairwise losses: (..., d) and (..., d) -> (...)."""

    def forward(self, questions: Tensor, answers: Tensor) -> Tensor:
        """Return the cosines, or 0 if a vector is 0."""
        return functional.cosine_similarity(questions, answers, dim=-1)


class LogitDifference(nn.Module):
    """The logit of "fits" minus that of "does not", of a two-layer network on [question; answer], for pointwise losses.

    The GGSA paper (section 3.3) ranks by s = softmax(MLP([v_q; v_a]))_1, which is the sigmoid of this difference: the
    order is the same, and binary cross entropy with this as the logit is the paper's cross entropy of s. The paper does
    not state the hidden size. Here it is d.
    """

    def __init__(self, dim: int, hidden: int = 0) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2 * dim, hidden or dim), nn.ReLU(), nn.Linear(hidden or dim, 2))

    def forward(self, questions: Tensor, answers: Tensor) -> Tensor:
        """Return the differences, (..., d) and (..., d) -> (...)."""
        logits = self.layers(torch.cat([questions, answers], dim=-1))  # (..., 2)
        return logits[..., 1] - logits[..., 0]


SIMILARITIES = ("cosine", "mlp")


def similarity(name: str, dim: int) -> nn.Module:
    """Return the similarity of this name, "cosine" or "mlp", for vectors of this size.

    Raises:
        LookupError: If there is no similarity with this name.
    """
    if name == "cosine":
        return Cosine()
    if name == "mlp":
        return LogitDifference(dim)
    raise unknown("similarity", name, SIMILARITIES)
