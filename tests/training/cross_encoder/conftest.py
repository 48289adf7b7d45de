"""A tiny base, pairs with random labels in three splits, and a training of seconds on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim.training.cross_encoder.recipe import CrossEncoderRecipe
from answersim.training.data.pairs import TrainingPair, write_pairs

TINY = CrossEncoderRecipe(
    epochs=2, batch_size=4, lora_r=2, dropout=0.1, lora_dropout=0.1, settle=1, max_length=48, precision="fp32",
    checkpoint_every=2,
)  # fmt: skip

WORDS = "a man dog cat runs sleeps red blue big".split()


@pytest.fixture(scope="session")
def tiny_base(tiny):
    return tiny("bert")


@pytest.fixture(scope="session")
def pairs():
    """Splits of 18, 8 and 8 pairs, all different."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(2, 6))) + f" {i}" for i in range(68)]
    splits = ["train"] * 18 + ["dev"] * 8 + ["test"] * 8
    return [
        TrainingPair(texts[i], texts[i + 34], round(float(rng.uniform()), 3), split) for i, split in enumerate(splits)
    ]


def trained(
    pairs: Sequence[TrainingPair], output: Path, base: Path, recipe: CrossEncoderRecipe = TINY, **settings: Any
) -> Path:
    """Return the folder of the adapter."""
    from answersim.training.cross_encoder.inputs import from_pairs
    from answersim.training.cross_encoder.train import train

    return train(recipe, lambda: from_pairs(pairs, {}), output, reads={}, base=str(base), **settings)


@pytest.fixture(scope="session")
def finished(tiny_base, pairs, tmp_path_factory):
    """The adapter of a finished training; a test that writes into its folder copies it."""
    return trained(pairs, tmp_path_factory.mktemp("finished"), tiny_base)


@pytest.fixture
def pairs_file(pairs, tmp_path):
    path = tmp_path / "pairs.csv"
    write_pairs(pairs, path)
    return path
