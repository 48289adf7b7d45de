"""The trained hybrid: cosine plus MaxSim of an encoder whose last layers are adapted; what the shipped reranker is."""

from __future__ import annotations

from dataclasses import replace

from rankers.training.definitions import System, Trained, Training, TrainingConfig

HYBRID = "hybrid"


def trainings() -> dict[str, Training]:
    """Return the training by its name."""
    return {HYBRID: Training(HYBRID, _config)}


def systems() -> dict[str, System]:
    """Return the system by its name."""
    return {HYBRID: Trained(HYBRID, "model", "cosine plus MaxSim over an encoder's token states, trained")}


def _config(preset: str) -> TrainingConfig:
    from rankers.models.hybrid import Config
    from rankers.modules.words import InputConfig
    from rankers.training.recipe import Recipe

    settings = Config.paper() if preset == "paper" else Config.cpu()
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
