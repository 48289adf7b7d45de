"""Models that ship are trained by one command each."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from numpy.typing import ArrayLike
from typer.testing import CliRunner

from answersim.metrics.checkpoints.search import sha256
from answersim.training.data.pairs import TrainingPair
from rankers.models.minilm import MiniLmHybrid
from rankers.models.neural_ranker import NeuralRanker
from tests.tools.weights.trained_hybrid import trained_hybrid
from tools.weights import cross_encoder, reranker
from tools.weights.cross_encoder import MixtureRecipe, load, main, train
from tools.weights.ensemble import Set, left_out
from tools.weights.pairs import sts
from tools.weights.pairs.mixture import Places

TINY = MixtureRecipe(epochs=1, batch_size=4, lora_r=2, max_length=48, precision="fp32", checkpoint_every=2)
WORDS = "a man dog cat runs sleeps red blue big".split()


@pytest.fixture(scope="module")
def tiny_base(tiny):
    return tiny("bert")


@pytest.fixture
def data(tmp_path):
    return small_sts(tmp_path / "data")


def small_sts(place):
    """Write STS-B in small and return its folder: splits of 18, 8 and 8 sentence pairs, all different."""
    folder = place / "stsb"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(2, 6))) + f" {i}" for i in range(68)]
    rows = [(texts[i], texts[i + 34], round(float(rng.uniform(0, 5)), 3)) for i in range(34)]
    for split, part in (("train", rows[:18]), ("dev", rows[18:26]), ("test", rows[26:])):
        with (folder / f"en-{split}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(part)
    return folder


def test_a_training_pair_known_from_dev_or_test_in_either_order_is_left_out(data):
    dev, test = (sts.read_csv(data / f"en-{split}.csv")[0] for split in ("dev", "test"))
    with (data / "en-train.csv").open("a", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [(dev.first, dev.second, 1), (f"  {test.second.upper()}. ", test.first, 2), (dev.first, test.second, 3)]
        )
    loaded = load(Places(data.parent), TINY, "")
    assert [tuple(pair[:3]) for pair in loaded.pools["sts"].pairs[18:]] == [(dev.first, test.second, 0.6)]


def test_a_training_pair_that_another_source_holds_out_is_left_out_and_counted(data, monkeypatch):
    known, other = TrainingPair("A dog.", "a cat", 1.0), TrainingPair("a dog", "a man", 0.0)

    def loaded_pairs(name, places, split, seed, *, empty=False):
        if split == "train":
            return [known, other]
        return [TrainingPair("A CAT", "a dog!", 0.5), TrainingPair("red", "blue", 0.0)]

    monkeypatch.setattr(cross_encoder.mixture, "load", loaded_pairs)
    loaded = load(Places(data.parent), replace(TINY, mixture=(("sts", 0), ("dates", 0))), "")
    assert loaded.pools["dates"].pairs == [other]
    assert loaded.removed == 2  # once of each source


def test_a_training_states_its_command_and_files_and_resumes_only_itself(tiny_base, data, tmp_path):
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("peft")
    places, output = Places(data.parent), tmp_path / "finished"
    finished = train(TINY, places, output, base=str(tiny_base), command="python -m this")
    recipe = json.loads((finished / "recipe.json").read_text())
    assert recipe["command"] == "python -m this"
    assert recipe["data"] == {f"stsb/en-{split}.csv": sha256(data / f"en-{split}.csv") for split in sts.SPLITS}
    assert recipe["pairs"] == {"sts": 18, "removed": 0}
    assert MixtureRecipe.from_json(recipe["recipe"]) == TINY
    with pytest.raises(ValueError, match="another recipe: mixture was"):
        train(replace(TINY, mixture=(("sts", 8),)), places, output, base=str(tiny_base))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["sas", "--data", "./nowhere"], "no data folder at"),
        (["sos", "--data", "HERE"], "no network is called 'sos'"),
        (["sas", "--data", "HERE", "--size", "tiny"], "no size is called 'tiny'"),
        (["sas", "--data", "HERE", "--base", "./nowhere"], "no weights for './nowhere'"),
        (["sas", "--data", "HERE", "--start", "./nowhere"], "no adapter folder"),
        (["sas", "--data", "HERE", "--threads", "0"], "--threads is 0, but it must be from 1"),
    ],
)
def test_an_error_of_the_user_is_one_line_and_status_2(tmp_path, words, complaint):
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("peft")
    app = typer.Typer()
    app.command()(main)
    words = [str(tmp_path) if word == "HERE" else word for word in words]
    result = CliRunner().invoke(app, [*words, "--output", str(tmp_path / "out")])
    assert result.exit_code == 2, result.output
    assert complaint in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out" / "adapter").exists()


def made(name: str, labels: ArrayLike, **features: ArrayLike) -> Set:
    y = np.asarray(labels, dtype=np.float64)
    columns = {key: np.asarray(value, dtype=np.float64) for key, value in features.items()}
    return Set(name, y, columns)


def test_a_set_is_judged_by_weights_that_never_saw_it() -> None:
    x = np.linspace(-1, 1, 100)
    result = left_out([made("plain", x > 0, x=x, y=-x), made("bent", x < 0, x=x, y=-x)], ["x", "y"])
    assert result["bent"] < 0.5
    assert result["plain"] < 0.5


pytest.importorskip("torch")
pytest.importorskip("peft")


QUESTIONS = ["the quick brown fox", "a dog"]
CANDIDATES = [["a lazy dog", "fox", "the quick brown fox"], ["the quick brown fox", "a dog"]]


@pytest.fixture
def trained(tiny: Callable[..., Path]) -> NeuralRanker:
    """A network whose matrices are not zero."""
    return trained_hybrid(tiny("bert"), 2, 3)


def test_the_adapter_ranks_as_the_trained_network(
    trained: NeuralRanker, tiny: Callable[..., Path], tmp_path: Path
) -> None:
    reranker.write(trained, tmp_path)
    folder = str(tiny("bert"))
    expected = np.concatenate(trained.score(QUESTIONS, CANDIDATES)) / trained.settings.scale
    merged = np.concatenate(MiniLmHybrid(folder, adapter=tmp_path).score(QUESTIONS, CANDIDATES))
    plain = np.concatenate(MiniLmHybrid(folder).score(QUESTIONS, CANDIDATES))
    np.testing.assert_allclose(merged, expected, atol=5e-3)  # both are in half precision somewhere
    assert np.abs(plain - expected).max() > 0.05
