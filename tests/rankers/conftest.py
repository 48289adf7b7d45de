"""Small texts and a small table of word vectors, for the tests of every network."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from rankers.systems import catalog
from tests.rankers import small_minilm

WORDS = 50
NOUNS = "apple boat candle drum engine flute garden harp island jacket kettle ladder mirror needle orange piano".split()
PLACES = "on the table;under a bridge;in some cellar;near my window;behind that old house".split(";")


@pytest.fixture
def texts():
    """``texts([3, 1])`` is a text of three words and one of one, of words that follow from ``seed``.

    ``extra`` adds columns of padding.
    """
    import torch

    from rankers.modules.scoring import Texts

    def make(lengths, *, seed=0, extra=0):
        generator = torch.Generator().manual_seed(seed)
        width = max(lengths) + extra
        mask = torch.arange(width) < torch.tensor(lengths)[:, None]  # (n, width)
        ids = torch.randint(1, WORDS, mask.shape, generator=generator)
        return Texts(ids.masked_fill(~mask, 0), mask)

    return make


@pytest.fixture
def embedding():
    """``embedding(8)`` is a layer on a table of 50 random words of 8 numbers, whose padding row is not 0."""
    import torch

    from rankers.modules.scoring import Embedding

    def make(dim=8, *, seed=0, trainable=False):
        table = torch.randn(WORDS, dim, generator=torch.Generator().manual_seed(seed))
        return Embedding(table, trainable=trainable)  # a leak from padding would show, as row 0 is like any other

    return make


@pytest.fixture(scope="session")
def asked():
    """``asked(8)`` are eight made-up questions with four candidates each, shuffled; right is who names what is sought.

    Every third question has two right candidates. ``start`` is the first question's noun, so other starts share words.
    """
    import numpy as np

    from rankers.types import Candidate, Question, Questions

    def make(n, *, split="train", start=0):
        def question(i):
            nouns = [NOUNS[(i + step) % len(NOUNS)] for step in (0, 3, 5, 7)]
            grades = (1, 1 if i % 3 == 0 else 0, 0, 0)
            names = (nouns[0], nouns[0] if grades[1] else nouns[1], nouns[2], nouns[3])
            texts = [f"the {name} is {PLACES[(i + place) % 5]}" for place, name in enumerate(names)]
            order = np.random.default_rng(i).permutation(4)
            pool = tuple(Candidate(f"c{i}-{place}", texts[entry], grades[entry]) for place, entry in enumerate(order))
            return Question(f"q{i}", f"where is the {nouns[0]} kept?", pool)

        return Questions("made-up", split, tuple(question(i) for i in range(start, start + n)))

    return make


@pytest.fixture(scope="session")
def ten_questions():
    """Ten questions of the toy set."""
    from rankers import data

    toy = data.load("toy", "train")
    return replace(toy, items=toy.items[:10])


@pytest.fixture(scope="session")
def small_encoder(ten_questions, tmp_path_factory):
    """``small_encoder("scan")`` are overrides by which SCAN reads a part of all-MiniLM-L6-v2."""
    texts = [text for q in ten_questions for text in (q.text, *(candidate.text for candidate in q.candidates))]
    parent = tmp_path_factory.mktemp("encoders")

    def overrides(name, *, layers=3):
        folder = parent / f"minilm-{layers}-layers"
        if not folder.exists():
            small_minilm.write(folder, texts, layers=layers)
        network = catalog.config(name, "smoke").network
        parts = ("inputs", "network") if hasattr(network, "checkpoint") else ("inputs",)
        frozen = {"network.frozen": layers - 1} if hasattr(network, "frozen") else {}
        return {f"{part}.checkpoint": str(folder) for part in parts} | frozen

    return overrides


class Bench(NamedTuple):
    """All that a training needs, small: twelve questions to learn from, eight to look at, MatchPyramid."""

    inputs: Any
    data: Any
    texts: Any
    dev: Any

    def network(self, seed: int = 0, **settings: Any) -> Any:
        """A fresh network."""
        from rankers.models import neural_ranker
        from rankers.models.match_pyramid import Config

        config = Config(**{"channels": (4,), "grid": (2, 3), "dropout": 0.1, **settings})
        return neural_ranker.build("match-pyramid", config, self.inputs, seed)

    def trainer(self, recipe: Any, negatives: Any = None, *, network: Any = None, **others: Any) -> Any:
        """A run before its first epoch; the network's start follows from the recipe's seed."""
        from rankers.training.sampling import Sampled
        from rankers.training.trainer import Trainer

        network = network or self.network(recipe.seed)
        negatives = Sampled(recipe.negatives, recipe.seed) if negatives is None else negatives
        settings = {"data": self.data, "texts": self.texts, "dev": self.dev, **others}
        return Trainer(network=network, recipe=recipe, negatives=negatives, **settings)


@pytest.fixture(scope="session")
def bench(asked):
    """A place to train networks in a second."""
    from rankers.modules import scoring, words
    from rankers.modules.scoring import Lengths
    from rankers.modules.words import InputConfig
    from rankers.training.sampling import Dev, training_set

    data = training_set(asked(12))
    inputs = words.build(InputConfig("random", size=16, at_least=1, project=8), data.questions + data.answers)
    texts = scoring.encode(inputs.vocabulary, data.questions, data.answers, Lengths(8, 12))
    return Bench(inputs, data, texts, Dev.of(asked(8, split="dev", start=4), inputs.vocabulary, Lengths(8, 12), "MRR"))
