"""Small systems and trainings."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankers.models.match_pyramid import Config
from rankers.modules.words import InputConfig
from rankers.systems.catalog import HISTORY
from rankers.training.adversarial import Adversary
from rankers.training.definitions import TrainingConfig
from rankers.training.trainer import Recipe
from rankers.types import Ranker

Fit = Callable[..., Ranker]


def plan(phase: str, preset: str) -> TrainingConfig:
    recipe = Recipe(epochs=2, batch_size=8, learning_rate=0.03, question_length=8, answer_length=12, dev_measure="MRR")
    built = TrainingConfig(
        Config(channels=(4,), grid=(2, 3)), InputConfig("random", size=16, at_least=1, project=8), recipe
    )
    if phase == "plain":
        return built
    adversary = Adversary(pool=6, samples=3, pairs=6, learning_rate=0.003) if phase == "adv" else None
    further = replace(recipe, epochs=4 if preset == "smoke" else 12, keep="last", learning_rate=0.01, batch_size=14)
    return replace(built, recipe=further, pool=6, adversary=adversary, every=3, calibration="question")


def history(folder: Path, training: str = "small-adv") -> dict[str, Any]:
    return json.loads((folder / training / HISTORY).read_text())
