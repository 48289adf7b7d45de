"""A mixture as one file: how many pairs of which source, nothing of dev in train, and what is said."""

import pytest
import typer
from typer.testing import CliRunner

from answersim.training.data.pairs import TrainingPair, in_split, read_pairs
from tools.weights import write_mixture
from tools.weights.pairs import mixture
from tools.weights.pairs.mixture import Places, Source
from tools.weights.write_mixture import mixed


def source(train, dev):
    return Source(lambda _places, split, _seed: {"train": train, "dev": dev}[split], lambda _places: [])


def pairs(letter, size, split):
    return [TrainingPair(f"{letter}{split}{i}", f"{letter}{split}{i}x", 0.5, split, letter) for i in range(size)]


SMALL = {
    "ox": source(pairs("ox", 40, "train"), pairs("ox", 20, "dev")),
    "elk": source(pairs("elk", 10, "train"), pairs("elk", 4, "dev")),
    "fly": source(
        [
            TrainingPair("a", "b", 1.0),
            TrainingPair("A", "c", 1.0),  # "a" is in the dev pairs of this source
            TrainingPair("d", "OXDEV3x", 1.0),  # in those of another
            TrainingPair("d", "e", 1.0),
        ],
        [TrainingPair("A", "f", 0.0, "dev")],
    ),
}


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(mixture, "SOURCES", SMALL)


def made(tmp_path, seed=0, **take):
    return mixed(tuple(take.items()), seed, Places(tmp_path))


def sizes(found, split):
    sources = [pair.source for pair in in_split(found.pairs, split)]
    return {name: sources.count(name) for name in dict.fromkeys(sources)}


def test_zero_means_all_of_a_source_with_all_of_its_dev(tmp_path):
    result = made(tmp_path, ox=0, elk=0)
    assert result.pairs == [*pairs("ox", 40, "train"), *pairs("elk", 10, "train"), *pairs("ox", 20, "dev"),
                           *pairs("elk", 4, "dev")]  # fmt: skip
    assert (result.shared, result.left_out) == (0, 0)


def test_dev_is_taken_in_the_same_share_and_at_least_once(tmp_path):
    result = made(tmp_path, ox=10, elk=1)
    assert sizes(result, "train") == {"ox": 10, "elk": 1}
    assert sizes(result, "dev") == {"ox": 5, "elk": 1}
    assert len(set(result.pairs)) == 17


def test_train_leaves_out_the_texts_of_dev_whatever_their_case_and_counts_them(tmp_path):
    result = made(tmp_path, fly=0, ox=0)
    assert [pair for pair in result.pairs if not pair.source] == [
        TrainingPair("d", "e", 1.0),
        TrainingPair("A", "f", 0.0, "dev"),
    ]
    assert (result.shared, result.left_out) == (2, 3)  # the texts a and oxdev3x, and three pairs that hold them
    assert made(tmp_path, fly=0)[1:] == (1, 2)


def test_pairs_follow_from_the_seed_and_not_from_the_other_sources(tmp_path):
    alone, again, other, beside = (
        made(tmp_path, **take, seed=seed).pairs
        for take, seed in [({"ox": 10}, 0), ({"ox": 10}, 0), ({"ox": 10}, 1), ({"elk": 3, "ox": 10}, 0)]
    )
    assert alone == again != other
    assert [pair for pair in beside if pair.source == "ox"] == alone


def run(*arguments):
    app = typer.Typer()
    app.command()(write_mixture.main)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_command_writes_pairs_and_prints_how_many_were_left_out(tmp_path):
    path = tmp_path / "pairs.csv"
    result = run("--output", path, "--mixture", "fly=0,ox=30", "--seed", "3", "--data", tmp_path)
    assert result.exit_code == 0
    assert read_pairs(path) == made(tmp_path, fly=0, ox=30, seed=3).pairs
    assert "training pairs left out" in result.output
    assert f"written: {path}, {len(read_pairs(path))} pairs" in result.output
