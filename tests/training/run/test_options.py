"""The options that commands of training are made of."""

from __future__ import annotations

import pytest

from answersim.training.bi_encoder.recipe import BiEncoderRecipe
from answersim.training.run.options import listed, recipe_of
from tests.cases import every


@every(("text", "values"), [(None, ()), ("", ()), ("en", ("en",)), ("initials, inverted,", ("initials", "inverted"))])
def test_values_are_separated_by_commas(text: str | None, values: tuple[str, ...]) -> None:
    assert listed(text) == values


def test_settings_replace_those_of_a_preset() -> None:
    preset = BiEncoderRecipe(epochs=2, dropout=0.1)
    given = {"seed": 3, "option": ["epochs=5", "learning_rate=1e-4", "loss=cosent", "symmetric=true", "epochs=7"]}
    expected = BiEncoderRecipe(seed=3, epochs=7, dropout=0.1, learning_rate=1e-4, loss="cosent", symmetric=True)
    assert recipe_of(preset, given) == expected
    assert recipe_of(preset, {"seed": None, "option": None}) == preset


@every(
    ("text", "complaint"),
    [
        ("epochs", "--option 'epochs' is not a setting; write NAME=VALUE"),
        ("epoch=3", "no setting of the training is called 'epoch'; did you mean 'epochs'"),
        ("epochs=3.5", "--option 'epochs=3.5' is not a whole number"),
        ("dropout=much", "--option 'dropout=much' is not a number"),
        ("symmetric=1", "must be true or false"),
        ("seed=3", "no setting of the training is called 'seed'"),
    ],
)
def test_what_is_no_setting_is_an_error_with_the_remedy(text: str, complaint: str) -> None:
    with pytest.raises((ValueError, LookupError), match=complaint):
        recipe_of(BiEncoderRecipe(), {"seed": None, "option": [text]})
