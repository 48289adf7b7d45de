from __future__ import annotations

import pytest
import torch
from torch import Tensor

from rankers.modules.pooling import Packing, masked_max, masked_mean, masked_softmax, max_sim
from tests.cases import every

# Two texts of two features: the second word of the first is padding, and holds what would win or spoil every pool.
X = torch.tensor([[[-1.0, 2.0], [float("nan"), float("inf")], [9.0, 9.0]], [[-4.0, 1.0], [-2.0, 3.0], [-3.0, 5.0]]])
MASK = torch.tensor([[True, False, False], [True, True, True]])


def test_the_mean_is_over_words_only():
    assert masked_mean(X, MASK).tolist() == [[-1.0, 2.0], [-3.0, 3.0]]


def test_the_maximum_is_over_words_only_and_may_be_negative():
    assert masked_max(X, MASK).tolist() == [[-1.0, 2.0], [-2.0, 5.0]]


@pytest.mark.parametrize("pool", [masked_mean, masked_max])
def test_a_text_without_words_is_zero(pool):
    assert pool(X, torch.zeros_like(MASK)).tolist() == [[0.0, 0.0], [0.0, 0.0]]  # type: ignore[operator]


def test_weights_are_the_softmax_of_unmasked_scores_and_zero_elsewhere():
    scores = torch.tensor([[0.0, torch.log(torch.tensor(3.0)), 50.0]])
    torch.testing.assert_close(
        masked_softmax(scores, torch.tensor([[True, True, False]])), torch.tensor([[0.25, 0.75, 0.0]])
    )


def test_weights_sum_to_one_over_the_dimension_that_is_named():
    scores = torch.arange(6.0).reshape(2, 3)
    mask = torch.tensor([[True, False, True], [True, True, False]])
    assert masked_softmax(scores, mask, dim=0).sum(dim=0).tolist() == pytest.approx([1, 1, 1])
    assert masked_softmax(scores, mask, dim=0)[0, 1] == 0


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


def test_padding_does_not_win_against_words_that_all_point_away():
    question, answer = torch.tensor([[[1.0, 0.0]]]), torch.tensor([[[-1.0, 0.0], [-1.0, 1.0], [1.0, 0.0]]])
    result = max_sim(question, torch.tensor([[True]]), answer, torch.tensor([[True, True, False]]))
    assert result.tolist() == pytest.approx([-(0.5**0.5)])


def test_an_answer_without_words_agrees_with_none():
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


def test_rows_are_the_words_text_after_text():
    packing = Packing(PACKED)
    assert torch.equal(packing.rows(TEXTS), ROWS)
    assert packing.text_of.tolist() == [0, 0, 0, 1]
    assert packing.position.tolist() == [0, 1, 2, 0]


def test_texts_are_the_rows_again_with_zeros_at_padding():
    assert torch.equal(Packing(PACKED).texts(ROWS), TEXTS.masked_fill(TEXTS == 99, 0))


def test_means_are_over_words_only():
    assert Packing(PACKED).means(ROWS).tolist() == [[3.0], [4.0]]


def test_texts_may_be_taken_in_another_order_and_twice():
    rows, packing = Packing(PACKED).take(ROWS, torch.tensor([1, 0, 1]))
    assert rows.tolist() == [[4.0], [1.0], [2.0], [6.0], [4.0]]
    assert packing.text_of.tolist() == [0, 1, 1, 1, 2]
    assert torch.equal(packing.mask, PACKED[[1, 0, 1]])
