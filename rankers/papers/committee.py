"""The systems of the committee paper: three networks, alone and against a generator, and their committees."""

from __future__ import annotations

from dataclasses import replace

from rankers.models import neural_ranker
from rankers.modules.words import InputConfig
from rankers.papers import Row
from rankers.training.adversarial import Adversary
from rankers.training.definitions import TrainingConfig
from rankers.training.trainer import Recipe

# Equations 3 and 4 have one K for both networks, which is 5 in the systems -k5: five negatives per positive for the
# discriminator, and a generator that moves (all positives, a baseline, a higher rate). All three phases choose the
# epoch by dev, as the plain network does, so that they differ in the source of the negatives only.
K = 5


def configured(row: Row, preset: str) -> TrainingConfig:
    """Return the settings of one of the three networks, alone or in a phase that starts from it."""
    is_cosine = row.kind == "man"
    margin = 0.2 if is_cosine else 1.0
    recipe = Recipe(
        epochs={"smoke": 2, "cpu": 12, "paper": 30}[preset],
        batch_size={"smoke": 8, "cpu": 32, "paper": 32}[preset],
        margin=margin,
        learning_rate=1e-3,
        weight_decay=1e-5,
        patience=0 if preset == "smoke" else 4,
        question_length=20,
        answer_length=150 if preset == "paper" else 50,
        dev_measure="MRR",
        limit=24 if preset == "smoke" else 0,
        dev_limit=24 if preset == "smoke" else 0,
    )
    config = TrainingConfig(neural_ranker.config(row.kind).preset(preset), InputConfig(), recipe)
    if not row.start:
        return config
    epochs = {"smoke": 3, "cpu": 9, "paper": 12}[preset]
    rate = recipe.learning_rate * (0.3 if preset != "paper" else 0.5)
    further = replace(recipe, epochs=epochs, patience=0, keep="last", learning_rate=rate)
    pool = {"smoke": 4, "cpu": 16, "paper": 100}[preset]
    adversary = Adversary(
        pool=pool,
        samples=3 if preset == "smoke" else 5,
        temperature=0.05 if is_cosine else 1.0,
        margin=margin,
        learning_rate=rate / 10,
        pairs=0 if preset == "paper" else 256,
    )
    if row.training.endswith("-k5"):
        further = replace(further, negatives=2 if preset == "smoke" else K, keep="best")
        adversary = replace(adversary, samples=further.negatives, baseline="mean", learning_rate=rate, pairs=0)
    return replace(
        config,
        recipe=further,
        pool=pool,
        adversary=adversary if row.negatives == "adversarial" else None,
        every=3,
        calibration="none" if is_cosine else "question",
    )
