"""Cosine of the vectors plus MaxSim of the token states, trained: the network of the shipped reranker.

Without training it is ``rankers.models.minilm.MiniLmHybrid`` up to half precision and the scale. Training adds low-rank
matrices to the last layers of the encoder, which ``rankers.models.reranker`` merges into the weights afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from rankers.modules.composition import States
from rankers.modules.frozen_encoder import FrozenEncoder
from rankers.modules.pooling import max_sim
from rankers.modules.scoring import Batch, Embedding
from rankers.modules.words import MINILM, InputConfig
from rankers.settings import Presets, check_above_zero, check_least
from rankers.training.definitions import TrainingConfig
from rankers.training.trainer import Recipe


@dataclass(frozen=True)
class Config(Presets):
    """The settings of the network."""

    # all layers of MiniLM with adapters; there is no paper
    PAPER: ClassVar[dict[str, Any]] = {"unfrozen_layers": 6}
    # CPU: the settings of the shipped reranker

    checkpoint: str = MINILM  # the encoder, a bi-encoder that pools by mean
    unfrozen_layers: int = 2  # how many of its last layers are adapted, at least 1
    lora_r: int = 32  # the rank of the matrices that are added to the linear layers of these layers, at least 1
    late: float = 1.0  # the weight of MaxSim, at least 0
    # what the sum is multiplied by, so that the softmax of a listwise loss is sharp enough; above 0
    scale: float = 20.0
    question_length: int = 48  # the most words of a question, to be checked before any work
    answer_length: int = 128  # the most words of an answer

    def __post_init__(self) -> None:
        """Check that the network can be built from the settings."""
        check_least(self, 1, "unfrozen_layers", "lora_r", "question_length", "answer_length")
        check_least(self, 0, "late")
        check_above_zero(self, "scale")


class Network(nn.Module):
    """Scale times cosine of the mean states plus the mean over a question's words of the best cosine in the answer."""

    def __init__(self, config: Config, embedding: Embedding) -> None:
        """Build a new network. Only the compatibility of the embedding is checked, and its vectors are not used."""
        super().__init__()
        self.config = config
        self.encoder = FrozenEncoder(
            config.checkpoint,
            unfrozen_layers=config.unfrozen_layers,
            lora_r=config.lora_r,
            keep_special=True,
            longest=max(config.question_length, config.answer_length),
        )
        self.encoder.fits(embedding)

    def forward(self, batch: Batch) -> Tensor:
        """Return the score of each pair, (pairs,)."""
        sides = []
        for texts, of in ((batch.questions, batch.question_of), (batch.answers, batch.answer_of)):
            states = self.encoder(texts)  # (n, length + 2, d), special tokens included
            present = states.mask[..., None]
            means = states.vectors.masked_fill(~present, 0).sum(dim=1) / present.sum(dim=1)  # (n, d)
            sides.append((means[of], States(states.vectors[:, 1:-1], texts.mask).of(of)))
        (question, asked), (answer, found) = sides
        late = max_sim(*asked, *found) / asked.mask.sum(dim=1)  # (pairs,)
        return self.config.scale * (cosine_similarity(question, answer, dim=-1) + self.config.late * late)


def configured(preset: str) -> TrainingConfig:
    """Return the settings of a training of ``hybrid`` under a preset."""
    settings = Config.preset(preset)
    recipe = Recipe(
        epochs=3,
        batch_size=16,
        loss="listwise",
        negatives=9,
        optimizer="adamw",
        learning_rate=3e-4,
        schedule="linear",
        warmup_ratio=0.1,
        clip=1.0,
        question_length=settings.question_length,
        answer_length=settings.answer_length,
        dev_measure="MRR",
        keep="last",
    )
    if preset == "smoke":
        recipe = replace(recipe, epochs=2, batch_size=8, negatives=3, limit=24, dev_limit=24)
    return TrainingConfig(settings, InputConfig(checkpoint=settings.checkpoint), recipe)
