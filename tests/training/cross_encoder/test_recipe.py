"""The recipe of a cross-encoder: the ranges of its settings."""

import re

import pytest

from answersim.training.cross_encoder.recipe import HELP, PRESETS, CrossEncoderRecipe
from tests.cases import every


@every(
    ("setting", "complaint"),
    [
        ({"learning_rate": 0.0}, "learning_rate is 0, but nothing would be trained"),
        ({"head_learning_rate": float("nan")}, "head_learning_rate is nan"),
        ({"questions": 1.5}, "questions is 1.5, but it must be a share"),
        ({"reverse": 1.5}, "reverse is 1.5, but it must be a share"),
    ],
)
def test_a_setting_out_of_its_range_is_an_error(setting, complaint):
    with pytest.raises(ValueError, match=re.escape(complaint)):
        CrossEncoderRecipe(**setting)


def test_every_setting_has_a_help_text():
    assert set(HELP) == set(vars(PRESETS["cpu"]))


def test_every_preset_reads_questions_if_there_are_any():
    assert {recipe.questions for recipe in PRESETS.values()} == {0.5}
