"""Options of a training, and the recipe that records them."""

from dataclasses import asdict

import pytest

from answersim.training.bi_encoder import options
from answersim.training.bi_encoder.recipe import PRESETS, BiEncoderRecipe
from answersim.training.run.artifact import BASE
from tests.cases import every
from tests.training.command_line import invoke


def test_every_setting_of_a_recipe_is_an_option(runs, names_file):
    recipe = BiEncoderRecipe(
        seed=4, epochs=3, batch_size=32, learning_rate=0.003, warmup_ratio=0.1, weight_decay=0.01, lora_r=8,
        lora_alpha=16.0, dropout=0.2, lora_dropout=0.05, max_length=32, precision="fp32", evaluate_every=7,
        checkpoint_every=9, limit=11, loss="cosent", method="full", symmetric=True, measure="spearman", patience=3,
    )  # fmt: skip
    stated = asdict(recipe)
    assert [name for name, value in asdict(PRESETS["cpu"]).items() if stated[name] == value] == []
    words = []
    for name, value in stated.items():
        words += (
            ["--seed", str(value)] if name == "seed" else ["--option", f"{name}={str(value).replace('True', 'true')}"]
        )
    result = invoke("names", "--pairs", names_file, *words)
    assert result.exit_code == 0, result.output
    assert runs[0][1] == recipe
    assert runs[0][3].endswith(" ".join(words))


def test_the_training_of_the_paper_has_its_base_settings_labels_and_split(runs, names_file, tiny, monkeypatch):
    folder = tiny("xlm-roberta")
    monkeypatch.setattr(options, "T_SYSTEMS", str(folder))
    assert invoke("names", "--paper", "--pairs", names_file).exit_code == 0
    job, recipe, prepared, line = runs[0]
    assert (job.base, job.teacher) == (str(folder), "recorded")
    assert recipe == PRESETS["paper"]
    assert recipe.method == "full"
    assert (recipe.batch_size, recipe.epochs, recipe.warmup_ratio) == (64, 2, 0.45)
    assert (recipe.peak_learning_rate, recipe.weight_decay, recipe.loss) == (2e-5, 0.01, "cosine")
    assert prepared.metadata["split"] == "as in the file"
    assert line == "answersim train names --paper --pairs name_pairs.csv"


def test_without_its_base_the_training_of_the_paper_names_what_to_download(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("ANSWERSIM_MODELS", str(tmp_path))
    result = invoke("names", "--paper", "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "--paper trains T-Systems-onsite/cross-en-de-roberta-sentence-transformer, which is not on" in result.stderr
    assert "download this model" in result.stderr
    assert f"--base {BASE}" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_preset_that_contradicts_the_training_of_the_paper_is_an_error(runs, tiny):
    result = invoke("names", "--preset", "cpu", "--paper", "--base", tiny("xlm-roberta"))
    assert result.exit_code == 2
    assert "--paper has a preset of its own, but --preset is cpu" in result.stderr
    assert runs == []


@every(
    ("setting", "error", "complaint"),
    [
        ({"patience": -1}, ValueError, "patience is -1"),
        ({"loss": "cosin"}, LookupError, "no loss is called 'cosin'; did you mean 'cosine'"),
        ({"method": "lor"}, LookupError, "no method is called 'lor'; did you mean 'lora'"),
        ({"measure": "kendall"}, LookupError, "no measure is called 'kendall'"),
    ],
)
def test_a_setting_out_of_its_range_is_an_error(setting, error, complaint):
    with pytest.raises(error, match=complaint):
        BiEncoderRecipe(**setting)
