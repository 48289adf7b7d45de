"""The recipe of a cross-encoder: ranges, and the command that gives it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from answersim.training.cross_encoder import recipe
from answersim.training.cross_encoder.recipe import CrossEncoderRecipe, command
from answersim.training.data.mixture import read_mixture


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ({"epochs": 0}, "epochs is 0, but it must be a number from 1"),
        ({"learning_rate": -1.0}, "learning_rate is -1.0, but it must be a number from 0"),
        ({"head_learning_rate": float("nan")}, "head_learning_rate is nan"),
        ({"dropout": 1.0}, "dropout is 1.0, but a share must be below 1"),
        ({"precision": "fp8"}, "precision is 'fp8', but it must be one of bf16, fp32"),
        ({"mixture": ()}, "mixture is ()"),
        ({"mixture": (("sts", 1), ("sts", 2))}, "each once"),
        ({"mixture": (("sts", -1),)}, "mixture takes -1 pairs of sts"),
        ({"questions": 1.5}, "questions is 1.5"),
    ],
)
def test_a_setting_out_of_its_range_is_an_error(setting, complaint):
    with pytest.raises(ValueError, match=re.escape(complaint)):
        CrossEncoderRecipe(**setting)


def test_the_command_in_the_recipe_gives_the_recipe():
    given = CrossEncoderRecipe(seed=4, mixture=(("sts", 0), ("dates", 20)), learning_rate=0.001)
    expected = "--preset sts --seed 4 --learning-rate 0.001 --mixture sts=0,dates=20"
    assert command(given) == f"answersim train cross-encoder {expected}"
    assert command(recipe.PRESETS["cpu"]) == "answersim train cross-encoder --preset cpu"
    assert read_mixture("sts=0,dates=20") == given.mixture
    with pytest.raises(ValueError, match="'sts=many' is not of the form"):
        read_mixture("sts=many")
    with pytest.raises(LookupError, match="no source of training pairs is called 'date'; did you mean 'dates'"):
        CrossEncoderRecipe(mixture=(("date", 0),))


def test_a_recipe_of_an_earlier_version_is_read_and_its_names_still_work():
    settings = {
        "mixture": [["sts", 0]],
        "warm_up": 0.2,
        "decay": 0.3,
        "rank": 4,
        "alpha": 2.0,
        "head_rate": 0.01,
        "snapshot_every": 7,
    }
    names = {
        "warmup_ratio": 0.2,
        "weight_decay": 0.3,
        "lora_r": 4,
        "lora_alpha": 2.0,
        "head_learning_rate": 0.01,
        "checkpoint_every": 7,
    }
    today = CrossEncoderRecipe(**names)
    assert CrossEncoderRecipe.from_json(settings) == today
    with pytest.warns(FutureWarning, match="rank is deprecated; use lora_r"):
        assert CrossEncoderRecipe(rank=4) == CrossEncoderRecipe(lora_r=4)
    with pytest.warns(FutureWarning, match="head_rate is deprecated; use head_learning_rate"):
        assert today.head_rate == 0.01
    with pytest.raises(ValueError, match="lora_r is given twice, also by its former name rank"):
        CrossEncoderRecipe(rank=4, lora_r=4)


@pytest.mark.parametrize("name", ["answers-minilm", "names-minilm", "sas-minilm", "sas-answers-minilm", "sas-mpnet"])
def test_the_recipes_of_the_shipped_adapters_are_read(name):
    import answersim
    from answersim.checkpoints.search import read_json
    from answersim.neural.adapter import RECIPE
    from answersim.training.bi_encoder.recipe import BiEncoderRecipe
    from answersim.training.recipe import current_names

    adapters = Path(answersim.__file__).parent / "neural" / "adapters"
    settings = read_json(adapters / name / RECIPE)["recipe"]
    if name == "sas-minilm":
        assert CrossEncoderRecipe.from_json(settings) == recipe.PRESETS["cpu"]
    elif name == "sas-mpnet":
        read = CrossEncoderRecipe.from_json(settings)
        changed = {"epochs": 1, "seed": 1, "learning_rate": 3e-4, "mixture": read.mixture}
        assert read == replace(recipe.PRESETS["judged"], **changed)
        assert dict(read.mixture) == dict(recipe.PRESETS["judged"].mixture) | {
            "contrast": 8000,
            "confusable": 6000,
            "numbers": 1600,
        }
    elif name == "sas-answers-minilm":
        second = {"seed": 1, "epochs": 3, "learning_rate": 3e-4}  # it continues from a first training by the preset
        assert CrossEncoderRecipe.from_json(settings) == replace(recipe.PRESETS["student"], **second)
    else:
        assert BiEncoderRecipe(**current_names(settings)).lora_r == 32
