"""A table of questions, as a new user has it: trained, killed, resumed, published, loaded elsewhere, compared."""

from __future__ import annotations

import csv
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from rankers import data
from rankers.models.published import by_name
from tests.rankers import small_minilm
from tests.rankers.commands.command_line import called

TRAIN = "train cross-encoder --data train.csv --dev dev.csv --folder F --encoder ./tiny --device cpu"
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
    command = [*TRAIN.split(), *(part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}"))]
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
