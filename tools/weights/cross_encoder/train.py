"""Train the adapters behind the embedded ``sas`` and ``sas-answers``: cross-encoders for answers.

    python -m tools.weights.cross_encoder --preset sts --output runs/sts
    python -m tools.weights.cross_encoder --preset cpu --start runs/sts/adapter

The first training learns the similarity of sentences (STS-B). The second one continues from its adapter with a mixture
of answers, names, numbers and words (``mixture``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from answersim.metrics.checkpoints import search
from answersim.training.cross_encoder.train import PURPOSE, held_out_results
from answersim.training.cross_encoder.train import train as train_cross_encoder
from answersim.training.run import artifact
from answersim.training.run.artifact import BASE, MODULES, quiet_libraries
from tools.weights.cross_encoder import inputs
from tools.weights.cross_encoder.recipe import MixtureRecipe
from tools.weights.pairs import mixture


def train(
    recipe: MixtureRecipe,
    places: mixture.Places,
    output: Path,
    *,
    base: str = BASE,
    start: Path | None = None,
    resume: bool = True,
    test: bool = True,
) -> Path:
    """Train by a recipe, and return the folder of the finished adapter: see ``cross_encoder.train.train``."""
    return train_cross_encoder(
        recipe,
        lambda: inputs.load(places, recipe),
        output,
        reads={"data": places.data, "dictionary": places.dictionary},
        base=base,
        start=start,
        resume=resume,
        test=test,
    )


def results(
    folder: Path, recipe: MixtureRecipe, places: mixture.Places, *, base: str = BASE, test: bool
) -> dict[str, dict[str, Any]]:
    """Score the dev sets of a recipe, and with ``test`` its test sets, by the adapter in a folder.

    The result: by split and set: how many pairs, both coefficients, and their 95 % bootstrap intervals. Raise
    FileNotFoundError, ValueError, CheckpointNotFoundError or ChecksumError as ``train``.
    """
    artifact.need_libraries(PURPOSE, MODULES)
    splits = ("dev", "test") if test else ("dev",)
    held_out_sets = {split: inputs.held_out_sets(places, recipe, split) for split in splits}
    with quiet_libraries():
        return held_out_results(search.find(base), folder, held_out_sets, recipe.max_length)
