"""The heat map of ADDAX shows what the pair is scored by."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from benchmarks.addax_codes import heat_map
from rankers.inputs import words
from rankers.inputs.batch import Batch
from rankers.inputs.scoring import Lengths
from rankers.inputs.vocabulary import pad_ids
from rankers.inputs.words import InputConfig
from rankers.models import addax, late_interaction, neural_ranker
from rankers.models.neural_ranker import NeuralRanker


@pytest.fixture
def ranker(tiny: Callable[..., Path]) -> Callable[..., NeuralRanker]:
    inputs = words.build(InputConfig(checkpoint=str(tiny("bert"))), [])

    def make(kind: str = "addax", **settings: Any) -> NeuralRanker:
        config = (addax if kind == "addax" else late_interaction).Config(
            str(tiny("bert")), question_length=5, answer_length=9, **settings
        )
        return NeuralRanker(kind, config, inputs, Lengths(5, 9), neural_ranker.build(kind, config, inputs, 0))

    return make


@pytest.mark.parametrize("settings", [{}, {"codes": "sign"}, {"use_hashing": False}])
def test_a_heat_map_shows_what_the_words_of_an_answer_are_matched_by(
    ranker: Callable[..., NeuralRanker], settings: dict[str, Any]
) -> None:
    made = ranker(bits=8, widths=(10, 16), dropout=0.5, **settings)
    network, vocabulary = made.network.train(), made.inputs.vocabulary
    answer = "the National League of feather merchants"
    tokens, values = heat_map(made, "eleven", answer)
    assert network.training
    (asked,), (output,) = vocabulary.ids(["eleven"], 5), vocabulary.ids([answer], 9)
    assert len(output) == 9  # cut
    assert tokens == network.encoder.tokens(output)
    zero = torch.zeros(1, dtype=torch.int64)
    with torch.no_grad():
        matched = network.eval().matched(Batch(pad_ids([asked]), pad_ids([output]), zero, zero))
    np.testing.assert_allclose(values, matched.answers.vectors[0].numpy(), atol=1e-6)
    assert (values.shape, values.dtype) == ((9, 8 if made.settings.use_hashing else 32), np.float64)


def test_another_ranker_has_no_codes_to_show(ranker: Callable[..., NeuralRanker]) -> None:
    with pytest.raises(TypeError, match="a late-interaction ranker has no codes to show"):
        heat_map(ranker("late-interaction", project=0), "a", "b")
