"""The language bias of a vector, and the vector without it: the branch that SCAN trains with its classifier."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, softplus


class Debiased(NamedTuple):
    """The output of the branch for vectors."""

    vectors: Tensor  # the vectors without bias, H_d, (n, d); no value is below 0
    bias: Tensor  # the negative bias, H_bias, (n, d); no value is below 0
    logits: Tensor  # the logits of wrong and right, by the classifier of the branch, (n, 2)


class Debiasing(nn.Module):
    """H_bias = b * rho_b(H), with b = sigmoid(W rho_b(H)), and H_d = rho_d(H - H_bias), with a classifier on H_d.

    It reads the vectors without a gradient, so its cross entropy trains the branch alone.

    Source: SCAN, equations 12 to 15. Equation 12 has a "bias weight vector" from "a dense layer followed by a sigmoid",
    but no layer; the authors' code has a layer with one number per vector, and two layers in rho_b, one in rho_d.
    """

    def __init__(self, dim: int, detector_dim: int = 1) -> None:
        """Build the module for vectors of ``dim``.

        Args:
            dim: The number of features of a vector.
            detector_dim: 1 for one share of bias per vector, ``dim`` for one per feature.

        Raises:
            ValueError: If ``detector_dim`` is neither 1 nor ``dim``.
        """
        super().__init__()
        if detector_dim not in (1, dim):
            raise ValueError(
                f"detector_dim is {detector_dim}, but a vector of {dim} features has 1 share of bias, or {dim}"
            )
        self.transform = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim), nn.ReLU())
        self.detector = nn.Sequential(nn.Linear(dim, detector_dim), nn.Sigmoid())
        self.clean = nn.Sequential(nn.Linear(dim, dim), nn.ReLU())
        self.head = nn.Linear(dim, 2)

    def forward(self, pooled: Tensor) -> Debiased:
        """Return the output of the branch for vectors, (n, d), without a gradient to these."""
        fixed = pooled.detach()
        transformed = self.transform(fixed)  # (n, d)
        bias = self.detector(transformed) * transformed  # (n, 1) or (n, d), times (n, d)
        vectors = self.clean(fixed - bias)  # (n, d)
        return Debiased(vectors, bias, self.head(vectors))


def contrast(pooled: Tensor, debiased: Debiased, tau: float = 1.0) -> Tensor:
    """Return how much closer the vectors are to their bias than to the vectors without it, a scalar above 0.

    The mean over vectors of -log(e^(p/tau) / (e^(p/tau) + e^(n/tau))), where p is the cosine with the vector without
    bias and n is the cosine with the bias. A vector of zeros has the cosine 0 with all vectors. Both sides get a
    gradient.

    Args:
        pooled: The vectors, (n, d).
        debiased: The output of the branch for these vectors.
        tau: The temperature.

    Source: SCAN, equations 17 and 18, in a form that cannot overflow.
    """
    near = cosine_similarity(pooled, debiased.vectors, dim=-1)  # (n,)
    far = cosine_similarity(pooled, debiased.bias, dim=-1)  # (n,)
    return softplus((far - near) / tau).mean()
