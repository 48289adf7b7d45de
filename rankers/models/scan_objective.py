"""The objective of SCAN: a cross entropy of weighted samples, that of its branch, and a contrast of the two."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from answersim._base.errors import unknown
from rankers.models.scan import Network
from rankers.modules.decorrelation import Debiased, Reweighting, WeightLearner, contrast, effective_size
from rankers.training.objective import Epoch, Step
from rankers.training.recipe import Recipe
from rankers.training.trainer import part_of

# Section 4.3: the temperature, "the learning rate for the decorrelation module" and alpha, by corpus.
PUBLISHED: Mapping[str, tuple[float, float, float]] = {
    "wikiqa": (1.0, 1e-4, 0.7),
    "selqa": (0.3, 1e-4, 0.9),
    "antique": (0.5, 1e-3, 0.9),
}
EQUAL = 0.99  # the share of the samples above which the effective sample size means that weights are equal


@dataclass(frozen=True)
class ScanConfig:
    """The settings of the objective."""

    fd: bool = True  # feature decorrelation: whether to weight the samples. If not, all weights are equal.
    ld: bool = True  # language debiasing: whether to train the branch and contrast with it
    tau: float = 1.0  # the temperature of the contrast
    reweighting: Reweighting = field(default_factory=Reweighting)  # the learner of weights

    def __post_init__(self) -> None:
        """Check the settings. Raise ValueError if ``tau`` is not a number above 0."""
        if not 0 < self.tau < math.inf:
            raise ValueError(f"tau is {self.tau}, but it must be a number above 0")

    def resolve(self, recipe: Recipe) -> ScanConfig:
        """Return the same settings with a table of as many rows as the batches of the recipe, and with its seed."""
        return replace(
            self, reweighting=replace(self.reweighting, rows=recipe.micro_batch or recipe.batch_size, seed=recipe.seed)
        )

    def build(self) -> ScanObjective:
        """Return a new objective."""
        return ScanObjective(self)

    @classmethod
    def published(cls, corpus: str = "wikiqa") -> ScanConfig:
        """Return the settings of the paper for "wikiqa", "selqa" or "antique". Raise LookupError for another corpus."""
        if corpus not in PUBLISHED:
            raise unknown("corpus with published settings", corpus, PUBLISHED)
        tau, lrbl, presave = PUBLISHED[corpus]
        return cls(tau=tau, reweighting=Reweighting(lrbl=lrbl, presave=presave))

    @classmethod
    def effective(cls, corpus: str = "wikiqa", lrbl: float = 1.0) -> ScanConfig:
        """Return those settings with a learning rate at which the weights change: .1, 1 or 10, to be chosen on dev."""
        published = cls.published(corpus)
        return cls(tau=published.tau, reweighting=Reweighting(lrbl=lrbl, presave=published.reweighting.presave))


class ScanStatistics(NamedTuple):
    """Statistics of the weights and the losses of an epoch."""

    epoch: int  # the number of the epoch, from 1
    # the effective sample size as a share of the samples, averaged over the steps; 1 means equal weights
    effective: float
    lowest_effective: float  # the lowest such share of a step
    largest: float  # the largest weight of all steps, times the number of samples of its step
    weighted: float  # the mean over the steps of the weighted cross entropy, L_SW
    branch: float  # the mean over the steps of the cross entropy of the branch, L_CE; 0 without it
    contrast: float  # the mean over the steps of the contrast, L_CL; 0 without it


class ScanObjective:
    """L = L_SW + L_CE + L_CL (equation 19), of SCAN and of its ablations without either part.

    It is a ``training.objective.StatefulObjective``: without its ``end_epoch`` there are no statistics. If autocast of
    torch is on, losses are still in single precision. Without both parts it is the mean cross entropy of plain
    fine-tuning.

    Attributes:
        statistics: One row per finished epoch.
    """

    def __init__(self, aims: ScanConfig) -> None:
        """Set up an objective before its first step."""
        self.aims = aims
        self.learner = WeightLearner(aims.reweighting)
        self.statistics: list[ScanStatistics] = []
        self._epoch = 0
        self._steps: list[tuple[float, ...]] = []

    def __call__(self, network: nn.Module, step: Step, /) -> Tensor:
        """Return the joint loss of a step, a scalar. Each pair is a sample: a row may have any number of candidates."""
        network = self._checked(network)
        kept = step.mask.flatten()  # (pairs,)
        if not kept.any():
            raise ValueError("a step without any pair has no loss; give at least one")
        labels = (step.relevance.flatten()[kept] > 0).long()  # (n,)
        pooled = network.pooled(step.batch)[kept].float()  # (n, d)
        logits = network.logits(pooled).float()  # (n, 2)
        if self.aims.fd:
            weights = self.learner(pooled, self._epoch)  # (n,)
            loss = (weights * cross_entropy(logits, labels, reduction="none")).sum()
        else:
            weights = torch.full_like(logits[:, 0], 1 / len(labels)).detach()
            loss = cross_entropy(logits, labels)
        parts = [step.mixed(loss, logits[:, 1] - logits[:, 0])]
        if self.aims.ld and network.debias is not None:
            debiased = Debiased(*(tensor.float() for tensor in network.debias(pooled)))
            parts += [cross_entropy(debiased.logits, labels), contrast(pooled, debiased, self.aims.tau)]
        self._note(weights, parts)
        return torch.stack(parts).sum() if len(parts) > 1 else parts[0]

    def end_epoch(self, epoch: Epoch, network: nn.Module) -> None:
        """Record the statistics of the epoch that ended. This is also called before the first epoch."""
        self._epoch = epoch.epoch  # the one that comes next, counted from 0
        if self._steps:
            columns = torch.tensor(self._steps, dtype=torch.float64)  # (steps, 5)
            effective, largest, *losses = columns.T
            means = (float(values.mean()) for values in losses)
            summary = (float(effective.mean()), float(effective.min()), float(largest.max()))
            self.statistics.append(ScanStatistics(epoch.epoch, *summary, *means))
        self._steps = []

    def summary(self) -> str:
        """Return how much the weights of the last epoch differed from equal weights; "" if there are none."""
        if not self.statistics or not self.aims.fd:
            return ""
        last = self.statistics[-1]
        sizes = f"effective sample size {last.effective:.2%} (lowest {last.lowest_effective:.2%})"
        equal = "; the weights stay equal: a higher objective.reweighting.lrbl moves them"
        return f"{sizes}, largest weight {last.largest:.3f}{equal if last.effective > EQUAL else ''}"

    def state(self) -> dict[str, Tensor]:
        """Return the state that a resumed training needs at the end of an epoch: tensors by name."""
        statistics = torch.tensor(self.statistics, dtype=torch.float64).view(-1, len(ScanStatistics._fields))
        learner = {f"learner/{name}": tensor for name, tensor in self.learner.state().items()}
        return learner | {"statistics": statistics, "epoch": torch.tensor(self._epoch)}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Restore the object to the one that returned this state."""
        self.learner.restore(part_of(state, "learner"))
        self.statistics = [ScanStatistics(int(epoch), *others) for epoch, *others in state["statistics"].tolist()]
        self._epoch, self._steps = int(state["epoch"]), []

    def _checked(self, network: nn.Module) -> Network:
        if not isinstance(network, Network):
            raise TypeError(f"{type(network).__name__} has no pairs to reweight; give a network of rankers.models.scan")
        if self.aims.ld and network.debias is None:
            raise ValueError(
                "ld is on, but the network has no debiasing branch: give it debias=True, or the objective ld=False"
            )
        return network

    def _note(self, weights: Tensor, parts: list[Tensor]) -> None:
        """Store five numbers of a step for the statistics."""
        losses = [float(loss.detach()) for loss in parts]
        size = len(weights)
        row = (effective_size(weights) / size, float(weights.max()) * size, *losses, *[0.0] * (3 - len(losses)))
        self._steps.append(row)
