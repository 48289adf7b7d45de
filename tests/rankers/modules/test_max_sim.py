"""MaxSim against a loop over single words, and what padding would do to it."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import pad

from rankers.modules.max_sim import max_sim


def inputs(questions: list[int], answers: list[int], seed: int = 0) -> tuple[torch.Tensor, ...]:
    """Vectors with noise at padding, and their masks."""
    generator = torch.Generator().manual_seed(seed)
    found = []
    for lengths in (questions, answers):
        mask = torch.arange(max(lengths) + 1) < torch.tensor(lengths)[:, None]
        found += [torch.randn(*mask.shape, 5, generator=generator), mask]
    return tuple(found)


def test_it_is_the_sum_over_the_question_of_the_best_cosine_with_a_word_of_the_answer() -> None:
    questions, question_mask, answers, answer_mask = inputs([3, 1, 2], [4, 2, 1])
    expected = []
    for q, qm, a, am in zip(questions, question_mask, answers, answer_mask, strict=True):
        total = 0.0
        for one in q[qm]:
            total += max(float(one @ other / (one.norm() * other.norm())) for other in a[am])
        expected.append(total)
    assert max_sim(questions, question_mask, answers, answer_mask).tolist() == pytest.approx(expected, abs=1e-5)


def test_padding_does_not_win_against_words_that_all_point_away() -> None:
    question, answer = torch.tensor([[[1.0, 0.0]]]), torch.tensor([[[-1.0, 0.0], [-1.0, 1.0], [1.0, 0.0]]])
    result = max_sim(question, torch.tensor([[True]]), answer, torch.tensor([[True, True, False]]))
    assert result.tolist() == pytest.approx([-(0.5**0.5)])


def test_more_padding_of_any_kind_changes_nothing() -> None:
    questions, question_mask, answers, answer_mask = inputs([3, 1], [4, 2])
    wide = pad(questions, (0, 0, 0, 3), value=torch.nan), pad(answers, (0, 0, 0, 2), value=torch.inf)
    result = max_sim(wide[0], pad(question_mask, (0, 3)), wide[1], pad(answer_mask, (0, 2)))
    torch.testing.assert_close(result, max_sim(questions, question_mask, answers, answer_mask))


def test_the_order_of_an_answer_s_words_changes_nothing() -> None:
    questions, question_mask, answers, answer_mask = inputs([3, 2], [4, 4])
    turned = max_sim(questions, question_mask, answers.flip(1), answer_mask.flip(1))
    torch.testing.assert_close(turned, max_sim(questions, question_mask, answers, answer_mask))


def test_the_length_of_a_vector_changes_nothing_and_a_vector_of_zeros_has_a_cosine_of_zero() -> None:
    questions, question_mask, answers, answer_mask = inputs([3], [4])
    torch.testing.assert_close(
        max_sim(questions * 7, question_mask, answers / 9, answer_mask),
        max_sim(questions, question_mask, answers, answer_mask),
    )
    assert max_sim(questions, question_mask, answers * 0, answer_mask).tolist() == [0]


def test_an_answer_without_words_agrees_with_none() -> None:
    questions, question_mask, answers, answer_mask = inputs([3, 2], [4, 4])
    assert max_sim(questions, question_mask, answers, answer_mask & False).tolist() == [-3, -2]


def test_gradients_are_finite_and_none_reaches_padding() -> None:
    questions, question_mask, answers, answer_mask = inputs([3, 1, 2], [4, 0, 1])
    questions.requires_grad_()
    answers.requires_grad_()
    max_sim(questions, question_mask, answers, answer_mask).sum().backward()
    for x, mask in ((questions, question_mask), (answers, answer_mask)):
        assert x.grad is not None
        assert x.grad.isfinite().all()
        assert x.grad.any()
        assert not x.grad[~mask].any()
