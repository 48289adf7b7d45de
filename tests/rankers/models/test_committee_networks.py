"""What the three networks of the committee paper promise, as ranking needs it: a score is its pair's alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from rankers.inputs.batch import Batch, Texts
from rankers.inputs.embedding import Embedding
from rankers.models import dmn, man, match_pyramid

NETWORKS: dict[str, Callable[[Embedding], nn.Module]] = {
    "match-pyramid": lambda table: match_pyramid.Network(match_pyramid.Config(channels=(3, 4)), table),
    "dmn": lambda table: dmn.Network(dmn.Config(hidden=4, dense=5, question_length=8, answer_length=10), table),
    "man": lambda table: man.Network(man.Config(hidden=4), table),
    "man with mlp": lambda table: man.Network(man.Config(hidden=4, attention="mlp"), table),
}
each_network = pytest.mark.parametrize("name", NETWORKS)
few = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
lengths = st.lists(st.integers(1, 9), min_size=1, max_size=4)


@pytest.fixture
def network(name: str, embedding: Callable[..., Embedding]) -> nn.Module:
    torch.manual_seed(0)
    made = NETWORKS[name](embedding()).eval()
    for parameter in made.parameters():
        if parameter.ndim == 1:
            nn.init.uniform_(parameter, 0.1, 0.5)  # biases that show, through any relu, wherever padding is read
    return made


def all_pairs(questions: Texts, answers: Texts) -> Batch:
    """Every question with every answer."""
    q, a = len(questions.ids), len(answers.ids)
    return Batch(questions, answers, torch.arange(q).repeat_interleave(a), torch.arange(a).repeat(q))


def cut(texts: Texts, row: int) -> Texts:
    """This text alone, without padding."""
    return Texts(texts.ids[row][texts.mask[row]][None], texts.mask[row][texts.mask[row]][None])


def scores(network: nn.Module, batch: Batch) -> Tensor:
    with torch.no_grad():
        return network(batch)


@each_network
@given(lengths, lengths, st.integers(0, 5))
@few
def test_a_pair_ignores_its_neighbours_and_padding(
    network: nn.Module, texts: Callable[..., Texts], asked: list[int], said: list[int], extra: int
) -> None:
    batch = all_pairs(texts(asked, extra=extra), texts(said, seed=1, extra=extra))
    only = torch.tensor([0])
    alone = [
        scores(network, Batch(cut(batch.questions, int(q)), cut(batch.answers, int(a)), only, only))
        for q, a in zip(batch.question_of, batch.answer_of, strict=True)
    ]
    torch.testing.assert_close(scores(network, batch), torch.cat(alone), atol=1e-6, rtol=0)


@each_network
def test_the_order_of_pairs_and_of_texts_changes_no_score(network: nn.Module, texts: Callable[..., Texts]) -> None:
    batch = all_pairs(texts([3, 1, 6]), texts([9, 2, 4, 1], seed=1))
    there = scores(network, batch)
    order = torch.tensor([7, 0, 11, 3, 5, 1, 10, 2, 8, 4, 9, 6])
    shuffled = batch._replace(question_of=batch.question_of[order], answer_of=batch.answer_of[order])
    torch.testing.assert_close(scores(network, shuffled), there[order], atol=1e-6, rtol=0)
    turned = Batch(
        Texts(batch.questions.ids.flip(0), batch.questions.mask.flip(0)),
        Texts(batch.answers.ids.flip(0), batch.answers.mask.flip(0)),
        2 - batch.question_of,
        3 - batch.answer_of,
    )
    torch.testing.assert_close(scores(network, turned), there, atol=1e-6, rtol=0)


@each_network
def test_scores_are_one_float32_a_pair_and_tell_pairs_apart(network: nn.Module, texts: Callable[..., Texts]) -> None:
    result = scores(network, all_pairs(texts([3, 2]), texts([4, 6, 5], seed=1)))
    assert result.shape == (6,)
    assert result.dtype == torch.float32
    assert len(set(result.tolist())) == 6


@each_network
def test_gradients_are_finite_and_reach_every_parameter(
    network: nn.Module, name: str, texts: Callable[..., Texts], embedding: Callable[..., Embedding]
) -> None:
    network = NETWORKS[name](embedding(trainable=True))
    batch = all_pairs(texts([1, 6, 3]), texts([1, 9, 4, 7], seed=1))
    network(batch).square().sum().backward()
    for path, parameter in network.named_parameters():
        assert parameter.grad is not None, path
        assert parameter.grad.isfinite().all(), path
        assert parameter.grad.any(), path


@each_network
def test_texts_of_one_word_have_scores_and_gradients(network: nn.Module, texts: Callable[..., Texts]) -> None:
    result = network(all_pairs(texts([1]), texts([1], seed=1)))
    result.sum().backward()
    assert result.isfinite().all()
    assert all(parameter.grad is None or parameter.grad.isfinite().all() for parameter in network.parameters())


@each_network
def test_ten_questions_are_learned_by_heart(
    name: str, texts: Callable[..., Texts], embedding: Callable[..., Embedding]
) -> None:
    torch.manual_seed(0)
    network = NETWORKS[name](embedding(16))
    network.train()
    batch = Batch(
        texts([3] * 10), texts([5] * 20, seed=1), torch.arange(10).repeat(2), torch.arange(20)
    )  # pair i is right, pair 10 + i is wrong
    optimiser = torch.optim.Adam(network.parameters(), 0.02)
    for _ in range(150):
        result = network(batch)
        loss = (0.2 - result[:10] + result[10:]).clamp_min(0).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if not loss:
            break
    network.eval()
    result = scores(network, batch)
    assert (result[:10] > result[10:]).all()
