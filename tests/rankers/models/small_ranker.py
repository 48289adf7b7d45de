"""A small ranker on a network of words, untrained."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rankers.models import neural_ranker
from rankers.models.match_pyramid import Config
from rankers.models.neural_ranker import NeuralRanker
from rankers.modules import words
from rankers.modules.scoring import Lengths
from rankers.modules.words import InputConfig

TEXTS = ["where is the apple kept?", "the apple is on the table", "a boat is under a bridge", "the drum"]
SMALL = Config(channels=(4,), grid=(2, 3))
RANDOM = InputConfig("random", size=6, at_least=1)


def ranker(inputs: InputConfig = RANDOM, *, seed: int = 0, **changes: Any) -> NeuralRanker:
    """Match Pyramid on these inputs."""
    built = words.build(inputs, TEXTS)
    settings = replace(SMALL, **changes)
    network = neural_ranker.build("match-pyramid", settings, built, seed)
    return NeuralRanker("match-pyramid", settings, built, Lengths(6, 8), network, {"corpus": "made-up"})
