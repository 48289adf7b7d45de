"""A small trained network of the system ``hybrid``, for the tests of the shipped reranker."""

from __future__ import annotations

from pathlib import Path

import torch

from rankers.models import neural_ranker
from rankers.models.hybrid import Config
from rankers.models.neural_ranker import NeuralRanker
from rankers.modules.scoring import Lengths
from rankers.modules.words import InputConfig, build


def trained_hybrid(encoder: Path, layers: int, rank: int) -> NeuralRanker:
    """Return a network over this encoder whose matrices are not zero."""
    settings = Config(
        checkpoint=str(encoder), unfrozen_layers=layers, lora_r=rank, question_length=40, answer_length=40
    )
    inputs = build(InputConfig(checkpoint=str(encoder)), [])
    network = neural_ranker.build("hybrid", settings, inputs, 0)
    torch.manual_seed(1)
    for name, parameter in network.named_parameters():
        if name.endswith(".b"):
            torch.nn.init.normal_(parameter, std=0.3)
    return NeuralRanker("hybrid", settings, inputs, Lengths(40, 40), network)
