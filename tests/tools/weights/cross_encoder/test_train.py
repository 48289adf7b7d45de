"""A training by a recipe of the models that ship: on the mixture, resumable, and scored again from its recipe."""

import json
import shutil
from dataclasses import replace

import pytest

from answersim.metrics.checkpoints.search import sha256
from tests.tools.weights.cross_encoder.conftest import small_sts
from tools.weights.cross_encoder.recipe import MixtureRecipe, command
from tools.weights.cross_encoder.train import results, train
from tools.weights.pairs import sts
from tools.weights.pairs.mixture import Places

pytest.importorskip("sentence_transformers")
pytest.importorskip("peft")

TINY = MixtureRecipe(epochs=1, batch_size=4, lora_r=2, max_length=48, precision="fp32", checkpoint_every=2)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the files of STS-B in small, and beside them what was trained on them."""
    place = tmp_path_factory.mktemp("place")
    small_sts(place / "data")
    return place


@pytest.fixture(scope="module")
def finished(tiny_base, place):
    return train(TINY, Places(place / "data"), place / "finished", base=str(tiny_base))


def test_the_recipe_states_the_command_and_the_files(place, finished):
    data = place / "data" / "stsb"
    recipe = json.loads((finished / "recipe.json").read_text())
    assert recipe["command"] == command(TINY)
    assert recipe["data"] == {f"stsb/en-{split}.csv": sha256(data / f"en-{split}.csv") for split in sts.SPLITS}
    assert recipe["pairs"] == {"sts": 18, "removed": 0}
    assert MixtureRecipe.from_json(recipe["recipe"]) == TINY


def test_an_adapter_is_scored_again_with_the_same_result(tiny_base, place, finished):
    recipe = json.loads((finished / "recipe.json").read_text())
    assert results(finished, TINY, Places(place / "data"), base=str(tiny_base), test=True) == recipe["results"]
    assert results(finished, TINY, Places(place / "data"), base=str(tiny_base), test=False).keys() == {"dev"}


def test_a_checkpoint_of_another_mixture_or_of_other_files_is_not_resumed(tiny_base, place, finished, tmp_path):
    copy = shutil.copytree(place, tmp_path / "copy")
    other = replace(TINY, mixture=(("sts", 8),))
    with pytest.raises(ValueError, match="another recipe: mixture was"):
        train(other, Places(copy / "data"), copy / "finished", base=str(tiny_base))
    with (copy / "data" / "stsb" / "en-dev.csv").open("a") as file:
        file.write("a dog,a dog,5\n")
    with pytest.raises(ValueError, match=r"another data: stsb/en-dev\.csv was"):
        train(TINY, Places(copy / "data"), copy / "finished", base=str(tiny_base))
