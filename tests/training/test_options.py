"""The options that commands of training are made of."""

from __future__ import annotations

from answersim.training.bi_encoder.recipe import BiEncoderRecipe
from answersim.training.options import listed, recipe_options
from tests.cases import every


@every(("text", "values"), [(None, ()), ("", ()), ("en", ("en",)), ("initials, inverted,", ("initials", "inverted"))])
def test_values_are_separated_by_commas(text: str | None, values: tuple[str, ...]) -> None:
    assert listed(text) == values


def test_a_recipe_gives_one_optional_option_per_text() -> None:
    epochs, loss = recipe_options(BiEncoderRecipe, {"epochs": "How often.", "loss": "Which loss."})
    assert (epochs.name, epochs.default, epochs.annotation.__origin__) == ("epochs", None, int | None)
    assert (loss.name, loss.default, loss.annotation.__origin__) == ("loss", None, str | None)
    assert epochs.annotation.__metadata__[0].help == "How often."
