"""Scores are the same in whatever batches pairs go through a network, and scoring leaves the network as it was."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from rankers.modules import scoring
from rankers.modules.composition import BiGRU, BiLSTM
from rankers.modules.pooling import Packing, masked_max, masked_mean, masked_softmax, max_sim
from rankers.modules.scoring import (
    Batch,
    Embedding,  # needs torch
    Encoded,
    Lengths,
)
from rankers.modules.vocabulary import Words
from tests.cases import every

unhurried = settings(deadline=None)  # the machine may be busy


class Recorder(nn.Module):
    """Scores a pair by its ids, and remembers what went through it."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(0.01, dtype=torch.float64))
        self.shapes: list[tuple[int, int]] = []

    def forward(self, batch: Batch) -> Tensor:
        questions, answers = batch.pairs()
        self.shapes.append((answers.ids.shape[0], answers.ids.shape[1]))
        assert not self.training
        return (questions.ids.sum(dim=1) * 100 + (answers.ids * answers.mask).sum(dim=1)) * self.weight


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Encoded, np.ndarray, np.ndarray]:
    text = st.lists(st.integers(1, 9), min_size=1, max_size=7)
    texts = Encoded(draw(st.lists(text, min_size=1, max_size=3)), draw(st.lists(text, min_size=1, max_size=6)))
    n = draw(st.integers(0, 12))
    rows = [
        draw(st.lists(st.integers(0, len(side) - 1), min_size=n, max_size=n))
        for side in (texts.questions, texts.answers)
    ]
    return texts, np.array(rows[0], dtype=np.int64), np.array(rows[1], dtype=np.int64)


@unhurried
@given(pairs(), st.integers(1, 40))
def test_scores_keep_their_order_in_batches_of_any_size(made, batch_words):
    texts, questions, answers = made
    network = Recorder()
    result = scoring.scores(network, texts, questions, answers, batch_words)
    expected = [
        (sum(texts.questions[q]) * 100 + sum(texts.answers[a])) / 100 for q, a in zip(questions, answers, strict=True)
    ]
    np.testing.assert_allclose(result, expected)
    assert all(n == 1 or n * width <= batch_words for n, width in network.shapes)
    assert sum(n for n, _ in network.shapes) == len(questions)


@unhurried
@given(pairs())
def test_a_batch_holds_each_text_once_and_every_pair_in_order(made):
    texts, questions, answers = made
    batch = scoring.batch(texts, questions, answers)
    assert len(batch.questions.ids) == len(set(questions.tolist()))
    assert len(batch.answers.ids) == len(set(answers.tolist()))
    for side, rows, text in zip(batch.pairs(), (questions, answers), texts, strict=True):
        assert [ids[there].tolist() for ids, there in zip(*side, strict=True)] == [text[row] for row in rows]


@pytest.mark.parametrize("training", [True, False])
def test_the_network_stays_in_its_mode_and_gets_no_gradient(training, bench):
    network = bench.network(dropout=0.5).train(training)
    before = [parameter.clone() for parameter in network.parameters()]
    rows = bench.data.pairs
    first, again = (scoring.scores(network, bench.texts, rows[:, 0], rows[:, 1]) for _ in range(2))
    assert np.array_equal(first, again)  # no dropout, whatever the mode
    assert network.training is training
    assert all(parameter.grad is None for parameter in network.parameters())
    assert all(torch.equal(old, new) for old, new in zip(before, network.parameters(), strict=True))
    assert (first.dtype, first.shape) == (np.float64, (len(rows),))


def test_questions_and_answers_are_cut_at_their_own_lengths():
    words = Words(["a", "b", "c"])
    assert scoring.encode(words, ["a b c"], ["a b c", "c"], Lengths(1, 2)) == Encoded([[2]], [[2, 3], [4]])


TABLE = torch.tensor([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]])

IDS = torch.tensor([[1, 2], [2, 0]])


def test_an_embedding_gives_the_rows_of_a_table_which_is_a_weight_if_trained():
    assert Embedding(TABLE)(IDS).tolist() == [[[3.0, 4.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]]
    assert Embedding(TABLE, normalise=True)(IDS)[0, 0].tolist() == pytest.approx([0.6, 0.8])
    assert (Embedding(TABLE).dim, list(Embedding(TABLE).state_dict())) == (2, [])
    assert list(Embedding(TABLE, trainable=True).state_dict()) == ["table"]
    layer = Embedding(TABLE, dim=5)
    assert (layer.dim, layer(IDS).shape) == (5, (2, 2, 5))
    assert [name for name, _ in layer.named_parameters()] == ["projection.weight", "projection.bias"]


@pytest.mark.parametrize("kind", [BiLSTM, BiGRU])
@pytest.mark.parametrize("lengths", [[1], [5, 5], [3, 1, 6, 6, 2]], ids=str)
def test_padding_changes_no_state_of_a_text_and_its_own_are_zero(kind, lengths):
    reader = kind(4, 3).double()
    mask = torch.arange(max(lengths) + 2) < torch.tensor(lengths)[:, None]
    x = torch.randn(*mask.shape, 4, dtype=torch.double, generator=torch.Generator().manual_seed(0))
    together = reader(x, mask)
    assert together.shape == (*mask.shape, 6)
    assert not together[~mask].any()
    for i, length in enumerate(lengths):
        torch.testing.assert_close(together[i, :length], reader.cell(x[i : i + 1, :length])[0][0])


# Two texts of two features: the second word of the first is padding, and holds what would win or spoil every pool.
X = torch.tensor([[[-1.0, 2.0], [float("nan"), float("inf")], [9.0, 9.0]], [[-4.0, 1.0], [-2.0, 3.0], [-3.0, 5.0]]])

MASK = torch.tensor([[True, False, False], [True, True, True]])


@every(("pool", "expected"), [(masked_mean, [[-1.0, 2.0], [-3.0, 3.0]]), (masked_max, [[-1.0, 2.0], [-2.0, 5.0]])])
def test_a_pool_is_over_words_only_and_zero_without_any(pool, expected):
    assert pool(X, MASK).tolist() == expected
    assert pool(X, torch.zeros_like(MASK)).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_weights_are_the_softmax_of_unmasked_scores_over_the_dimension_that_is_named():
    scores = torch.tensor([[0.0, math.log(3.0), 50.0]])
    weights = masked_softmax(scores, torch.tensor([[True, True, False]]))
    torch.testing.assert_close(weights, torch.tensor([[0.25, 0.75, 0.0]]))
    mask = torch.tensor([[True, False, True], [True, True, False]])
    weights = masked_softmax(torch.arange(6.0).reshape(2, 3), mask, dim=0)
    assert weights.sum(dim=0).tolist() == pytest.approx([1, 1, 1])
    assert weights[0, 1] == 0


@every("pool", [masked_mean, masked_max, lambda x, mask: masked_softmax(x, mask[..., None], dim=1)])
def test_gradients_are_finite_and_padding_gets_none(pool):
    x = X.nan_to_num(posinf=7.0).clone().requires_grad_()
    mask = MASK.clone()
    mask[0] = False  # a text without words at all
    (pool(x, mask) * torch.arange(1.0, 3.0)).sum().backward()  # type: ignore[operator]
    grad: Tensor | None = x.grad
    assert grad is not None
    assert grad.isfinite().all()
    assert not grad[~mask].any()


def inputs(questions: list[int], answers: list[int], seed: int = 0) -> tuple[torch.Tensor, ...]:
    """Vectors with noise at padding, and their masks."""
    generator = torch.Generator().manual_seed(seed)
    results = []
    for lengths in (questions, answers):
        mask = torch.arange(max(lengths) + 1) < torch.tensor(lengths)[:, None]
        results += [torch.randn(*mask.shape, 5, generator=generator), mask]
    return tuple(results)


def test_it_is_the_sum_of_the_best_cosines_of_the_question():
    questions, question_mask, answers, answer_mask = inputs([3, 1, 2], [4, 2, 1])
    expected = []
    for q, qm, a, am in zip(questions, question_mask, answers, answer_mask, strict=True):
        total = 0.0
        for entry in q[qm]:
            total += max(float(entry @ other / (entry.norm() * other.norm())) for other in a[am])
        expected.append(total)
    assert max_sim(questions, question_mask, answers, answer_mask).tolist() == pytest.approx(expected, abs=1e-5)


def test_padding_does_not_win_and_an_answer_without_words_agrees_with_none():
    question, answer = torch.tensor([[[1.0, 0.0]]]), torch.tensor([[[-1.0, 0.0], [-1.0, 1.0], [1.0, 0.0]]])
    result = max_sim(question, torch.tensor([[True]]), answer, torch.tensor([[True, True, False]]))
    assert result.tolist() == pytest.approx([-(0.5**0.5)])
    questions, question_mask, answers, answer_mask = inputs([3, 2], [4, 4])
    assert max_sim(questions, question_mask, answers, answer_mask & False).tolist() == [-3, -2]


def test_gradients_are_finite_and_none_reaches_padding():
    questions, question_mask, answers, answer_mask = inputs([3, 1, 2], [4, 0, 1])
    questions.requires_grad_()
    answers.requires_grad_()
    max_sim(questions, question_mask, answers, answer_mask).sum().backward()
    for x, mask in ((questions, question_mask), (answers, answer_mask)):
        assert x.grad is not None
        assert x.grad.isfinite().all()
        assert x.grad.any()
        assert not x.grad[~mask].any()


PACKED = torch.tensor([[True, True, True, False], [True, False, False, False]])

TEXTS = torch.tensor([[[1.0], [2.0], [6.0], [99.0]], [[4.0], [99.0], [99.0], [99.0]]])

ROWS = torch.tensor([[1.0], [2.0], [6.0], [4.0]])


def test_packed_rows_are_the_words_text_after_text_and_texts_again():
    packing = Packing(PACKED)
    assert torch.equal(packing.rows(TEXTS), ROWS)
    assert (packing.text_of.tolist(), packing.position.tolist()) == ([0, 0, 0, 1], [0, 1, 2, 0])
    assert torch.equal(packing.texts(ROWS), TEXTS.masked_fill(TEXTS == 99, 0))  # zeros at padding
    assert packing.means(ROWS).tolist() == [[3.0], [4.0]]
    rows, taken = packing.take(ROWS, torch.tensor([1, 0, 1]))  # in another order, and one twice
    assert rows.tolist() == [[4.0], [1.0], [2.0], [6.0], [4.0]]
    assert taken.text_of.tolist() == [0, 1, 1, 1, 2]
    assert torch.equal(taken.mask, PACKED[[1, 0, 1]])
