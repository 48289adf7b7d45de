"""The systems of the ADDAX paper: ADDAX, its variants (Table 3), its sweeps (Figure 4), and late interaction.

``late-interaction-wide`` is the control of the size of ADDAX: it has 4.06 million trained weights, as ADDAX has under
the preset "cpu". Both start at about MaxSim over the encoder, with equal dropout.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rankers.models import addax, late_interaction
from rankers.models.addax import Constraints
from rankers.modules.words import InputConfig
from rankers.papers import Row
from rankers.training.definitions import TrainingConfig
from rankers.training.overrides import apply
from rankers.training.trainer import Recipe

# The published settings that differ by corpus: epochs, batch, learning rate; the lengths are ours. MS MARCO has 200,000
# steps of 64 in the paper, which are 24 epochs of its 532,761 positives.
OF_CORPUS: dict[str, dict[str, Any]] = {
    "wikiqa": {"epochs": 18, "batch_size": 32, "learning_rate": 1e-5, "question_length": 32, "answer_length": 128},
    "insuranceqa": {"epochs": 60, "batch_size": 32, "learning_rate": 5e-6, "question_length": 32, "answer_length": 200},
    "yahooqa": {"epochs": 9, "batch_size": 64, "learning_rate": 9e-6, "question_length": 50, "answer_length": 50},
    "msmarco": {"epochs": 24, "batch_size": 64, "learning_rate": 5e-6, "question_length": 32, "answer_length": 128},
}


def configured(row: Row, preset: str) -> TrainingConfig:
    """Return the settings of ADDAX, of a variant or of late interaction."""
    is_late = row.kind == "late-interaction"
    network: Any = late_interaction.Config if is_late else addax.Config
    settings = network.preset(preset)
    inputs, objective = InputConfig(checkpoint=settings.checkpoint), None if is_late else Constraints()
    config = apply(TrainingConfig(settings, inputs, _recipe(preset), objective=objective), row.overrides)
    if preset != "paper" and row.training == "addax-att-mags":  # or there would be nothing to train
        return replace(config, network=replace(config.network, unfrozen_layers=1))
    return config


def of_corpus(row: Row, config: TrainingConfig, corpus: str) -> TrainingConfig:
    """Return the published settings for this corpus, under the preset "paper"; those of WikiQA for any other corpus."""
    if config.recipe != _recipe("paper") or corpus not in OF_CORPUS:
        return config
    return replace(config, recipe=replace(config.recipe, **OF_CORPUS[corpus]))


def _recipe(preset: str) -> Recipe:
    """Return the published settings for WikiQA (lengths are not published), or those for minutes on one core."""
    if preset == "paper":
        return Recipe(epochs=18, learning_rate=1e-5, question_length=32, answer_length=128)
    cpu = Recipe(epochs=10, learning_rate=1e-4, question_length=20, answer_length=50, patience=4)
    if preset == "cpu":
        return cpu
    return replace(cpu, epochs=2, batch_size=8, learning_rate=3e-4, patience=0, limit=24, dev_limit=24)
