"""Weights of samples under which features depend less on each other: what SCAN weighs its cross entropy with.

Source: SCAN, section 3.2, in the form of its code, which is that of StableNet (Zhang et al. 2021, "Deep stable learning
for out-of-distribution generalization"). As printed, equations 6 and 7 square the weights and count only half of the
samples, and nothing keeps a weight above 0; here weights are softmaxes of logits, under a proper weighted covariance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from torch import Tensor

from answersim.errors import unknown

RFF = ("code", "paper")
_MEANS = 10  # so many batches of the first epoch go into the table as a mean


@dataclass(frozen=True)
class Reweighting:
    """The settings of the learner of weights, under the names they have in the authors' code.

    Attributes:
        lrbl: The learning rate of the logits; a tenth of it in the second half of the steps. Published: 1e-4 for WikiQA
            and SelQA, 1e-3 for ANTIQUE and in the script of the authors' code, which is the default here.
        epochb: Steps for each batch.
        num_f: Random Fourier features of each feature, r in the paper.
        lambda_p: What the dependence of the features is divided by; the smaller, the more it counts beside the penalty
            of weights that are not alike.
        lambda_decay: What ``lambda_p`` is multiplied with every five epochs, down to a hundredth of it.
        decay_pow: The power in that penalty, the sum of the weights to this power.
        presave: How much of the global table stays when a batch is mixed into it, alpha in the paper.
        rows: Rows of the global table: as many as a batch has samples. Row i is mixed with row i of whatever batch
            comes; of a longer batch the rows beyond it are not kept.
        rff: "code" brings omega x + phi of each sample to [0, pi / 2] across its features and takes sqrt(2 / r)
            (cos + sin); "paper" is sqrt(2) cos(omega x + phi), equation 5 as printed. The latter move the weights of
            140 [CLS] states of untrained MiniLM at the rate published for WikiQA, 1e-4 (.52 to 1.46 times an equal
            share), those of its tanh pooler by .2 % only, and may leave all weight to one sample at higher rates.
        cross_rff: Count the covariance of each Fourier feature with those of all draws, as equation 8, not with those
            of its own draw only, as the code; r^2 times as many numbers.
        standardise: Bring each feature to mean 0 and variance 1 first; neither paper nor code do.
        seed: Of the draws.
    """

    lrbl: float = 1e-3
    epochb: int = 20
    num_f: int = 5
    lambda_p: float = 0.01
    lambda_decay: float = 1.0
    decay_pow: float = 2.0
    presave: float = 0.9
    rows: int = field(default=140, metadata={"by": "recipe"})  # where a recipe trains, its batch size
    rff: str = "code"
    cross_rff: bool = False
    standardise: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            LookupError: If no Fourier features have this name.
            ValueError: If a number is out of its range; the message gives the name, the value and the rule.
        """
        if self.rff not in RFF:
            raise unknown("kind of Fourier features", self.rff, RFF)
        for name in ("epochb", "num_f", "rows"):
            if not getattr(self, name) >= 1:
                raise ValueError(f"{name} is {getattr(self, name)}, but at least 1 is needed")
        for name in ("lrbl", "lambda_p", "lambda_decay", "decay_pow"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} is {getattr(self, name)}, but it must be a number above 0")
        if not 0 <= self.presave <= 1:
            raise ValueError(f"presave is {self.presave}, but it is a share of the table: at least 0, at most 1")

    @classmethod
    def published(cls) -> Reweighting:
        """Return the settings of the authors' script, under which the weights hardly move."""
        return cls()

    @classmethod
    def effective(cls, lrbl: float = 1.0) -> Reweighting:
        """Return the same at a learning rate at which the weights do move: .1, 1 or 10, to be chosen on dev."""
        return cls(lrbl=lrbl)


class Draw(NamedTuple):
    """One draw of random Fourier features: omega, (r, 1, 1), alike for all features; phi, (r, 1, d)."""

    omega: Tensor
    phi: Tensor


def draw(num_f: int, dim: int, generator: torch.Generator) -> Draw:
    """Draw ``num_f`` pairs of a frequency from N(0, 1) and a phase per feature, ``dim`` in all, from U(0, 2 pi)."""
    omega = torch.randn(num_f, 1, 1, generator=generator)
    return Draw(omega, 2 * math.pi * torch.rand(num_f, 1, dim, generator=generator))


def fourier(features: Tensor, drawn: Draw, rff: str = "code") -> Tensor:
    """Return the random Fourier features of each feature, (n, d) -> (r, n, d); ``rff`` as in ``Reweighting``."""
    angles = features * drawn.omega.to(features.device) + drawn.phi.to(features.device)  # (r, n, d)
    if rff == "paper":
        return math.sqrt(2) * angles.cos()
    angles = angles - angles.amin(dim=-1, keepdim=True)
    widest = angles.amax(dim=-1, keepdim=True)
    angles = angles / widest.masked_fill(widest == 0, 1) * (math.pi / 2)  # all alike, as a single one is: they stay 0
    return math.sqrt(2 / len(angles)) * (angles.cos() + angles.sin())


def covariance(values: Tensor, weights: Tensor) -> Tensor:
    """Return the covariance of columns under weights that sum to 1, (..., n, d) and (n,) -> (..., d, d).

    >>> covariance(torch.tensor([[0.0], [4.0]]), torch.tensor([0.75, 0.25]))
    tensor([[3.]])
    """
    mean = (values * weights[:, None]).sum(dim=-2)  # (..., d)
    second = (values * weights[:, None]).transpose(-1, -2) @ values  # (..., d, d)
    return second - mean[..., :, None] * mean[..., None, :]


def dependence(mapped: Tensor, weights: Tensor, *, cross: bool = False) -> Tensor:
    """Return the sum of the squared covariances of different features under these weights: a scalar, 0 or above.

    Each pair of features counts twice, as in the code; equation 8 counts it once.

    Args:
        mapped: Fourier features, (r, n, d).
        weights: They sum to 1, (n,).
        cross: Across the draws of Fourier features, too.
    """
    if not cross:
        squares = covariance(mapped, weights).square()  # (r, d, d)
        return squares.sum() - squares.diagonal(dim1=-2, dim2=-1).sum()
    r, n, d = mapped.shape
    squares = covariance(mapped.transpose(0, 1).reshape(n, r * d), weights).square().view(r, d, r, d)
    return squares.sum() - squares.diagonal(dim1=1, dim2=3).sum()


def effective_size(weights: Tensor) -> float:
    """Return the effective sample size, 1 / sum w^2 for weights that sum to 1, from 1 to n.

    >>> effective_size(torch.tensor([0.5, 0.5, 0.0]))
    2.0
    """
    return float(1 / weights.double().square().sum())


class WeightLearner:
    """A learner of the weights of each batch, with a table of earlier features and logits.

    Its draws come from its own generator, and no gradient leaves it: a training with it draws the same dropout as one
    without it.
    """

    def __init__(self, settings: Reweighting) -> None:
        """Set up a learner without a table of earlier features."""
        self.settings = settings
        self._generator = torch.Generator().manual_seed(settings.seed)
        self._features = torch.empty(0, 0)  # (M, d) from the first batch on
        self._logits = torch.empty(0)  # (M,)
        self._seen = torch.empty(0, dtype=torch.int64)  # (M,): how many batches have filled a row

    def __call__(self, features: Tensor, epoch: int = 0) -> Tensor:
        """Return the weights of the samples of a batch, above 0 with sum 1, without a gradient, and remember the batch.

        A weight can be 0 only where its logit has run away so far that single precision ends.

        Rows of the table that no batch has filled yet take no part; the code has zeros there.

        Args:
            features: One vector per sample, (n, d); n may change from batch to batch.
            epoch: Counted from 0.

        Returns:
            (n,).

        Raises:
            ValueError: If the vectors have another size than before.
        """
        fixed = features.detach().float()
        self._begin(fixed)
        with torch.enable_grad(), torch.autocast(fixed.device.type, enabled=False):  # covariances need every digit
            logits = self._learn(fixed, epoch)
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
        """Make the table for the first batch, and bring it to where the features are."""
        rows, dim = self.settings.rows, features.shape[1]
        if not len(self._seen):
            self._features, self._logits = torch.zeros(rows, dim), torch.ones(rows)
            self._seen = torch.zeros(rows, dtype=torch.int64)
        if self._features.shape[1] != dim:
            raise ValueError(
                f"features of {dim} numbers came after ones of {self._features.shape[1]}; use one learner per network"
            )
        device = features.device
        self._features, self._logits = self._features.to(device), self._logits.to(device)
        self._seen = self._seen.to(device)

    def _learn(self, features: Tensor, epoch: int) -> Tensor:
        """Return the logits of these samples after all steps, (n,)."""
        s = self.settings
        filled = self._seen > 0
        both = torch.cat([features, self._features[filled]])  # (n + m, d)
        both = _standardized(both) if s.standardise else both
        table = self._logits[filled]  # (m,)
        logits = torch.ones(len(features), device=features.device, requires_grad=True)
        optimizer = torch.optim.SGD([logits], lr=s.lrbl, momentum=0.9)
        scale = s.lambda_p * max(s.lambda_decay ** (epoch // 5), 0.01)
        for step in range(s.epochb):
            optimizer.param_groups[0]["lr"] = s.lrbl * 0.1 ** (step // (s.epochb * 0.5))
            mapped = fourier(both, draw(s.num_f, both.shape[1], self._generator), s.rff)
            shared = torch.cat([logits, table]).softmax(dim=0)  # (n + m,)
            penalty = logits.softmax(dim=0).pow(s.decay_pow).sum()
            loss = dependence(mapped, shared, cross=s.cross_rff) / scale + penalty
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


class Effect(NamedTuple):
    """What the learner does to a batch.

    Attributes:
        lowest: The smallest weight times the number of samples: 1 is an equal share.
        highest: The largest weight times the number of samples.
        spread: The standard deviation of the weights times the number of samples.
        effective: The effective sample size, from 1 to the number of samples.
        before: The dependence of the features under equal weights, on Fourier features that the learner did not see.
        after: The same under the learned weights.
    """

    lowest: float
    highest: float
    spread: float
    effective: float
    before: float
    after: float


def effect(features: Tensor, settings: Reweighting, batches: int = 1, seed: int = 0) -> Effect:
    """Return the effect of a new learner on these features, (n, d), at the last of ``batches`` calls.

    The dependence is measured on 50 Fourier features of each feature, drawn by ``seed`` and the same before and after.
    """
    learner = WeightLearner(replace(settings, rows=len(features)))
    for _ in range(batches):
        weights = learner(features)
    seen = _standardized(features) if settings.standardise else features
    mapped = fourier(seen, draw(50, features.shape[1], torch.Generator().manual_seed(seed)), settings.rff)
    equal, share = torch.full_like(weights, 1 / len(weights)), weights * len(weights)
    return Effect(
        lowest=float(share.min()),
        highest=float(share.max()),
        spread=float(share.std(correction=0)),
        effective=effective_size(weights),
        before=float(dependence(mapped, equal)),
        after=float(dependence(mapped, weights)),
    )


def _standardized(features: Tensor) -> Tensor:
    """Return columns of mean 0 and variance 1; a constant one is 0."""
    spread = features.std(dim=0, correction=0, keepdim=True)
    return (features - features.mean(dim=0, keepdim=True)) / spread.masked_fill(spread == 0, 1)
