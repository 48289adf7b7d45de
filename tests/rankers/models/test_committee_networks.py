"""Gradients of the three networks of the committee paper; test_contract_trained.py has the promises of scores."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from rankers.models import dmn, man, match_pyramid
from rankers.modules.scoring import Batch, Embedding, Texts

NETWORKS: dict[str, Callable[[Embedding], nn.Module]] = {
    "match-pyramid": lambda table: match_pyramid.Network(match_pyramid.Config(channels=(3, 4)), table),
    "dmn": lambda table: dmn.Network(dmn.Config(hidden=4, dense=5, question_length=8, answer_length=10), table),
    "man": lambda table: man.Network(man.Config(hidden=4), table),
    "man with mlp": lambda table: man.Network(man.Config(hidden=4, attention="mlp"), table),
}
each_network = pytest.mark.parametrize("name", NETWORKS)


@pytest.fixture
def network(name, embedding):
    torch.manual_seed(0)
    built = NETWORKS[name](embedding()).eval()
    for parameter in built.parameters():
        if parameter.ndim == 1:
            nn.init.uniform_(parameter, 0.1, 0.5)  # biases that show, through any relu, wherever padding is read
    return built


def all_pairs(questions: Texts, answers: Texts) -> Batch:
    """Every question with every answer."""
    q, a = len(questions.ids), len(answers.ids)
    return Batch(questions, answers, torch.arange(q).repeat_interleave(a), torch.arange(a).repeat(q))


@each_network
def test_gradients_are_finite_and_reach_every_parameter(network, name, texts, embedding):
    network = NETWORKS[name](embedding(trainable=True))
    batch = all_pairs(texts([1, 6, 3]), texts([1, 9, 4, 7], seed=1))
    network(batch).square().sum().backward()
    for path, parameter in network.named_parameters():
        assert parameter.grad is not None, path
        assert parameter.grad.isfinite().all(), path
        assert parameter.grad.any(), path
