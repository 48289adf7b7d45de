from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from rankers.models.hybrid import Config, Network
from rankers.models.minilm import MiniLmHybrid
from rankers.modules import scoring
from rankers.modules.scoring import Lengths
from rankers.modules.words import InputConfig, build

QUESTIONS = ["the quick brown fox", "a dog"]
CANDIDATES = [["a lazy dog", "fox", "the quick brown fox"], ["the quick brown fox", "a dog"]]
SHORT = {"question_length": 40, "answer_length": 40, "unfrozen_layers": 1, "lora_r": 2}


def scores(folder: str, **settings: Any) -> list[float]:
    """The scores of all candidates by a network with these settings."""
    inputs = build(InputConfig(checkpoint=folder), [])
    torch.manual_seed(0)
    network = Network(Config(checkpoint=folder, **SHORT | settings), inputs.embedding()).eval()
    texts = scoring.encode(
        inputs.vocabulary, QUESTIONS, [text for pool in CANDIDATES for text in pool], Lengths(40, 40)
    )
    return scoring.scores(network, texts, np.array([0, 0, 0, 1, 1]), np.arange(5)).tolist()


@pytest.mark.parametrize(("late", "scale"), [(1.0, 1.0), (0.5, 20.0)])
def test_untrained_it_is_the_hybrid_times_a_scale(late, scale, tiny):
    folder = str(tiny("bert"))
    expected = np.concatenate(MiniLmHybrid(folder, late=late).score(QUESTIONS, CANDIDATES))
    result = np.array(scores(folder, late=late, scale=scale)) / scale
    assert result == pytest.approx(expected, abs=2e-3)  # states in half precision
    assert len(set(np.round(expected, 1))) > 2
