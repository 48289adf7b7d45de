"""Late interaction over the token states of a pre-trained encoder, with or without training: the baseline of ADDAX.

Without training it is ``rankers.models.minilm.MiniLmMaxSim`` in half precision. With training and a projection it is
ColBERT (Khattab & Zaharia 2020) without its special tokens, its question padding and its filter of punctuation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor, nn

from rankers.modules.composition import States
from rankers.modules.frozen_encoder import FrozenEncoder
from rankers.modules.pooling import max_sim
from rankers.modules.scoring import Batch, Embedding
from rankers.modules.words import MINILM
from rankers.settings import Presets, check_below_one, check_least


@dataclass(frozen=True)
class Config(Presets):
    """The settings of the network."""

    # BERT base, all layers trained, no projection: the ADDAX paper states no more than "BERT base"
    PAPER: ClassVar[dict[str, Any]] = {
        "checkpoint": "bert-base-uncased",
        "unfrozen_layers": 12,
        "project": 0,
        "dropout": 0.1,
    }
    # frozen MiniLM, and a projection that loses no dimension
    CPU: ClassVar[dict[str, Any]] = {"project": 384, "question_length": 20, "answer_length": 50}

    checkpoint: str = MINILM  # the encoder, shared by questions and answers
    unfrozen_layers: int = 0  # the number of its last layers that are trained
    # the dimension of a trained projection of the states; 0 for none. It is initially orthogonal, so that cosines are
    # close to those of the states.
    project: int = 128
    # the width of a trained residual layer on each side, h + W2 relu(W1 h + b1) + b2; 0 for none. Question and answer
    # have one each. W2 and b2 are initially 0, so that the network starts as it would without the layer. This is the
    # control of the size of ADDAX: it has as many weights, and no text reads the other.
    residual: int = 0
    dropout: float = 0.0  # the dropout rate of the output of the encoder
    question_length: int = 32  # the maximum number of words of a question, to be checked before any work
    answer_length: int = 128  # the maximum number of words of an answer

    def __post_init__(self) -> None:
        """Check that the network can be built from the settings."""
        check_least(self, 0, "unfrozen_layers", "project", "residual")
        check_least(self, 1, "question_length", "answer_length")
        check_below_one(self, "dropout")


class Network(nn.Module):
    """The sum over the words of a question of the best cosine with a word of the answer. A text is encoded once."""

    def __init__(self, config: Config, embedding: Embedding) -> None:
        """Build a new network. Only the compatibility of the embedding is checked, and its vectors are not used."""
        super().__init__()
        self.config = config
        longest = max(config.question_length, config.answer_length)
        self.encoder = FrozenEncoder(config.checkpoint, unfrozen_layers=config.unfrozen_layers, longest=longest)
        self.encoder.fits(embedding)
        self.dropout = nn.Dropout(config.dropout)
        self.question_layer, self.answer_layer = (_residual(self.encoder.dim, config.residual) for _ in range(2))
        self.projection = nn.Linear(self.encoder.dim, config.project, bias=False) if config.project else nn.Identity()
        for weight in self.projection.parameters():
            nn.init.orthogonal_(weight)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each pair, (pairs,)."""
        questions, answers = (
            States(self.projection(self._read(layer, self.dropout(read.vectors))), read.mask)
            for layer, read in (
                (self.question_layer, self.encoder(batch.questions)),
                (self.answer_layer, self.encoder(batch.answers)),
            )
        )
        return max_sim(*questions.of(batch.question_of), *answers.of(batch.answer_of))

    @staticmethod
    def _read(layer: nn.Sequential | None, vectors: Tensor) -> Tensor:
        """Return the states after the residual layer of their side, (texts, length, d)."""
        return vectors if layer is None else vectors + layer(vectors)


def _residual(dim: int, hidden: int) -> nn.Sequential | None:
    """Return a layer that adds nothing before it is trained, or None if there is to be none."""
    if not hidden:
        return None
    last = nn.Linear(hidden, dim)
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), last)
