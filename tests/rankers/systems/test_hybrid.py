"""The trainable hybrid: its presets, and that training changes the adapters of the last layers only."""

from __future__ import annotations

from rankers.systems import baselines, catalog
from tests.cases import every


@every(("preset", "layers"), [("smoke", 2), ("cpu", 2), ("paper", 6)])
def test_a_preset_names_the_layers_that_are_adapted(preset: str, layers: int) -> None:
    config = catalog.config(baselines.HYBRID, preset)
    assert config.network.unfrozen_layers == layers
    assert config.network.lora_r > 0
    assert config.inputs.checkpoint == config.network.checkpoint
    assert (config.recipe.loss, config.recipe.keep, config.recipe.dev_measure) == ("listwise", "last", "MRR")


def test_texts_are_checked_and_read_to_the_same_length() -> None:
    config = catalog.config(baselines.HYBRID, "cpu")
    lengths = (config.recipe.question_length, config.recipe.answer_length)
    assert lengths == (config.network.question_length, config.network.answer_length)


def test_the_smoke_preset_is_the_training_in_small() -> None:
    small, whole = (catalog.config(baselines.HYBRID, preset).recipe for preset in ("smoke", "cpu"))
    assert (small.loss, small.learning_rate, small.schedule) == (whole.loss, whole.learning_rate, whole.schedule)
    assert small.epochs < whole.epochs
    assert 0 < small.limit < 50
