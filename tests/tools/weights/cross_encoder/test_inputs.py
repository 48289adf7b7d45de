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
            [(dev.first, dev.second, 1), (f"  {test.second.upper()}. ", test.first, 2), (dev.first, test.second, 3)]
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


def test_a_wrong_line_is_an_error_that_names_it(data):
    (data / "en-train.csv").write_text("a dog,a cat,1\na dog,a cat,-1\n")
    with pytest.raises(ValueError, match=r"en-train\.csv.*line 2: the score is '-1'"):
        inputs.load(places(data), TINY)


def test_a_missing_folder_or_file_is_an_error(data, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no data folder at .*nowhere"):
        inputs.load(Places(tmp_path / "nowhere"), TINY)
    with pytest.raises(FileNotFoundError, match=r"no .*de-train\.csv, which the source .sts-de. reads"):
        inputs.load(places(data), MixtureRecipe(mixture=(("sts-de", 0),)))
