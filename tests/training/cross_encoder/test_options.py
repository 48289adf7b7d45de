"""Options of a cross-encoder, its recipe, and the inputs that it reads."""

import json
import re

import pytest

import answersim
from answersim.training.cross_encoder import options
from answersim.training.cross_encoder.inputs import from_pairs
from answersim.training.cross_encoder.recipe import PRESETS, CrossEncoderRecipe
from answersim.training.data.pairs import TrainingPair, read_pairs, write_pairs
from tests.cases import every
from tests.training.made import invoke

pytest.importorskip("sentence_transformers")
pytest.importorskip("peft")

FAST = "--preset smoke --option precision=fp32 --option lora_r=2 --option max_length=48".split()


def recipe_of(folder):
    return json.loads((folder / "adapter" / "recipe.json").read_text())


@pytest.fixture
def asked(monkeypatch):
    """In the place of training: the recipes, inputs and settings that the command gives."""
    calls = []

    def train(recipe, prepare, output, **settings):
        calls.append((recipe, prepare(), settings))
        return output

    monkeypatch.setattr(options, "train", train)
    return calls


def test_a_file_of_pairs_trains_an_adapter_that_scores(tiny_base, pairs_file, tmp_path):
    words = ["cross-encoder", "--pairs", pairs_file, "--keep-split", *FAST, "--base", tiny_base]
    result = invoke(*words, "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "34 pairs: 34 given" in result.stdout
    assert f"written: {tmp_path / 'out' / 'adapter'}" in result.stdout
    recipe = recipe_of(tmp_path / "out")
    assert recipe["command"].startswith("answersim train cross-encoder --pairs pairs.csv --keep-split --preset smoke")
    assert recipe["files"].keys() == {"pairs.csv"}
    assert (recipe["split"], recipe["teacher"]) == ("as in the file", "recorded")
    assert recipe["pairs"] == {"pairs": 18, "removed": 0}
    assert recipe["results"]["dev"]["pairs"]["n"] == recipe["results"]["test"]["pairs"]["n"] == 8
    assert recipe["reads_question"] is False
    metric = answersim.metric("sas", model=str(tiny_base), adapter=str(tmp_path / "out" / "adapter"))
    assert 0 <= metric([answersim.Pair("a dog", "a cat")])[0] <= 1
    again = invoke(*words, "--output", tmp_path / "out")  # finished: it only writes the adapter again
    assert again.exit_code == 0, again.output
    assert recipe_of(tmp_path / "out")["sha256"] == recipe["sha256"]


def test_without_keep_split_the_pairs_are_split_by_entity(asked, names_file):
    assert invoke("cross-encoder", "--pairs", names_file).exit_code == 0
    ((recipe, inputs, _),) = asked
    assert recipe == PRESETS["cpu"]
    assert inputs.metadata["split"] == "by entity"
    sets = [inputs.pools["pairs"].pairs, inputs.dev["pairs"], inputs.test["pairs"]]
    texts = [{text for pair in members for text in pair[:2]} for members in sets]
    assert len(set.union(*texts)) == sum(map(len, texts))  # no text is in two
    assert sum(map(len, sets)) + inputs.metadata["left_out"] == 600


def test_a_teacher_labels_the_pairs_whose_label_is_not_1(asked, pairs, tmp_path):
    path = tmp_path / "unlabeled.csv"
    write_pairs([pair._replace(label=1.0 if i == 0 else None) for i, pair in enumerate(pairs)], path)
    words = ["cross-encoder", "--pairs", path, "--keep-split", "--teacher", "f1", "--cache", tmp_path / "cache"]
    assert invoke(*words).exit_code == 0
    ((_, inputs, _),) = asked
    assert inputs.metadata["teacher"]["labeled"] == 33
    assert inputs.pools["pairs"].pairs[0].label == 1.0
    assert all(pair.label is not None for pair in inputs.pools["pairs"].pairs)
    recorded = invoke("cross-encoder", "--pairs", path, "--keep-split", "--teacher", "recorded")
    assert recorded.exit_code == 2
    assert "33 of 34 pairs have no recorded label" in recorded.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--preset", "smok"], "no preset is called 'smok'; did you mean 'smoke'?"),
        (["--option", "questions=0.5"], "but no pair of PAIRS has a question"),
        (["--option", "head_learning_rate=1e30"], "head_learning_rate is 1e+30"),
        (["--option", "settle=-1"], "settle is -1"),
        (["--teacher", "sass"], "no metric is called 'sass'; did you mean 'sas'?"),
        (["--cache", "PAIRS"], "pairs.csv is not a folder"),
        (["--base", "./nowhere"], "no weights for './nowhere'"),
        (["--start", "./nowhere"], "no adapter folder"),
        (["--option", "max_length=100000"], "reads at most 64 tokens"),
        (["--pairs", "nowhere.csv"], "nowhere.csv"),
        (["--option", "limit=1"], "all 1 dev pairs have the label"),
    ],
)
def test_an_error_of_the_user_is_one_line_and_status_2(tiny_base, pairs_file, tmp_path, words, complaint):
    stated = ["--pairs", pairs_file, "--keep-split", "--base", tiny_base, "--option", "max_length=48"]
    words = [pairs_file if word == "PAIRS" else word for word in words]
    result = invoke("cross-encoder", *stated, *words, "--output", tmp_path / "out")
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("answersim: ")
    assert complaint.replace("PAIRS", str(pairs_file)) in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out" / "adapter").exists()


def test_the_file_of_pairs_is_not_overwritten(tiny_base, pairs_file, tmp_path):
    (tmp_path / "out" / "adapter").mkdir(parents=True)
    inside = tmp_path / "out" / "adapter" / "pairs.csv"
    write_pairs(read_pairs(pairs_file), inside)
    result = invoke("cross-encoder", "--pairs", inside, "--base", tiny_base, *FAST, "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "would be overwritten" in result.stderr


@every(
    ("setting", "complaint"),
    [
        ({"learning_rate": 0.0}, "learning_rate is 0, but nothing would be trained"),
        ({"head_learning_rate": float("nan")}, "head_learning_rate is nan"),
        ({"questions": 1.5}, "questions is 1.5, but it must be a share"),
        ({"reverse": 1.5}, "reverse is 1.5, but it must be a share"),
    ],
)
def test_a_setting_out_of_its_range_is_an_error(setting, complaint):
    with pytest.raises(ValueError, match=re.escape(complaint)):
        CrossEncoderRecipe(**setting)


DEV = [TrainingPair("A dog.", "a cat", 1.0, "dev"), TrainingPair("red", "blue", 0.0, "dev")]


@every(
    ("pairs", "message"),
    [
        ([TrainingPair("a cat", "A dog", 1.0), *DEV], "all 1 training pairs are in dev or test too"),
        ([TrainingPair("a", "b", None), *DEV], "1 of 3 pairs have no label yet"),
        (DEV, "there are no pairs of the split 'train' among these 2"),
        ([TrainingPair("a", "b", 1.0), DEV[0]], "all 1 dev pairs have the label 1.0"),
    ],
)
def test_pairs_that_cannot_be_trained_on_are_an_error(pairs, message):
    with pytest.raises(ValueError, match=message):
        from_pairs(pairs, {})


def test_questions_of_the_file_are_read(tiny_base, pairs, tmp_path):
    path = tmp_path / "asked.tsv"
    write_pairs([pair._replace(question="Which dog runs?") for pair in pairs], path)
    words = ["--pairs", path, "--keep-split", *FAST, "--base", tiny_base, "--output", tmp_path / "out"]
    result = invoke("cross-encoder", *words)
    assert result.exit_code == 0, result.output
    assert "pairs with question" in result.stdout  # dev is evaluated without and with the questions
    assert recipe_of(tmp_path / "out")["reads_question"] is True
