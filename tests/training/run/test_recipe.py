"""The settings that all trainings share, and their ranges."""

from __future__ import annotations

import math

import pytest

from answersim.training.run.recipe import BaseRecipe
from tests.cases import every


@every(
    ("setting", "message"),
    [
        ({"epochs": 0}, "epochs is 0, but it must be a number from 1"),
        ({"max_length": 7}, "max_length is 7, but it must be a number from 8"),
        ({"lora_r": 4097}, "lora_r is 4097, but it must be a number from 1 to 4096"),
        ({"learning_rate": 1.5}, "learning_rate is 1.5, but it must be a number from 0 to 1"),
        ({"learning_rate": math.inf}, "learning_rate is inf"),
        ({"dropout": 1.0}, "dropout is 1.0, but a share must be below 1"),
        ({"lora_dropout": -0.1}, "lora_dropout is -0.1"),
        ({"batch_size": 0}, "batch_size is 0, but it must be a number from 1"),
        ({"learning_rate": math.nan}, "learning_rate is nan"),
        ({"learning_rate": -1.0}, "learning_rate is -1.0, but it must be a number from 0"),
        ({"warmup_ratio": 1.0}, "warmup_ratio is 1.0, but a share must be below 1"),
        ({"weight_decay": -math.inf}, "weight_decay is -inf"),
        ({"lora_alpha": math.inf}, "lora_alpha is inf"),
        ({"checkpoint_every": 0}, "checkpoint_every is 0"),
        ({"evaluate_every": -1}, "evaluate_every is -1"),
        ({"limit": -1}, "limit is -1"),
        ({"seed": -1}, "seed is -1, but it must be a number from 0"),
    ],
)
def test_a_setting_out_of_its_range_is_an_error_with_the_range(setting: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BaseRecipe(**setting)


def test_an_unknown_precision_is_an_error_with_the_nearest() -> None:
    with pytest.raises(LookupError, match="no precision is called 'fp8'"):
        BaseRecipe(precision="fp8")


def test_ends_of_the_ranges_are_allowed() -> None:
    BaseRecipe(epochs=1, max_length=8, lora_r=4096, dropout=0.0, seed=2**32 - 1)


def test_a_setting_with_which_nothing_is_trained_is_an_error() -> None:
    recipe = BaseRecipe(learning_rate=0.0)
    with pytest.raises(ValueError, match="learning_rate is 0, but nothing would be trained"):
        recipe.check_positive(["epochs", "learning_rate"])
    recipe.check_positive(["epochs"])
