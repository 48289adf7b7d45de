"""What the training on a mixture reads: no training pair is held out, and files are checked."""

import csv

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
