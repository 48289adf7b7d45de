"""What the training on a mixture reads: no training pair is held out, and files are checked."""

import csv

import pytest

from answersim.training.data.pairs import TrainingPair
from tools.weights.cross_encoder import inputs
from tools.weights.cross_encoder.recipe import MixtureRecipe
from tools.weights.pairs import sts
from tools.weights.pairs.mixture import Places

TINY = MixtureRecipe()


def places(folder):
    return Places(folder.parent)


def test_a_training_pair_known_from_dev_or_test_in_either_order_is_left_out(data):
    dev, test = (sts.read_csv(data / f"en-{split}.csv")[0] for split in ("dev", "test"))
    with (data / "en-train.csv").open("a", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [
                (dev.first, dev.second, 1),
                (f"  {test.second.upper()}. ", test.first, 2),
                (dev.first, test.second, 3),
            ]
        )
    loaded = inputs.load(places(data), TINY)
    assert [tuple(pair[:3]) for pair in loaded.pools["sts"].pairs[18:]] == [(dev.first, test.second, 0.6)]


def test_a_training_pair_that_another_source_holds_out_is_left_out_and_counted(data, monkeypatch):
    known, other = TrainingPair("A dog.", "a cat", 1.0), TrainingPair("a dog", "a man", 0.0)

    def load(name, places, split, seed):
        if split == "train":
            return [known, other]
        return [TrainingPair("A CAT", "a dog!", 0.5), TrainingPair("red", "blue", 0.0)]

    monkeypatch.setattr(inputs.mixture, "load", load)
    loaded = inputs.load(places(data), MixtureRecipe(**vars(TINY) | {"mixture": (("sts", 0), ("dates", 0))}))
    assert loaded.pools["dates"].pairs == [other]
    assert loaded.removed == 2  # once of each source


def test_no_training_pair_left_is_an_error(data):
    (data / "en-train.csv").write_bytes((data / "en-dev.csv").read_bytes())
    with pytest.raises(ValueError, match="'sts' has no pairs of the split 'train'"):
        inputs.load(places(data), TINY)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "en-train.csv is empty"),
        ("a dog,a cat,5.1\n", "line 1: the score is '5.1', but it must be a number from 0 to 5"),
        ("a dog,a cat,1\na dog,a cat,-1\n", "line 2: the score is '-1'"),
        ("a dog,a cat,nan\n", "line 1: the score is 'nan'"),
        ("a dog,a cat,high\n", "line 1: the score is 'high'"),
        ("a dog,a cat\n", "line 1: 2 columns"),
        ("a dog, ,3\n", "line 1: one of the two sentences is empty"),
    ],
)
def test_a_wrong_file_is_an_error_that_names_the_line(data, content, complaint):
    (data / "en-train.csv").write_text(content)
    with pytest.raises(ValueError, match=r"en-train\.csv") as raised:
        inputs.load(places(data), TINY)
    assert complaint in str(raised.value)


def test_a_missing_folder_or_file_is_an_error(data, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no data folder at .*nowhere"):
        inputs.load(Places(tmp_path / "nowhere"), TINY)
    with pytest.raises(FileNotFoundError, match=r"no .*de-train\.csv, which the source .sts-de. reads"):
        inputs.load(places(data), MixtureRecipe(mixture=(("sts-de", 0),)))
