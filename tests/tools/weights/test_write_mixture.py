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


def test_pairs_are_taken_from_those_that_are_left(tmp_path):
    assert sizes(made(tmp_path, fly=2), "train") == {"": 2}
    with pytest.raises(
        ValueError, match="takes 3 pairs of fly, but only 2 share no text with dev; give fewer, or 0 for all"
    ):
        made(tmp_path, fly=3)


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one source"),
        ("ox=some", "not of the form sts=0,dates=100"),
        ("ox=1,ox=2", "each once"),
        ("ox=-1", "but a number of pairs must be 0 or more"),
        ("oxx=1", "did you mean 'ox'"),
        ("ox=41", "only 40 share no text with dev"),
    ],
)
def test_another_mixture_is_an_error_and_nothing_is_written(tmp_path, text, message):
    result = run("--output", tmp_path / "pairs.csv", "--mixture", text, "--data", tmp_path)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert list(tmp_path.iterdir()) == []


def test_without_a_mixture_it_is_that_of_the_adapter_that_ships(tmp_path, monkeypatch):
    monkeypatch.setattr(write_mixture, "ANSWERS", (("elk", 5),))
    result = run("--output", tmp_path / "pairs.csv", "--data", tmp_path)
    assert result.exit_code == 0
    assert [pair.source for pair in in_split(read_pairs(tmp_path / "pairs.csv"), "train")] == ["elk"] * 5


def test_the_data_folder_is_that_of_the_environment_or_named(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setitem(
        SMALL, "ox", Source(lambda places, *_: seen.append(places) or pairs("ox", 1, "dev"), lambda _: [])
    )
    monkeypatch.delenv("ANSWERSIM_DATA", raising=False)
    arguments = ("--output", tmp_path / "pairs.csv", "--mixture", "ox")
    assert "set $ANSWERSIM_DATA" in run(*arguments).output
    assert not seen
    monkeypatch.setenv("ANSWERSIM_DATA", str(tmp_path))
    run(*arguments, "--dictionary", tmp_path / "wordnet")
    assert set(seen) == {Places(tmp_path, tmp_path / "wordnet")}


@pytest.mark.parametrize(
    ("name", "message"), [("pairs.parquet", "written as .csv or .tsv"), ("none/pairs.csv", "create it first")]
)
def test_an_impossible_output_file_is_an_error_before_any_work(tmp_path, monkeypatch, name, message):
    monkeypatch.setattr(mixture, "load", lambda *_: pytest.fail("pairs were made"))
    result = run("--output", tmp_path / name, "--mixture", "ox", "--data", tmp_path)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert list(tmp_path.iterdir()) == []
