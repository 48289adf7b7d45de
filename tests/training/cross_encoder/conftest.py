"""A tiny base, and pairs with random labels in three splits."""

import numpy as np
import pytest

from answersim.training.data.pairs import TrainingPair, write_pairs

WORDS = "a man dog cat runs sleeps red blue big".split()


@pytest.fixture(scope="session")
def tiny_base(tiny):
    return tiny("bert")


@pytest.fixture(scope="session")
def pairs():
    """Splits of 18, 8 and 8 pairs, all different."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(2, 6))) + f" {i}" for i in range(68)]
    splits = ["train"] * 18 + ["dev"] * 8 + ["test"] * 8
    return [
        TrainingPair(texts[i], texts[i + 34], round(float(rng.uniform()), 3), split) for i, split in enumerate(splits)
    ]


@pytest.fixture(scope="session")
def finished(tiny_base, pairs, tmp_path_factory):
    """The adapter of a finished training; a test that writes into its folder copies it."""
    from tests.training.cross_encoder.trained import trained

    return trained(pairs, tmp_path_factory.mktemp("finished"), tiny_base)


@pytest.fixture
def pairs_file(pairs, tmp_path):
    path = tmp_path / "pairs.csv"
    write_pairs(pairs, path)
    return path
