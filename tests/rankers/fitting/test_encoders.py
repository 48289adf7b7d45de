"""Encoders of users are trained by sentence-transformers, resumed, and loaded by it with equal scores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankers
from rankers.systems import encoders, outcome, publishing
from rankers.systems.encoders import LISTS, LOSSES, PAIRS, TUPLES, EncoderRecipe
from rankers.training.sampling import training_set
from tests.cases import every
from tests.rankers import small_minilm

sentence_transformers = pytest.importorskip("sentence_transformers")
pytest.importorskip("datasets")
pytest.importorskip("accelerate")

SETTINGS: dict[str, Any] = {"epochs": 2, "batch_size": 8, "learning_rate": 1e-3, "max_length": 32, "negatives": 2}


@pytest.fixture(scope="module")
def train(asked):
    return asked(8)


@pytest.fixture(scope="module")
def dev(asked):
    return asked(5, split="dev", start=4)


@pytest.fixture(scope="module")
def encoder(train, tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder") / "tiny"
    texts = [text for question in train for text in (question.text, *(c.text for c in question.candidates))]
    small_minilm.write(folder, texts, layers=1)
    return str(folder)


@pytest.fixture
def _no_baselines(monkeypatch):
    monkeypatch.setattr(outcome, "BASELINES", {"bm25": "bm25"})


@pytest.mark.parametrize(
    ("kind", "rank"),
    [
        ("cross-encoder", 2),
        ("bi-encoder", 0),
        pytest.param("cross-encoder", 0, marks=pytest.mark.slow),
        pytest.param("bi-encoder", 2, marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("_no_baselines")
def test_a_published_encoder_has_equal_scores_in_sentence_transformers(kind, rank, train, dev, encoder, tmp_path):
    if rank:
        pytest.importorskip("peft")
    lines: list[str] = []
    home, published = tmp_path / f"F-{kind}-{rank}", tmp_path / f"mine-{kind}-{rank}"
    changes = SETTINGS | {"lora_r": rank}
    fitted = rankers.fit(
        kind, train, dev, folder=home, encoder=encoder, overrides=changes, log=lines.append, device="cpu"
    )
    epochs = [line.split(":")[1].strip() for line in lines if line.startswith(kind)][:3]
    assert epochs == ["epoch 0 of 2", "epoch 1 of 2", "epoch 2 of 2"]
    assert "bm25" in [row.first for row in fitted.comparisons]  # beside earlier trainings of the folder
    publishing.publish_encoder(kind, home, published, license="MIT")
    question, pool = dev.items[0].text, [candidate.text for candidate in dev.items[0].candidates]
    ours = rankers.score(question, pool, published, device="cpu")
    assert np.ptp(ours) > (1e-5 if rank else 1e-4)
    np.testing.assert_allclose(rankers.score(question, pool, fitted), ours, atol=1e-6)
    if kind == "cross-encoder":
        model = sentence_transformers.CrossEncoder(str(published), device="cpu")
        theirs = model.predict([(question, text) for text in pool])
    else:
        model = sentence_transformers.SentenceTransformer(str(published), device="cpu")
        theirs = model.similarity(model.encode([question]), model.encode(pool))[0]
    np.testing.assert_allclose(ours, np.asarray(theirs, dtype=np.float64), atol=1e-6 if rank else 1e-5)
    card = (published / "README.md").read_text(encoding="utf-8")
    assert "license: mit" in card
    assert f"| dev MRR | {fitted.value:.4f} |" in card
    assert f"| dev MRR of bm25 | {fitted.baselines['bm25']:.4f} (baseline); this model minus it: " in card
    assert f"- loss: {next(iter(LOSSES[kind]))}\n" in card
    with pytest.raises(FileExistsError):
        publishing.publish_encoder(kind, home, published)


@pytest.mark.usefixtures("_no_baselines")
def test_a_killed_training_resumes_from_its_last_checkpoint_to_the_same_scores(train, dev, encoder, tmp_path):
    def stop(line):
        if "epoch 2 of" in line:
            raise KeyboardInterrupt

    common: dict[str, Any] = {"encoder": encoder, "overrides": SETTINGS | {"keep": "last"}, "device": "cpu"}
    whole = rankers.fit("bi-encoder", train, dev, folder=tmp_path / "whole", **common)
    with pytest.raises(KeyboardInterrupt):
        rankers.fit("bi-encoder", train, dev, folder=tmp_path / "killed", log=stop, **common)
    assert not (tmp_path / "killed" / "bi-encoder" / "history.json").exists()
    lines: list[str] = []
    resumed = rankers.fit("bi-encoder", train, dev, folder=tmp_path / "killed", log=lines.append, **common)
    assert any(line.startswith("bi-encoder: resumed from checkpoint-") for line in lines)
    pool = [candidate.text for candidate in dev.items[0].candidates]
    np.testing.assert_allclose(rankers.score("where?", pool, resumed), rankers.score("where?", pool, whole), atol=1e-5)
    epochs = [
        json.loads((tmp_path / f / "bi-encoder" / "history.json").read_text())["epochs"] for f in ("whole", "killed")
    ]
    assert [row["epoch"] for row in epochs[0]] == [row["epoch"] for row in epochs[1]] == [0.0, 1.0, 2.0]
    assert all(np.diff([row["seconds"] for row in rows]).min() > 0 for rows in epochs)  # those before the stop count
    assert not list((tmp_path / "killed" / "bi-encoder" / "checkpoints").glob("checkpoint-*"))
    again: list[str] = []
    rankers.fit("bi-encoder", train, dev, folder=tmp_path / "killed", log=again.append, **common)
    assert again == []  # it is finished
    common["overrides"] = {**common["overrides"], "epochs": 3}
    with pytest.raises(ValueError, match=r"recipe\.epochs is 2 there and 3 here"):
        rankers.fit("bi-encoder", train, dev, folder=tmp_path / "killed", **common)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cross-encoder", "bi-encoder"])
def test_two_processes_train_one_encoder_and_the_first_one_writes_and_reports(kind, train, dev, encoder, tmp_path):
    for name, questions in (("train", train), ("dev", dev)):
        rows = [{"question": q.text, "candidate": c.text, "label": c.grade} for q in questions for c in q.candidates]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "-m", "rankers"]
    given = f"train {kind} --data train.jsonl --dev dev.jsonl --folder F --preset smoke --device cpu --set negatives=2"
    paths = {"PYTHONPATH": str(Path(rankers.__file__).parents[1])}
    command = [*torchrun, *given.split(), "--encoder", encoder]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | paths, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("rank with it: ") == done.stderr.count("epoch 1 of 1") == 1
    history = json.loads((tmp_path / "F" / kind / "history.json").read_text())
    assert [row["epoch"] for row in history["epochs"]] == [0.0, 1.0]
    assert rankers.score("where?", ["here"], tmp_path / "F" / kind / "model", device="cpu").shape == (1,)


@pytest.mark.parametrize("kind", ["cross-encoder", "bi-encoder"])
def test_texts_that_the_encoder_cannot_read_whole_are_counted(kind, train, encoder):
    data = training_set(train)
    for most in (8, 12, 14, 64):
        recipe = EncoderRecipe(kind, encoder=encoder, max_length=most)
        model = encoders._model(recipe, Path(encoder), "cpu")
        pairs = [(q.text, c.text) for q in train for c in q.candidates]
        read = list(zip(*pairs, strict=True)) if kind == "cross-encoder" else [[*data.questions, *data.answers]]
        lengths = [len(ids) for ids in model.tokenizer(*map(list, read))["input_ids"]]
        n, what = sum(length > most for length in lengths), "pairs" if kind == "cross-encoder" else "texts"
        expected = f"{n} of {len(lengths)} {what} are truncated to {most} tokens (max_length)" if n else ""
        assert encoders._truncated(recipe, model, data) == expected
        assert most in (12, 14) or bool(n) == (most == 8)


@every(
    ("kind", "loss"),
    [
        ("cross-encoder", "BinaryCrossEntropyLoss"),
        ("cross-encoder", "ListNetLoss"),
        ("cross-encoder", "MultipleNegativesRankingLoss"),
        ("bi-encoder", "TripletLoss"),
        ("bi-encoder", "CoSENTLoss"),
    ],
)
def test_a_loss_gets_the_samples_that_it_reads(kind, loss, train):
    data = training_set(train)
    recipe = EncoderRecipe(kind, loss=loss, negatives=3)
    samples = encoders._dataset(recipe, data, Path(), print)
    shape = recipe.shape
    relevant = {q.text: {c.text for c in q.candidates if c.grade} for q in train}
    if shape == PAIRS:
        assert len(samples) == sum(len(question.candidates) for question in train)
        assert all((row["candidate"] in relevant[row["question"]]) == bool(row["label"]) for row in samples)
    elif shape == LISTS:
        assert len(samples) == len(train)
        assert all(sum(row["label"]) == len(relevant[row["question"]]) for row in samples)
    else:
        negatives = [name for name in samples.column_names if name.startswith("negative")]
        assert len(negatives) == (1 if loss == "TripletLoss" else 3)
        assert len(samples) == sum(map(len, relevant.values()))
        assert all(row[name] not in relevant[row["question"]] for row in samples for name in negatives)


def test_every_loss_is_one_of_the_library():
    for kind, losses in LOSSES.items():
        module = encoders._losses(kind)
        assert {name for name in losses if not hasattr(module, name)} <= {"ADRMSELoss"}  # version 5.4 lacks it
        assert set(losses.values()) <= {PAIRS, LISTS, TUPLES}
