"""Words as rows without padding, on two texts of three and one words."""

import torch

from rankers.modules.pooling import Packing

MASK = torch.tensor([[True, True, True, False], [True, False, False, False]])
TEXTS = torch.tensor([[[1.0], [2.0], [6.0], [99.0]], [[4.0], [99.0], [99.0], [99.0]]])
ROWS = torch.tensor([[1.0], [2.0], [6.0], [4.0]])


def test_rows_are_the_words_text_after_text():
    packing = Packing(MASK)
    assert torch.equal(packing.rows(TEXTS), ROWS)
    assert packing.text_of.tolist() == [0, 0, 0, 1]
    assert packing.position.tolist() == [0, 1, 2, 0]


def test_texts_are_the_rows_again_with_zeros_at_padding():
    assert torch.equal(Packing(MASK).texts(ROWS), TEXTS.masked_fill(TEXTS == 99, 0))


def test_means_are_over_words_only():
    assert Packing(MASK).means(ROWS).tolist() == [[3.0], [4.0]]


def test_a_vector_is_spread_over_the_words_of_its_text():
    assert Packing(MASK).spread(torch.tensor([[7.0], [8.0]])).tolist() == [[7.0], [7.0], [7.0], [8.0]]


def test_texts_may_be_taken_in_another_order_and_twice():
    rows, packing = Packing(MASK).take(ROWS, torch.tensor([1, 0, 1]))
    assert rows.tolist() == [[4.0], [1.0], [2.0], [6.0], [4.0]]
    assert packing.text_of.tolist() == [0, 1, 1, 1, 2]
    assert torch.equal(packing.mask, MASK[[1, 0, 1]])


def test_the_gradient_of_a_row_is_that_of_its_word():
    x = torch.zeros(2, 4, 1, requires_grad=True)
    packing = Packing(MASK)
    (packing.texts(packing.rows(x) * ROWS)).sum().backward()
    assert torch.equal(x.grad, TEXTS.masked_fill(TEXTS == 99, 0))
