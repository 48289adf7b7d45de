"""From states to vectors: each composition against loops over one pair at a time, and against multihop attention."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from rankers.modules.attention import MultihopAttention
from rankers.modules.composition import LogitDifference, Matching, States, composition, similarity

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


@pytest.mark.parametrize(("name", "kind"), [("multihop", "sequential"), ("multihop-mlp", "mlp")])
def test_multihop_with_cosines_is_the_score_of_multihop_attention(name, kind):
    torch.manual_seed(0)
    matching = Matching(DIM, name, "cosine", hops=2)
    other = MultihopAttention(DIM, 2, kind=kind)
    other.load_state_dict(matching.composition.state_dict())
    result = matching(QUESTIONS, ANSWERS, QUESTION_OF, ANSWER_OF)
    expected = other(*QUESTIONS.of(QUESTION_OF), *ANSWERS.of(ANSWER_OF))
    torch.testing.assert_close(result, expected, rtol=0, atol=1e-5)
    assert result.abs().max() > 1  # a sum over hops, no longer a cosine


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
