"""ADDAX on a tiny BERT, and a step of its training."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from rankers.models.addax import Config, Network
from rankers.modules.scoring import Embedding
from rankers.modules.vocabulary import WordPieces
from rankers.training.objective import Step
from tests.rankers.models.small_addax import VARIANTS, batch


@pytest.fixture
def addax(tiny):
    """``addax(use_mag=False)`` has no cells. It is on a tiny BERT of 32 features, and starts the same each time."""

    def make(*, kind="addax", **settings):
        config = Config(str(tiny("bert")), question_length=5, answer_length=9, bits=8, widths=(10, 16), **settings)
        config = replace(config, **VARIANTS[kind])
        torch.manual_seed(0)
        return Network(config, Embedding(torch.zeros(WordPieces(str(tiny("bert"))).size, 2))).eval()

    return make


@pytest.fixture
def addax_step():
    """Three questions with a right answer and a wrong one each."""
    return Step(batch(), torch.tensor([[1.0, 0.0]] * 3), torch.ones(3, 2, dtype=torch.bool))
