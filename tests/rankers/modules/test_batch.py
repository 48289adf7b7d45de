"""Padded texts, and the rows of each pair."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from rankers.modules.scoring import Batch, Texts, rows  # noqa: E402 # needs torch

QUESTIONS = Texts(torch.tensor([[5, 6], [7, 0]]), torch.tensor([[True, True], [True, False]]))
ANSWERS = Texts(torch.tensor([[1], [2], [3]]), torch.ones(3, 1, dtype=torch.bool))


def test_rows_are_taken_in_order_with_their_padding() -> None:
    taken = rows(QUESTIONS, torch.tensor([1, 0, 1]))
    assert taken.ids.tolist() == [[7, 0], [5, 6], [7, 0]]
    assert taken.mask.tolist() == [[True, False], [True, True], [True, False]]


def test_pairs_repeat_a_text_for_each_of_its_pairs() -> None:
    batch = Batch(QUESTIONS, ANSWERS, torch.tensor([0, 0, 1]), torch.tensor([2, 0, 1]))
    questions, answers = batch.pairs()
    assert questions.ids.tolist() == [[5, 6], [5, 6], [7, 0]]
    assert answers.ids.tolist() == [[3], [1], [2]]
