"""The training of the shipped reranker: what it learns from, and the adapter that it writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("peft")

from rankers.models.minilm import MiniLmHybrid
from rankers.models.neural_ranker import NeuralRanker
from rankers.types import Candidate, Question, Questions
from tests.tools.weights.trained_hybrid import trained_hybrid
from tools.weights import reranker

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


def test_a_strength_of_zero_is_the_untrained_encoder(
    trained: NeuralRanker, tiny: Callable[..., Path], tmp_path: Path
) -> None:
    reranker.write(trained, tmp_path, strength=0.0)
    folder = str(tiny("bert"))
    none = np.concatenate(MiniLmHybrid(folder, adapter=tmp_path).score(QUESTIONS, CANDIDATES))
    np.testing.assert_allclose(
        none, np.concatenate(MiniLmHybrid(folder).score(QUESTIONS, CANDIDATES)), rtol=0, atol=1e-6
    )


def test_a_scorer_that_does_not_read_the_question_is_found() -> None:
    def pools(reveals: bool) -> Questions:
        items = []
        for i in range(40):
            words = [f"word{i % 4}", f"word{(i + 1) % 4}"]
            texts = [f"{word} {'yes' if reveals and place == 0 else 'no'} {i}" for place, word in enumerate(words)]
            candidates = tuple(Candidate(str(k), text, int(k == 0)) for k, text in enumerate(texts))
            items.append(Question(str(i), f"which {words[0]}?", candidates))
        return Questions("made", "train", tuple(items))

    assert reranker.without_question(pools(True)) == {"P@1": 1.0, "chance": 0.5}
    assert reranker.without_question(pools(False))["P@1"] < 0.8
