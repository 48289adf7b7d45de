"""From states to vectors: each attention and composition against loops over one word and one pair at a time."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from rankers.modules.composition import (
    KINDS,
    Hops,
    LogitDifference,
    Matching,
    MlpAttention,
    SequentialAttention,
    States,
    attention,
    composition,
    similarity,
)
from tests.cases import every

DIM = 4


def states(lengths, seed, extra=0):
    mask = torch.arange(max(lengths) + extra) < torch.tensor(lengths)[:, None]
    noise = torch.randn(*mask.shape, DIM, generator=torch.Generator().manual_seed(seed))
    return States(noise.masked_fill(~mask[..., None], 50.0), mask)


QUESTIONS = states([3, 1], seed=1)
ANSWERS = states([2, 5, 1], seed=2)
QUESTION_OF = torch.tensor([0, 0, 1, 1])
ANSWER_OF = torch.tensor([2, 1, 0, 1])


def built(name, seed=0):
    torch.manual_seed(seed)
    return composition(name, DIM, hops=2)


def singles():
    """The states of each pair, without padding."""
    for question, answer in zip(QUESTION_OF.tolist(), ANSWER_OF.tolist(), strict=True):
        yield QUESTIONS.vectors[question][QUESTIONS.mask[question]], ANSWERS.vectors[answer][ANSWERS.mask[answer]]


def weighed(vectors: Tensor, scores: list[float]) -> Tensor:
    weights = torch.tensor(scores).exp()
    return sum(w / weights.sum() * x for w, x in zip(weights, vectors, strict=True))


def test_max_is_over_words():
    questions, answers = built("max")(QUESTIONS, ANSWERS, QUESTION_OF, ANSWER_OF)
    for i, (question, answer) in enumerate(singles()):
        assert torch.equal(questions[i, 0], question.max(dim=0).values)
        assert torch.equal(answers[i, 0], answer.max(dim=0).values)


@torch.no_grad()
def test_attention_weighs_the_answer_s_words_by_the_question():
    module = built("attention")
    questions, answers = module(QUESTIONS, ANSWERS, QUESTION_OF, ANSWER_OF)
    a, b, w = (layer.weight for layer in (module.weights.state, module.weights.guide, module.weights.score))
    for i, (question, answer) in enumerate(singles()):
        asked = question.max(dim=0).values
        expected = weighed(answer, [float(w[0] @ torch.tanh(a @ word + b @ asked)) for word in answer])
        torch.testing.assert_close(questions[i, 0], asked)
        torch.testing.assert_close(answers[i, 0], expected, rtol=0, atol=1e-5)


@torch.no_grad()
def test_attentive_pooling_weighs_both_texts_by_their_best_partner():
    module = built("attentive-pooling")
    questions, answers = module(QUESTIONS, ANSWERS, QUESTION_OF, ANSWER_OF)
    u = module.product.weight
    for i, (question, answer) in enumerate(singles()):
        soft = [[float(torch.tanh((u @ x) @ y)) for y in answer] for x in question]
        of_question = weighed(question, [max(row) for row in soft])
        of_answer = weighed(answer, [max(column) for column in zip(*soft, strict=True)])
        torch.testing.assert_close(questions[i, 0], of_question, rtol=0, atol=1e-5)
        torch.testing.assert_close(answers[i, 0], of_answer, rtol=0, atol=1e-5)


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
def test_weights_are_those_of_each_text_and_guide_alone(kind):
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


def sum_of_cosines(layer: nn.Module, question: Tensor, answer: Tensor) -> Tensor:
    total = torch.zeros(())
    for guide in hops_word_by_word(layer.question, question):
        seen = one_text(layer.answer, answer, guide) @ answer
        total = total + (seen @ guide) / (seen.norm() * guide.norm())
    return total


@every("hops", [0, 1, 3])
def test_each_hop_remembers_the_ones_before(hops):
    torch.manual_seed(0)
    layer = Hops(DIM, hops)
    x, mask = states([4, 1, 2], seed=0)
    together = layer(x, mask)
    assert together.shape == (3, hops + 1, DIM)
    for i, length in enumerate([4, 1, 2]):
        torch.testing.assert_close(together[i], torch.stack(hops_word_by_word(layer, x[i, :length])))


@every(("name", "hops"), [("multihop", 2), ("multihop-mlp", 2), ("multihop", 0)])
def test_multihop_scores_are_the_sum_of_cosines_of_each_pair_alone(name, hops):
    torch.manual_seed(0)
    layer = Matching(DIM, name, "cosine", hops)
    together = layer(QUESTIONS, ANSWERS, QUESTION_OF, ANSWER_OF)
    alone = [sum_of_cosines(layer.composition, question, answer) for question, answer in singles()]
    torch.testing.assert_close(together, torch.stack(alone), atol=1e-5, rtol=0)


A = torch.tensor([[[3.0, 4.0]], [[1.0, 0.0]], [[2.0, 0.0]], [[0.0, 0.0]]])
B = torch.tensor([[[4.0, 3.0]], [[0.0, 5.0]], [[-1.0, 0.0]], [[1.0, 1.0]]])


def test_a_logit_gives_the_probability_of_the_paper_and_its_cross_entropy():
    torch.manual_seed(0)
    layer = LogitDifference(2)
    score = layer(A, B)
    probabilities = layer.layers(torch.cat([A, B], dim=-1)).softmax(-1)  # p_0, p_1
    torch.testing.assert_close(score.sigmoid(), probabilities[..., 1])
    for label in (0, 1):
        expected = -probabilities[..., label].log()
        target = torch.full_like(score, label)
        result = functional.binary_cross_entropy_with_logits(score, target, reduction="none")
        torch.testing.assert_close(result, expected)


def test_the_network_has_two_layers_and_knows_which_text_is_the_question():
    torch.manual_seed(0)
    layer = similarity("mlp", 2)
    first, second = layer.layers[0], layer.layers[2]
    by_hand = torch.relu(torch.cat([A, B], -1) @ first.weight.T + first.bias) @ second.weight.T + second.bias
    torch.testing.assert_close(layer(A, B), by_hand[..., 1] - by_hand[..., 0])
    assert not torch.allclose(layer(A, B), layer(B, A))
