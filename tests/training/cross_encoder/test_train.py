import csv
import json
import warnings

import numpy as np
import pytest

from answersim.checkpoints.search import sha256
from answersim.training.cross_encoder import train as cross_encoder
from answersim.training.cross_encoder.recipe import CrossEncoderRecipe
from answersim.training.data import sts
from answersim.training.data.mixture import Places

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
peft = pytest.importorskip("peft")
safetensors_torch = pytest.importorskip("safetensors.torch")

TINY = CrossEncoderRecipe(
    epochs=3,
    batch_size=4,
    lora_r=2,
    dropout=0.1,
    lora_dropout=0.1,
    settle=1,
    max_length=48,
    precision="fp32",
    checkpoint_every=2,
)


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def places(folder):
    """Where a folder of STS-B's files lies."""
    return Places(folder.parent)


def weights(folder):
    return safetensors_torch.load_file(folder / "adapter_model.safetensors")


def assert_equal(one, other):
    torch.testing.assert_close(weights(one), weights(other), atol=0, rtol=0)


@pytest.fixture
def finished(tiny_base, data, tmp_path):
    return cross_encoder.train(TINY, places(data), tmp_path / "finished", base=str(tiny_base))


def test_one_seed_gives_one_adapter_and_another_seed_another(tiny_base, data, tmp_path, finished):
    again = cross_encoder.train(TINY, places(data), tmp_path / "again", base=str(tiny_base))
    assert_equal(again, finished)
    assert sha256(again / "adapter_model.safetensors") == sha256(finished / "adapter_model.safetensors")
    other = cross_encoder.train(
        CrossEncoderRecipe(**vars(TINY) | {"seed": 1}), places(data), tmp_path / "other", base=str(tiny_base)
    )
    with pytest.raises(AssertionError):
        assert_equal(other, finished)


def test_training_leaves_the_callers_random_state_alone(tiny_base, data, tmp_path):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    cross_encoder.train(TINY, places(data), tmp_path / "run", base=str(tiny_base))
    torch.testing.assert_close(torch.rand(3), expected, atol=0, rtol=0)


def test_the_recipe_tells_how_the_adapter_was_made_and_pins_it(tiny_base, data, finished):
    recipe = json.loads((finished / "recipe.json").read_text())
    assert recipe["base"] == {"name": tiny_base.name, "sha256": sha256(tiny_base / "model.safetensors")}
    assert recipe["data"] == {f"stsb/en-{split}.csv": sha256(data / f"en-{split}.csv") for split in sts.SPLITS}
    names = ("adapter_config.json", "adapter_model.safetensors")
    assert recipe["sha256"] == {name: sha256(finished / name) for name in names}
    assert recipe["pairs"] == {"sts": 18, "removed": 0}
    assert recipe["results"]["dev"]["sts"]["n"] == recipe["results"]["test"]["sts"]["n"] == 8
    assert recipe["reads_question"] is False
    assert [each["step"] for each in recipe["dev_by_step"]] == [5, 10, 15]
    assert str(finished.parent) not in (finished / "adapter_config.json").read_text()


def test_the_held_out_results_are_those_of_the_files_as_written(tiny_base, data, finished):
    recipe = json.loads((finished / "recipe.json").read_text())
    pairs = sts.read_csv(data / "en-test.csv")
    warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)  # pytest undoes it
    model = peft.PeftModel.from_pretrained(
        transformers.AutoModelForSequenceClassification.from_pretrained(tiny_base, num_labels=1), finished
    ).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_base)
    with torch.no_grad():
        scores = [
            model(**tokenizer(pair.first, pair.second, return_tensors="pt")).logits.sigmoid().item() for pair in pairs
        ]
    pearson = np.corrcoef(scores, [pair.score for pair in pairs])[0, 1]
    assert recipe["results"]["test"]["sts"]["pearson"] == pytest.approx(pearson, abs=2e-4)
    low, high = recipe["results"]["test"]["sts"]["pearson_95"]
    assert low <= pearson <= high


def test_without_test_no_result_tells_of_the_test_split(tiny_base, data, tmp_path, finished):
    unseen = cross_encoder.train(TINY, places(data), tmp_path / "unseen", base=str(tiny_base), test=False)
    assert set(json.loads((unseen / "recipe.json").read_text())["results"]) == {"dev"}
    assert_equal(unseen, finished)


def test_what_can_be_learned_is_learned(tiny_base, tmp_path):
    folder = tmp_path / "data" / "stsb"
    folder.mkdir(parents=True)
    rows = [(f"eleven {i}", second, score) for i in range(40) for second, score in (("the NFL", 5), ("cortex", 0))]
    for split, part in (("train", rows[:60]), ("dev", rows[60:70]), ("test", rows[70:])):
        write(folder / f"en-{split}.csv", part)
    recipe = CrossEncoderRecipe(**vars(TINY) | {"epochs": 5, "learning_rate": 0.004, "head_learning_rate": 0.004})
    adapter = cross_encoder.train(recipe, places(folder), tmp_path / "run", base=str(tiny_base))
    assert json.loads((adapter / "recipe.json").read_text())["results"]["test"]["sts"]["pearson"] > 0.9


def test_a_checkpoint_of_another_training_is_never_resumed(tiny_base, data, tmp_path, finished):
    other = CrossEncoderRecipe(**vars(TINY) | {"lora_r": 3})
    with pytest.raises(ValueError, match="another recipe: lora_r was 2 and is 3 now; start over with --no-resume"):
        cross_encoder.train(other, places(data), finished.parent, base=str(tiny_base))
    with (data / "en-dev.csv").open("a") as file:
        file.write("a dog,a dog,5\n")
    with pytest.raises(ValueError, match=r"another data: stsb/en-dev\.csv was"):
        cross_encoder.train(TINY, places(data), finished.parent, base=str(tiny_base))
    anew = cross_encoder.train(other, places(data), finished.parent, base=str(tiny_base), resume=False)
    assert json.loads((anew / "adapter_config.json").read_text())["r"] == 3


def test_a_run_that_starts_from_an_adapter_goes_on_from_its_weights(tiny_base, data, tmp_path, finished):
    nothing = {"learning_rate": 1e-12, "head_learning_rate": 0.0, "weight_decay": 0.0}
    still = CrossEncoderRecipe(**vars(TINY) | {"epochs": 1} | nothing)
    again = cross_encoder.train(still, places(data), tmp_path / "on", base=str(tiny_base), start=finished)
    assert_equal(again, finished)
    start = json.loads((again / "recipe.json").read_text())["start"]
    assert start == {"name": "adapter", "fingerprint": cross_encoder.adapter.fingerprint(finished)}
    other = CrossEncoderRecipe(**vars(TINY) | {"lora_r": 3})
    with pytest.raises(ValueError, match="has rank 2 and scale"):
        cross_encoder.train(other, places(data), tmp_path / "no", base=str(tiny_base), start=finished)
