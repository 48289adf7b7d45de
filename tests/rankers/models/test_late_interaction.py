from __future__ import annotations

import numpy as np
import pytest
import torch

from rankers.models.late_interaction import Config, Network
from rankers.models.minilm import MiniLmMaxSim
from rankers.modules import scoring
from rankers.modules.scoring import Lengths
from rankers.modules.words import InputConfig, build

QUESTIONS = ["the quick brown fox", "a dog"]
CANDIDATES = [["a lazy dog", "fox", "the quick brown fox"], ["the quick brown fox", "a dog"]]
SHORT = {"question_length": 40, "answer_length": 40}


@pytest.fixture
def scores(tiny):
    """The scores of all candidates by a network with these settings on the tiny BERT."""

    def make(**settings):
        folder = str(tiny("bert"))
        inputs = build(InputConfig(checkpoint=folder), [])
        torch.manual_seed(0)
        network = Network(Config(checkpoint=folder, **SHORT, **settings), inputs.embedding())
        answers = [entry for pool in CANDIDATES for entry in pool]
        texts = scoring.encode(inputs.vocabulary, QUESTIONS, answers, Lengths(40, 40))
        return scoring.scores(network, texts, np.array([0, 0, 0, 1, 1]), np.arange(5)).tolist()

    return make


def test_untrained_it_is_maxsim_over_the_encoder_s_states(scores, tiny):
    expected = np.concatenate(MiniLmMaxSim(str(tiny("bert"))).score(QUESTIONS, CANDIDATES))
    assert scores(project=0) == pytest.approx(expected.tolist(), abs=2e-3)  # states in half precision
    assert len(set(np.round(expected, 1))) > 2


def test_a_projection_that_loses_no_dimension_starts_there_as_well(scores):
    assert scores(project=32) == pytest.approx(scores(project=0), abs=1e-4)
    assert scores(project=8) != pytest.approx(scores(project=0), abs=1e-1)


def test_a_residual_layer_starts_there_as_well_and_moves_when_trained(scores, tiny):
    assert scores(project=0, residual=16) == pytest.approx(scores(project=0), abs=1e-6)
    folder = str(tiny("bert"))
    inputs = build(InputConfig(checkpoint=folder), [])
    network = Network(Config(checkpoint=folder, **SHORT, project=0, residual=16), inputs.embedding())
    texts = scoring.encode(inputs.vocabulary, QUESTIONS, ["a lazy dog", "fox"], Lengths(40, 40))
    batch = scoring.batch(texts, np.array([0, 1]), np.array([0, 1]))
    optimizer = torch.optim.SGD(network.parameters(), lr=1.0)
    before = network(batch).detach()
    for _ in range(2):  # the first step moves the zeros of the last layer, the second one all of it
        optimizer.zero_grad()
        network(batch)[0].backward()
        optimizer.step()
    for layer in (network.question_layer, network.answer_layer):
        assert all(float(parameter.grad.abs().sum()) > 0 for parameter in layer.parameters())
    assert float(network(batch).detach()[0]) < float(before[0])


def test_the_presets():
    assert Config.paper() == Config(
        checkpoint="bert-base-uncased",
        unfrozen_layers=12,
        project=0,
        dropout=0.1,
        question_length=32,
        answer_length=128,
    )
    assert Config.cpu() == Config(project=384, question_length=20, answer_length=50)


def test_long_texts_and_other_vocabularies_are_refused(tiny, embedding):
    folder = str(tiny("bert"))
    with pytest.raises(ValueError, match="has 64 positions: read at most 62"):
        Network(Config(checkpoint=folder), embedding())
    with pytest.raises(ValueError, match="the words have 50 ids"):
        Network(Config(checkpoint=folder, **SHORT), embedding())
