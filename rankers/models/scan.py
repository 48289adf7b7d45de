"""SCAN: an encoder that reads question and answer together, trained against spurious correlations, plain afterwards.

Spurious Correlation reduction for ANswer selection. What it is trained by is in ``rankers.models.scan_objective``;
without it the same network is plain fine-tuning, and after a first training on other data TANDA (Garg et al. 2020).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from answersim.errors import unknown
from rankers.inputs.batch import Batch
from rankers.inputs.embedding import Embedding
from rankers.inputs.words import MINILM
from rankers.modules.cross_encoder import POOLERS, PairEncoder
from rankers.modules.debiasing import Debiasing

ROBERTA = "FacebookAI/roberta-base"


@dataclass(frozen=True)
class Config:
    """The settings of the network.

    Attributes:
        checkpoint: The encoder; the ids of batches are of its word pieces.
        max_length: Tokens of a pair that are read, special ones included.
        dropout: Share of the pooled vector's numbers that training drops before the classifier; inside the encoder the
            shares of the checkpoint apply.
        pooler: How a pair becomes a vector: "checkpoint" (its own layer, or a new one), "new" or "cls"; equation 1 of
            the paper has the last, its code the first.
        debias: Whether there is a branch for language bias, which only training reads.
        detector_dim: Shares of bias that the branch finds: 1 per vector, as the authors' code, or as many as the
            encoder has features, the vector of equation 12; 0 stands for the number of its features.
        frozen: How many of the lowest layers, with the table of words, are not trained.
    """

    checkpoint: str = MINILM
    max_length: int = 128
    dropout: float = 0.1
    pooler: str = "checkpoint"
    debias: bool = True
    detector_dim: int = 1
    frozen: int = 0

    def __post_init__(self) -> None:
        """Check that the network can be built from the settings.

        Raises:
            LookupError: If no pooler has this name.
            ValueError: If a number is out of its range; the message gives the name, the value and the rule.
        """
        if self.pooler not in POOLERS:
            raise unknown("pooler", self.pooler, POOLERS)
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout is {self.dropout}, but it is a share: at least 0, below 1")
        for name, least in (("max_length", 5), ("detector_dim", 0), ("frozen", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}, but at least {least} is needed")

    @classmethod
    def paper(cls) -> Config:
        """Return RoBERTa. The published trainings start from one that was trained on ASNQ first."""
        return cls(checkpoint=ROBERTA)

    @classmethod
    def cpu(cls) -> Config:
        """Return a size for minutes of training on one core: MiniLM, half of its layers frozen, shorter pairs.

        The pair's vector is that of equation 1: MiniLM's own pooling layer was never used by what it was trained for,
        and behind its tanh weights of samples hardly move at a rate below 100.
        """
        return cls(max_length=96, pooler="cls", frozen=3)


class Network(nn.Module):
    """An encoder of pairs and a classifier into wrong and right; beside them a branch that only training reads.

    Scores have no bounds: the difference of two logits, so their sigmoid is the probability of right.
    """

    def __init__(self, config: Config, embedding: Embedding) -> None:
        """Build a network on the weights of its checkpoint; the classifier and the branch are new.

        Args:
            config: The settings.
            embedding: Of the words of batches. The encoder has a table of its own, and only whether both have as many
                words is looked at.

        Raises:
            CheckpointNotFoundError: If the checkpoint is not found.
            ValueError: If the words of batches are not the checkpoint's, or a setting does not fit it; names both.
        """
        super().__init__()
        self.config = config
        self.encoder = PairEncoder(
            config.checkpoint, max_length=config.max_length, pooler=config.pooler, frozen=config.frozen
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
        """Return one score per pair, (pairs,): the logit of right less that of wrong (equation 10)."""
        logits = self.logits(self.pooled(batch))
        return logits[:, 1] - logits[:, 0]

    def pooled(self, batch: Batch) -> Tensor:
        """Return the vector of each pair, H, (pairs, d)."""
        return self.encoder(batch)

    def logits(self, pooled: Tensor) -> Tensor:
        """Return the logits of wrong and right, (pairs, d) -> (pairs, 2)."""
        return self.head(self.dropout(pooled))


def plain(network: Network, embedding: Embedding) -> Network:
    """Return the same network without its branch, for ranking: equal scores, fewer parameters (section 3.5)."""
    stripped = Network(replace(network.config, debias=False), embedding)
    adopt(stripped, network)
    return stripped.train(network.training)


def adopt(network: Network, start: nn.Module) -> None:
    """Give the network the weights of another one, but for its branch: the step from transfer to adaptation (TANDA).

    Args:
        network: Is changed; its branch stays as it was.
        start: A trained network of the same encoder, with or without a branch.

    Raises:
        ValueError: If ``start`` lacks a parameter of the network, or has it in another shape; the message names it.
    """
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
