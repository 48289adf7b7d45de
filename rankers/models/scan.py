"""SCAN: an encoder that reads question and answer together, trained against spurious correlations, and its objective.

Spurious Correlation reduction for ANswer selection. The objective is a cross entropy of weighted samples, that of a
branch, and a contrast of the two. Without it, training the same network is plain fine-tuning, and after a first
training on other data it is TANDA (Garg et al. 2020).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from answersim._base.errors import unknown
from rankers.modules.cross_encoder import POOLERS, PairEncoder
from rankers.modules.decorrelation import Debiased, Debiasing, Reweighting, WeightLearner, contrast, effective_size
from rankers.modules.scoring import Batch, Embedding
from rankers.modules.words import MINILM
from rankers.settings import Presets, check_below_one, check_choices, check_least
from rankers.training.objective import Epoch, StatefulObjective, Step
from rankers.training.trainer import Recipe, part_of

ROBERTA = "FacebookAI/roberta-base"


@dataclass(frozen=True)
class Config(Presets):
    """The settings of the network."""

    # RoBERTa. The published trainings start from one that was trained on ASNQ first.
    PAPER: ClassVar[dict[str, Any]] = {"checkpoint": ROBERTA}
    # MiniLM, half of its layers frozen, shorter pairs. The vector of a pair is that of equation 1. The pooling layer
    # of MiniLM was not used in its own training, and after its tanh the weights of samples hardly change at a rate
    # below 100.
    CPU: ClassVar[dict[str, Any]] = {"max_length": 96, "pooler": "cls", "frozen": 3}

    checkpoint: str = MINILM  # the encoder. The ids of batches are those of its word pieces.
    max_length: int = 128  # the maximum number of tokens of a pair, including special tokens
    # the dropout rate of the pooled vector before the classifier. Inside the encoder, the rates of the checkpoint
    # apply.
    dropout: float = 0.1
    # the pooling of a pair to a vector: "checkpoint" (its own layer, or a new one), "new" or "cls". Equation 1 of the
    # paper uses "cls", its code "checkpoint".
    pooler: str = "checkpoint"
    debias: bool = True  # whether there is a branch for language bias, which only training reads
    # the number of shares of bias that the branch finds: 1 per vector, as in the code of the authors, or the number of
    # features of the encoder, as in equation 12; 0 means the number of its features
    detector_dim: int = 1
    frozen: int = 0  # the number of lowest layers that are not trained, together with the table of words

    def __post_init__(self) -> None:
        """Check that the network can be built from the settings."""
        check_choices(self, pooler=POOLERS)
        check_below_one(self, "dropout")
        check_least(self, 5, "max_length")
        check_least(self, 0, "detector_dim", "frozen")


class Network(nn.Module):
    """An encoder of pairs and a classifier into wrong and right, with a branch that is only used in training.

    Scores have no bounds: the difference of two logits, so their sigmoid is the probability of right.
    """

    def __init__(self, config: Config, embedding: Embedding) -> None:
        """Build a network on the weights of its checkpoint. The classifier and the branch are new.

        The encoder has its own table of words. That of the embedding only must have the same size.
        """
        super().__init__()
        self.config = config
        self.encoder = PairEncoder(
            config.checkpoint,
            max_length=config.max_length,
            pooler=config.pooler,
            frozen=config.frozen,
        )
        if len(embedding.table) != self.encoder.words:
            raise ValueError(
                f"batches are of {len(embedding.table)} words, but {config.checkpoint} reads {self.encoder.words}: "
                "give the same checkpoint to the network and to its words (inputs.checkpoint)"
            )
        self.dropout = nn.Dropout(config.dropout)
        self.head = nn.Linear(self.encoder.dim, 2)
        detector_dim = config.detector_dim or self.encoder.dim
        self.debias = Debiasing(self.encoder.dim, detector_dim) if config.debias else None

    def forward(self, batch: Batch) -> Tensor:
        """Return one score per pair, (pairs,): the logit of right minus that of wrong (equation 10)."""
        logits = self.logits(self.pooled(batch))
        return logits[:, 1] - logits[:, 0]

    def pooled(self, batch: Batch) -> Tensor:
        """Return the vector of each pair, H, (pairs, d)."""
        return self.encoder(batch)

    def logits(self, pooled: Tensor) -> Tensor:
        """Return the logits of wrong and right, (pairs, d) -> (pairs, 2)."""
        return self.head(self.dropout(pooled))


def plain(network: Network, embedding: Embedding) -> Network:
    """Return the same network without its branch, for ranking, with equal scores and fewer parameters (section 3.5)."""
    stripped = Network(replace(network.config, debias=False), embedding)
    adopt(stripped, network)
    return stripped.train(network.training)


def adopt(network: Network, start: nn.Module) -> None:
    """Copy the weights of a network of the same encoder, except for the branch: the step from transfer to TANDA."""
    theirs = start.state_dict()
    ours = {name: tensor for name, tensor in network.state_dict().items() if not name.startswith("debias.")}
    for name, tensor in ours.items():
        if name not in theirs or theirs[name].shape != tensor.shape:
            other = f"of {list(theirs[name].shape)}" if name in theirs else "not there"
            raise ValueError(
                f"{name} is of {list(tensor.shape)}, but {other} in the network to start from: give one with the same "
                "checkpoint and pooler"
            )
    with torch.no_grad():
        for name, tensor in ours.items():
            tensor.copy_(theirs[name])  # of the network itself: a state dict shares its memory


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


class ScanObjective(StatefulObjective):
    """L = L_SW + L_CE + L_CL (equation 19), of SCAN and of its ablations without either part.

    Without its ``end_epoch`` there are no statistics. If autocast of torch is on, losses are still in single precision.
    Without both parts it is the mean cross entropy of plain fine-tuning.
    """

    row = ScanStatistics

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
        parts = [loss]
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
        learner = {f"learner/{name}": tensor for name, tensor in self.learner.state().items()}
        return {**super().state(), **learner, "epoch": torch.tensor(self._epoch)}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Restore the object to the one that returned this state."""
        self.learner.restore(part_of(state, "learner"))
        super().restore(state)
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
