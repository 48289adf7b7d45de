"""A small base, and trainings of seconds on made pairs."""

import numpy as np
import pytest

from answersim.training.bi_encoder.recipe import BiEncoderRecipe
from answersim.training.data.pairs import TrainingPair


@pytest.fixture(scope="session")
def base(tiny):
    return tiny("bert")


@pytest.fixture(scope="session")
def finished(base, tmp_path_factory):
    return train(base, tmp_path_factory.mktemp("finished"), metadata=METADATA)


WORDS = "old john feather merchant growth cortex eleven paris".split()
TINY = BiEncoderRecipe(
    epochs=2,
    batch_size=8,
    learning_rate=0.01,
    lora_r=2,
    lora_alpha=4.0,
    dropout=0.1,
    lora_dropout=0.1,
    precision="fp32",
    measure="spearman",
    evaluate_every=3,
    checkpoint_every=2,
)


def made(count=40, seed=0):
    """Pairs of two or three words, labeled by the share of the first text's words that the second has too."""
    rng = np.random.default_rng(seed)
    pairs = []
    for i in range(count):
        first, second = (" ".join(rng.choice(WORDS, size=rng.integers(2, 4))) for _ in range(2))
        share = len(set(first.split()) & set(second.split())) / len(set(first.split()))
        split = "dev" if i % 5 == 0 else "test" if i % 5 == 1 else "train"
        pairs.append(TrainingPair(f"{first} {i}", second, round(share, 4), split, "made"))
    return pairs


PAIRS = made()
METADATA = {"command": "answersim train names", "teacher": "sas|v:1"}


def train(base, output, recipe=TINY, pairs=PAIRS, **options):
    from answersim.training.bi_encoder import train as bi_encoder

    return bi_encoder.train(recipe, pairs, output, base=str(base), **options)


def weights(folder):
    from safetensors.torch import load_file

    return load_file(next(folder.rglob("*model.safetensors")))


def assert_equal(first, second):
    import torch

    torch.testing.assert_close(weights(first), weights(second), atol=0, rtol=0)
