from __future__ import annotations

import pytest
import torch
from torch import Tensor

from rankers.modules.attention import KINDS, Hops, MlpAttention, MultihopAttention, SequentialAttention, attention
from tests.cases import every


def one_text(layer: torch.nn.Module, states: Tensor, guide: Tensor) -> Tensor:
    """The weights of one text's words for one guide, (length, d) and (d,) -> (length,), word by word."""
    if isinstance(layer, SequentialAttention):
        read = layer.reader.cell(torch.stack([state * guide for state in states])[None])[0][0]
        scores = [features.sum() for features in read]
    else:
        assert isinstance(layer, MlpAttention)
        scores = [layer.score((layer.state(state) + layer.guide(guide)).tanh())[0] for state in states]
    powers = torch.stack(scores).exp()
    return powers / powers.sum()


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_those_of_each_text_and_guide_alone(kind: str) -> None:
    torch.manual_seed(0)
    layer = attention(kind, 6)
    lengths, guides = [3, 1, 5], torch.randn(3, 2, 6)
    mask = torch.arange(6) < torch.tensor(lengths)[:, None]
    states = torch.randn(3, 6, 6)
    together = layer(states, mask, guides)
    assert together.shape == (3, 2, 6)
    for i, length in enumerate(lengths):
        for k in range(2):
            torch.testing.assert_close(together[i, k, :length], one_text(layer, states[i, :length], guides[i, k]))
            assert not together[i, k, length:].any()


def hops_word_by_word(layer: Hops, states: Tensor) -> list[Tensor]:
    """o_0 ... o_K of one text, (length, d), by the equations."""
    result = [states.mean(dim=0)]
    memory = result[0]
    for _ in range(layer.hops):
        scores = [layer.score[0](layer.states[0](h).tanh() * layer.memory[0](memory).tanh())[0] for h in states]
        powers = torch.stack(scores).exp()
        weights = powers / powers.sum()
        result.append(sum(w * h for w, h in zip(weights, states, strict=True)))  # type: ignore[arg-type]
        memory = memory + result[-1]
    return result


def sum_of_cosines(layer: MultihopAttention, question: Tensor, answer: Tensor) -> Tensor:
    total = torch.zeros(())
    for guide in hops_word_by_word(layer.question, question):
        weights = layer.answer(answer[None], torch.ones(1, len(answer), dtype=torch.bool), guide[None, None])[0, 0]
        seen = sum(w * h for w, h in zip(weights, answer, strict=True))
        total = total + (seen @ guide) / (seen.norm() * guide.norm())  # type: ignore[union-attr,operator]
    return total


def states(lengths: list[int], seed: int) -> tuple[Tensor, Tensor]:
    mask = torch.arange(max(lengths) + 1) < torch.tensor(lengths)[:, None]
    return torch.randn(*mask.shape, 6, generator=torch.Generator().manual_seed(seed)), mask


@every("hops", [0, 1, 3])
def test_each_hop_remembers_the_ones_before(hops: int) -> None:
    torch.manual_seed(0)
    layer = Hops(6, hops)
    x, mask = states([4, 1, 2], 0)
    together = layer(x, mask)
    assert together.shape == (3, hops + 1, 6)
    for i, length in enumerate([4, 1, 2]):
        torch.testing.assert_close(together[i], torch.stack(hops_word_by_word(layer, x[i, :length])))


@every(("kind", "hops"), [("sequential", 2), ("mlp", 2), ("sequential", 0)])
def test_scores_are_the_sum_of_cosines_of_each_pair_alone(kind: str, hops: int) -> None:
    torch.manual_seed(0)
    layer = MultihopAttention(6, hops, kind=kind)
    (questions, asked), (answers, said) = states([4, 1], 0), states([3, 5, 1], 1)
    question_of, answer_of = torch.tensor([0, 0, 1, 1]), torch.tensor([2, 0, 1, 0])
    together = layer(questions, asked, answers, said, question_of, answer_of)
    alone = [
        sum_of_cosines(layer, questions[q][asked[q]], answers[a][said[a]])
        for q, a in zip(question_of, answer_of, strict=True)
    ]
    torch.testing.assert_close(together, torch.stack(alone), atol=1e-5, rtol=0)
