import json
import shutil
import warnings
from dataclasses import replace

import numpy as np
import pytest

from answersim.metrics.checkpoints import adapter
from answersim.metrics.checkpoints.search import sha256
from answersim.training.cross_encoder.inputs import SOURCE
from answersim.training.data.pairs import TrainingPair, in_split
from tests.training.bi_encoder.trained import assert_equal
from tests.training.cross_encoder.trained import TINY, trained

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
peft = pytest.importorskip("peft")
pytest.importorskip("safetensors.torch")


def test_a_seed_decides_the_adapter_with_or_without_test_pairs(tiny_base, pairs, tmp_path, finished):
    unseen = trained(pairs, tmp_path / "unseen", tiny_base, test=False)
    assert set(json.loads((unseen / "recipe.json").read_text())["results"]) == {"dev"}
    assert sha256(unseen / "adapter_model.safetensors") == sha256(finished / "adapter_model.safetensors")
    other = trained(pairs, tmp_path / "other", tiny_base, replace(TINY, seed=1))
    with pytest.raises(AssertionError):
        assert_equal(other, finished)


def test_the_recipe_file_states_how_the_adapter_was_made_and_pins_it(tiny_base, pairs, finished):
    recipe = json.loads((finished / "recipe.json").read_text())
    assert recipe["base"] == {"name": tiny_base.name, "sha256": sha256(tiny_base / "model.safetensors")}
    assert recipe["data"].keys() == {SOURCE}
    names = ("adapter_config.json", "adapter_model.safetensors")
    assert recipe["sha256"] == {name: sha256(finished / name) for name in names}
    assert recipe["pairs"] == {SOURCE: 18, "removed": 0}
    assert recipe["results"]["dev"][SOURCE]["n"] == recipe["results"]["test"][SOURCE]["n"] == 8
    assert recipe["reads_question"] is False
    assert [each["step"] for each in recipe["dev_by_step"]] == [5, 10, 15]
    assert str(finished.parent) not in (finished / "adapter_config.json").read_text()


def test_the_held_out_results_are_those_of_the_files_as_written(tiny_base, pairs, finished):
    recipe = json.loads((finished / "recipe.json").read_text())
    pairs = in_split(pairs, "test")
    warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)  # pytest undoes it
    model = peft.PeftModel.from_pretrained(
        transformers.AutoModelForSequenceClassification.from_pretrained(tiny_base, num_labels=1), finished
    ).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_base)
    with torch.no_grad():
        scores = [
            model(**tokenizer(pair.first, pair.second, return_tensors="pt")).logits.sigmoid().item() for pair in pairs
        ]
    pearson = np.corrcoef(scores, [pair.label for pair in pairs])[0, 1]
    assert recipe["results"]["test"][SOURCE]["pearson"] == pytest.approx(pearson, abs=2e-4)
    low, high = recipe["results"]["test"][SOURCE]["pearson_95"]
    assert low <= pearson <= high


def test_what_can_be_learned_is_learned(tiny_base, tmp_path):
    splits = ["train"] * 60 + ["dev"] * 10 + ["test"] * 10
    texts = [(f"eleven {i}", second, label) for i in range(40) for second, label in (("the NFL", 1.0), ("cortex", 0.0))]
    pairs = [TrainingPair(*row, split) for row, split in zip(texts, splits, strict=True)]
    recipe = replace(TINY, epochs=5, learning_rate=0.004, head_learning_rate=0.004)
    folder = trained(pairs, tmp_path / "run", tiny_base, recipe)
    assert json.loads((folder / "recipe.json").read_text())["results"]["test"][SOURCE]["pearson"] > 0.9


def test_a_checkpoint_of_another_training_is_never_resumed(tiny_base, pairs, tmp_path, finished):
    again = shutil.copytree(finished.parent, tmp_path / "again")
    other = replace(TINY, lora_r=3)
    with pytest.raises(ValueError, match="another recipe: lora_r was 2 and is 3 now; start over with --no-resume"):
        trained(pairs, again, tiny_base, other)
    with pytest.raises(ValueError, match="another data: pairs was"):
        trained([*pairs, TrainingPair("a dog", "a dog", 1.0, "dev")], again, tiny_base)
    anew = trained(pairs, again, tiny_base, other, resume=False)
    assert json.loads((anew / "adapter_config.json").read_text())["r"] == 3


def test_a_run_that_starts_from_an_adapter_has_its_weights(tiny_base, pairs, tmp_path, finished):
    nothing = {"learning_rate": 1e-12, "head_learning_rate": 0.0, "weight_decay": 0.0}
    still = replace(TINY, epochs=1, **nothing)
    again = trained(pairs, tmp_path / "on", tiny_base, still, start=finished)
    assert_equal(again, finished)
    start = json.loads((again / "recipe.json").read_text())["start"]
    assert start == {"name": "adapter", "fingerprint": adapter.fingerprint(finished)}
    other = replace(TINY, lora_r=3)
    with pytest.raises(ValueError, match="has rank 2 and scale"):
        trained(pairs, tmp_path / "no", tiny_base, other, start=finished)
