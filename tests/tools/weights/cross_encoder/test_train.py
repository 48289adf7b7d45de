"""A training by a recipe of the models that ship: on the mixture, resumable, and scored again from its recipe."""

import json
from dataclasses import replace

import pytest

from answersim.checkpoints.search import sha256
from tools.weights.cross_encoder.recipe import MixtureRecipe, command
from tools.weights.cross_encoder.train import results, train
from tools.weights.pairs import sts
from tools.weights.pairs.mixture import Places

pytest.importorskip("sentence_transformers")
pytest.importorskip("peft")

TINY = MixtureRecipe(epochs=1, batch_size=4, lora_r=2, max_length=48, precision="fp32", checkpoint_every=2)


@pytest.fixture
def finished(tiny_base, data, tmp_path):
    return train(TINY, Places(data.parent), tmp_path / "finished", base=str(tiny_base))


def test_the_recipe_states_the_command_and_the_files(data, finished):
    recipe = json.loads((finished / "recipe.json").read_text())
    assert recipe["command"] == command(TINY)
    assert recipe["data"] == {f"stsb/en-{split}.csv": sha256(data / f"en-{split}.csv") for split in sts.SPLITS}
    assert recipe["pairs"] == {"sts": 18, "removed": 0}
    assert MixtureRecipe.from_json(recipe["recipe"]) == TINY


def test_an_adapter_is_scored_again_with_the_same_result(tiny_base, data, finished):
    recipe = json.loads((finished / "recipe.json").read_text())
    assert results(finished, TINY, Places(data.parent), base=str(tiny_base), test=True) == recipe["results"]
    assert results(finished, TINY, Places(data.parent), base=str(tiny_base), test=False).keys() == {"dev"}


def test_a_checkpoint_of_another_mixture_or_of_other_files_is_not_resumed(tiny_base, data, finished):
    other = replace(TINY, mixture=(("sts", 8),))
    with pytest.raises(ValueError, match="another recipe: mixture was"):
        train(other, Places(data.parent), finished.parent, base=str(tiny_base))
    with (data / "en-dev.csv").open("a") as file:
        file.write("a dog,a dog,5\n")
    with pytest.raises(ValueError, match=r"another data: stsb/en-dev\.csv was"):
        train(TINY, Places(data.parent), finished.parent, base=str(tiny_base))
