"""A training of seconds on pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from answersim.training.cross_encoder.inputs import from_pairs
from answersim.training.cross_encoder.recipe import CrossEncoderRecipe
from answersim.training.cross_encoder.train import train
from answersim.training.data.pairs import TrainingPair

TINY = CrossEncoderRecipe(
    epochs=3,
    batch_size=4,
    lora_r=2,
    dropout=0.1,
    lora_dropout=0.1,
    settle=1,
    max_length=48,
    precision="fp32",
    checkpoint_every=2,
)


def trained(
    pairs: Sequence[TrainingPair], output: Path, base: Path, recipe: CrossEncoderRecipe = TINY, **settings: Any
) -> Path:
    """Return the folder of the adapter."""
    return train(recipe, lambda: from_pairs(pairs, {}), output, reads={}, base=str(base), **settings)
