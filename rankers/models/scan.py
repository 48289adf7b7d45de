"""SCAN: an encoder that reads question and answer together, trained against spurious correlations.

Spurious Correlation reduction for ANswer selection. Its objective is in ``rankers.models.scan_objective``. Without this
objective, training the same network is plain fine-tuning, and after a first training on other data it is TANDA (Garg et
al. 2020).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from rankers.modules.batch import Batch, Embedding
from rankers.modules.cross_encoder import POOLERS, PairEncoder
from rankers.modules.decorrelation import Debiasing
from rankers.modules.words import MINILM
from rankers.settings import check_below_one, check_choices, check_least

ROBERTA = "FacebookAI/roberta-base"


@dataclass(frozen=True)
class Config:
    """The settings of the network."""

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

    @classmethod
    def paper(cls) -> Config:
        """Return RoBERTa. The published trainings start from one that was trained on ASNQ first."""
        return cls(checkpoint=ROBERTA)

    @classmethod
    def cpu(cls) -> Config:
        """Return a size for minutes of training on one core: MiniLM, half of its layers frozen, shorter pairs.

        The vector of a pair is that of equation 1. The pooling layer of MiniLM was not used in its own training, and
        after its tanh the weights of samples hardly change at a rate below 100.
        """
        return cls(max_length=96, pooler="cls", frozen=3)


class Network(nn.Module):
    """An encoder of pairs and a classifier into wrong and right, with a branch that is only used in training.

    Scores have no bounds: the difference of two logits, so their sigmoid is the probability of right.
    """

    def __init__(self, config: Config, embedding: Embedding) -> None:
        """Build a network on the weights of its checkpoint. The classifier and the branch are new.

        Args:
            config: The settings.
            embedding: The embedding of the words of batches. The encoder has its own table, and only their sizes are
                compared.
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
    """Copy the weights of another network, except for the branch: the step from transfer to adaptation (TANDA).

    Args:
        network: The network that is changed, except for its branch.
        start: A trained network of the same encoder, with or without a branch.
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
