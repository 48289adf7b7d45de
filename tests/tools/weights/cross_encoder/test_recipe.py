"""The recipe of the cross-encoders that ship: its mixture, and the command that gives it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tools.weights.cross_encoder import recipe
from tools.weights.cross_encoder.recipe import PROGRAM, MixtureRecipe, command
from tools.weights.pairs.mixture import read_mixture


def test_the_command_in_the_recipe_gives_the_recipe():
    given = MixtureRecipe(seed=4, mixture=(("sts", 0), ("dates", 20)), learning_rate=0.001)
    expected = "--preset sts --seed 4 --option learning_rate=0.001 --mixture sts=0,dates=20"
    assert command(given) == f"{PROGRAM} {expected}"
    assert command(recipe.PRESETS["cpu"]) == f"{PROGRAM} --preset cpu"
    assert read_mixture("sts=0,dates=20") == given.mixture
    with pytest.raises(ValueError, match="'sts=many' is not of the form"):
        read_mixture("sts=many")
    with pytest.raises(LookupError, match="no source of training pairs is called 'date'; did you mean 'dates'"):
        MixtureRecipe(mixture=(("date", 0),))


@pytest.mark.parametrize(
    "name",
    ["answers-minilm", "names-minilm", "sas-minilm", "sas-answers-minilm", "sas-mpnet", "sas-answers-mpnet"],
)
def test_the_recipes_of_the_shipped_adapters_are_read(name):
    import answersim
    from answersim.metrics.checkpoints.search import read_json
    from answersim.metrics.neural.adapter import RECIPE
    from answersim.training.bi_encoder.recipe import BiEncoderRecipe

    adapters = Path(answersim.__file__).parent / "neural" / "adapters"
    settings = read_json(adapters / name / RECIPE)["recipe"]
    if name == "sas-minilm":
        assert MixtureRecipe.from_json(settings) == recipe.PRESETS["cpu"]
    elif name == "sas-mpnet":
        read = MixtureRecipe.from_json(settings)
        changed = {"epochs": 1, "seed": 1, "learning_rate": 3e-4, "mixture": read.mixture}
        assert read == replace(recipe.PRESETS["judged"], **changed)
        assert dict(read.mixture) == dict(recipe.PRESETS["judged"].mixture) | {
            "contrast": 8000,
            "confusable": 6000,
            "numbers": 1600,
        }
    elif name == "sas-answers-mpnet":
        changed = {"epochs": 1, "learning_rate": 2e-4, "lora_r": 16, "lora_alpha": 16.0}
        assert MixtureRecipe.from_json(settings) == replace(recipe.PRESETS["committed"], **changed)
    elif name == "sas-answers-minilm":
        assert MixtureRecipe.from_json(settings) == replace(recipe.PRESETS["negated-more"], seed=4)
    else:
        assert BiEncoderRecipe(**settings).lora_r == 32
