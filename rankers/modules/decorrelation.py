"""Weights of samples that reduce the dependence between features, for the cross entropy of SCAN.

Source: SCAN, section 3.2, in the form of its code, which is that of StableNet (Zhang et al. 2021, "Deep stable learning
for out-of-distribution generalization"). As printed, equations 6 and 7 square the weights and count only half of the
samples, and nothing keeps a weight above 0. Here weights are softmaxes of logits, with a proper weighted covariance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, softplus

from rankers.settings import check_above_zero, check_choices, check_least

RFF = ("code", "paper")
_MEANS = 10  # the number of batches of the first epoch that enter the table as a mean


@dataclass(frozen=True)
class Reweighting:
    """The settings of the learner of weights, with the names in the code of the authors."""

    # the learning rate of the logits, which is a tenth of it in the second half of the steps. The published rates are
    # 1e-4 for WikiQA and SelQA, and 1e-3 for ANTIQUE and in the script of the authors, which is the default here.
    lrbl: float = 1e-3
    epochb: int = 20  # the number of steps for each batch
    num_f: int = 5  # the number of random Fourier features of each feature, r in the paper
    # the divisor of the dependence of the features. The smaller it is, the more the dependence counts relative to the
    # penalty of unequal weights.
    lambda_p: float = 0.01
    decay_pow: float = 2.0  # the power in the penalty, which is the sum of the weights to this power
    presave: float = 0.9  # the share of the global table that stays when a batch is mixed into it, alpha in the paper
    # the number of rows of the global table, which is the number of samples of a batch. Row i is mixed with row i of
    # each batch. The rows of a longer batch beyond the table are not kept.
    rows: int = field(default=140, metadata={"by": "recipe"})  # the batch size of the recipe, if a recipe trains
    # "code" brings omega x + phi of each sample to [0, pi / 2] across its features and takes sqrt(2 / r) (cos + sin);
    # "paper" is sqrt(2) cos(omega x + phi), equation 5 as printed. The latter move the weights of 140 [CLS] states of
    # untrained MiniLM at the rate published for WikiQA, 1e-4 (.52 to 1.46 times an equal share), but those of its tanh
    # pooler by only .2 %. At higher rates, one sample may get all weight.
    rff: str = "code"
    seed: int = 0  # the random seed of the draws

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choices(self, rff=RFF)
        check_least(self, 1, "epochb", "num_f", "rows")
        check_above_zero(self, "lrbl", "lambda_p", "decay_pow")
        if not 0 <= self.presave <= 1:
            raise ValueError(f"presave is {self.presave}, but it must be a share of the table, from 0 to 1")


def draw(num_f: int, dim: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw ``num_f`` pairs of a frequency from N(0, 1) and a phase per feature, ``dim`` in all, from U(0, 2 pi).

    The frequencies, omega, are (r, 1, 1), equal for all features; the phases, phi, are (r, 1, d).
    """
    omega = torch.randn(num_f, 1, 1, generator=generator)
    return omega, 2 * math.pi * torch.rand(num_f, 1, dim, generator=generator)


def fourier(features: Tensor, drawn: tuple[Tensor, Tensor], rff: str = "code") -> Tensor:
    """Return the random Fourier features of each feature, (n, d) -> (r, n, d), with ``rff`` as in ``Reweighting``."""
    omega, phi = (tensor.to(features.device) for tensor in drawn)
    angles = torch.addcmul(phi, features, omega)  # (r, n, d)
    if rff == "paper":
        return angles.cos_().mul_(math.sqrt(2))
    low, high = angles.aminmax(dim=-1, keepdim=True)
    # all equal, as for a single sample: they stay 0
    factor = math.pi / 2 / (high - low).masked_fill(high == low, 1)
    angles = torch.addcmul(-low * factor - math.pi / 4, angles, factor)
    return angles.cos_().mul_(2 / math.sqrt(len(omega)))  # cos x + sin x is the root of 2 times cos(x - pi / 4)


def products(mapped: Tensor) -> tuple[Tensor, Tensor]:
    """Return Fourier features, (r, n, d), less their means, and the inner products of the samples, (r, n, n).

    A covariance does not depend on the means. All draws are one batched matrix product.
    """
    centered = mapped - mapped.mean(dim=-2, keepdim=True)
    return centered, centered @ centered.transpose(-1, -2)


def dependence(of: tuple[Tensor, Tensor], weights: Tensor) -> Tensor:
    """Return the sum of the squared covariances of different features under weights, (n,), that sum to 1: a scalar.

    A covariance is that of the features of one draw. Each pair of features counts twice, as in the code. Equation 8
    counts it once, and also counts pairs of features of different draws.

    The weighted covariance matrix is Z' A Z with A = diag(w) - w w', so the sum of its squares is the trace of A K A K
    with the inner products K = Z Z': n^2 numbers per step in place of n d^2. Those of the diagonal are subtracted.
    """
    z, k = of
    kw = k @ weights  # (r, n)
    squares = k.square() @ weights @ weights - 2 * kw.square() @ weights + (kw @ weights).square()  # (r,)
    variances = weights @ z.square() - (weights @ z).square()  # (r, d)
    return squares.sum() - variances.square().sum()


def effective_size(weights: Tensor) -> float:
    """Return the effective sample size, 1 / sum w^2 for weights that sum to 1, from 1 to n.

    >>> effective_size(torch.tensor([0.5, 0.5, 0.0]))
    2.0
    """
    return float(1 / weights.double().square().sum())


class WeightLearner:
    """A learner of the weights of each batch, with a table of earlier features and logits.

    It has its own random generator and returns no gradient, so a training with it draws the same dropout as one without
    it.
    """

    def __init__(self, settings: Reweighting) -> None:
        """Set up a learner without a table of earlier features."""
        self.settings = settings
        self._generator = torch.Generator().manual_seed(settings.seed)
        self._features = torch.empty(0, 0)  # (M, d) from the first batch on
        self._logits = torch.empty(0)  # (M,)
        self._seen = torch.empty(0, dtype=torch.int64)  # (M,): the number of batches that have filled a row

    def __call__(self, features: Tensor, epoch: int = 0) -> Tensor:
        """Return the weights of the samples of a batch, (n, d) -> (n,), without a gradient, and store the batch.

        The weights are above 0 and sum to 1. The number of samples may change from batch to batch. A weight can only be
        0 if its logit is so low that it underflows in single precision. Rows of the table that no batch has filled yet
        are left out. The code has zeros there. ``epoch`` counts from 0.
        """
        fixed = features.detach().float()
        self._begin(fixed)
        with torch.enable_grad(), torch.autocast(fixed.device.type, enabled=False):  # covariances need full precision
            logits = self._learn(fixed)
        self._remember(fixed, logits, epoch)
        return logits.softmax(dim=0).to(features.dtype)

    def state(self) -> dict[str, Tensor]:
        """Return the state by name. A learner with the same settings that restores it continues in the same way."""
        kept = {"features": self._features, "logits": self._logits, "seen": self._seen}
        return {name: tensor.cpu().clone() for name, tensor in kept.items()} | {
            "generator": self._generator.get_state()
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Restore the object to the one that returned this state."""
        self._features, self._logits = state["features"].clone(), state["logits"].clone()
        self._seen = state["seen"].clone()
        self._generator.set_state(state["generator"])

    def _begin(self, features: Tensor) -> None:
        """Create the table for the first batch, on the device of the features."""
        rows, dim = self.settings.rows, features.shape[1]
        if not len(self._seen):
            self._features, self._logits = torch.zeros(rows, dim), torch.ones(rows)
            self._seen = torch.zeros(rows, dtype=torch.int64)
        if self._features.shape[1] != dim:
            raise ValueError(
                f"features have {dim} numbers, but earlier ones had {self._features.shape[1]}; use one learner per "
                f"network"
            )
        device = features.device
        self._features, self._logits = self._features.to(device), self._logits.to(device)
        self._seen = self._seen.to(device)

    def _learn(self, features: Tensor) -> Tensor:
        """Return the logits of these samples after all steps, (n,)."""
        s = self.settings
        filled = self._seen > 0
        both = torch.cat([features, self._features[filled]])  # (n + m, d)
        table = self._logits[filled]  # (m,)
        logits = torch.ones(len(features), device=features.device, requires_grad=True)
        optimizer = torch.optim.SGD([logits], lr=s.lrbl, momentum=0.9)
        for step in range(s.epochb):
            of = products(fourier(both, draw(s.num_f, both.shape[1], self._generator), s.rff))
            optimizer.param_groups[0]["lr"] = s.lrbl * 0.1 ** (step // (s.epochb * 0.5))
            shared = torch.cat([logits, table]).softmax(dim=0)  # (n + m,)
            penalty = logits.softmax(dim=0).pow(s.decay_pow).sum()
            loss = dependence(of, shared) / s.lambda_p + penalty
            (logits.grad,) = torch.autograd.grad(loss, logits)
            optimizer.step()
        return logits.detach()

    def _remember(self, features: Tensor, logits: Tensor, epoch: int) -> None:
        """Mix the batch into the table: a mean over the first batches, then an exponential one (equation 11)."""
        n = min(len(features), len(self._seen))
        seen = self._seen[:n]  # a view: a short batch fills and counts the first rows only
        is_mean = (seen == 0) | ((seen < _MEANS) & (epoch == 0))
        kept = torch.where(is_mean, seen / (seen + 1), torch.full_like(self._logits[:n], self.settings.presave))
        self._features[:n] = kept[:, None] * self._features[:n] + (1 - kept)[:, None] * features[:n]
        self._logits[:n] = kept * self._logits[:n] + (1 - kept) * logits[:n]
        seen += 1


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
        """Build it for vectors of ``dim``; ``detector_dim`` is 1 for a share of bias per vector, else ``dim``."""
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
    """Return how much closer the vectors, (n, d), are to their bias than to the vectors without it, a scalar above 0.

    The mean over vectors of -log(e^(p/tau) / (e^(p/tau) + e^(n/tau))), where p is the cosine with the vector without
    bias and n is the cosine with the bias. A vector of zeros has the cosine 0 with all vectors. Both sides get a
    gradient.

    Source: SCAN, equations 17 and 18, in a form that cannot overflow.
    """
    near = cosine_similarity(pooled, debiased.vectors, dim=-1)  # (n,)
    far = cosine_similarity(pooled, debiased.bias, dim=-1)  # (n,)
    return softplus((far - near) / tau).mean()
