"""The options that commands of training are made of."""

from __future__ import annotations

import pytest

from answersim.training.bi_encoder.recipe import BiEncoderRecipe
from answersim.training.options import deprecated_options, listed, option, recipe_options, translate


@pytest.mark.parametrize(
    ("text", "values"), [(None, ()), ("", ()), ("en", ("en",)), ("initials, inverted,", ("initials", "inverted"))]
)
def test_values_are_separated_by_commas(text: str | None, values: tuple[str, ...]) -> None:
    assert listed(text) == values


def test_a_recipe_gives_one_optional_option_per_text() -> None:
    epochs, loss = recipe_options(BiEncoderRecipe, {"epochs": "How often.", "loss": "Which loss."})
    assert (epochs.name, epochs.default, epochs.annotation.__origin__) == ("epochs", None, int | None)
    assert (loss.name, loss.default, loss.annotation.__origin__) == ("loss", None, str | None)
    assert epochs.annotation.__metadata__[0].help == "How often."


def test_a_former_name_is_a_hidden_option() -> None:
    (old,) = deprecated_options([option("lora_r", int | None, None, "The rank.")], {"rank": "lora_r", "decay": "x"})
    assert old.name == "rank"
    assert old.annotation.__metadata__[0].hidden
    assert old.annotation.__metadata__[0].help == "Deprecated: lora_r."


def test_the_value_of_a_former_option_moves_with_a_warning() -> None:
    given = {"rank": 8, "lora_r": None, "seed": 1}
    with pytest.warns(FutureWarning, match="--rank is deprecated; use --lora-r"):
        translate(given, {"rank": "lora_r"})
    assert given == {"lora_r": 8, "seed": 1}


def test_an_option_by_both_of_its_names_is_an_error() -> None:
    with pytest.raises(ValueError, match="--lora-r is given twice, also by its former name --rank; give it once"):
        translate({"rank": 8, "lora_r": 4}, {"rank": "lora_r"})
