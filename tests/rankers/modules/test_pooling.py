from __future__ import annotations

import pytest
import torch
from torch import Tensor

from rankers.modules.pooling import masked_max, masked_mean, masked_softmax

# Two texts of two features: the second word of the first is padding, and holds what would win or spoil every pool.
X = torch.tensor([[[-1.0, 2.0], [float("nan"), float("inf")], [9.0, 9.0]], [[-4.0, 1.0], [-2.0, 3.0], [-3.0, 5.0]]])
MASK = torch.tensor([[True, False, False], [True, True, True]])


def test_the_mean_is_over_words_only() -> None:
    assert masked_mean(X, MASK).tolist() == [[-1.0, 2.0], [-3.0, 3.0]]


def test_the_maximum_is_over_words_only_and_may_be_negative() -> None:
    assert masked_max(X, MASK).tolist() == [[-1.0, 2.0], [-2.0, 5.0]]


@pytest.mark.parametrize("pool", [masked_mean, masked_max])
def test_a_text_without_words_is_zero(pool: object) -> None:
    assert pool(X, torch.zeros_like(MASK)).tolist() == [[0.0, 0.0], [0.0, 0.0]]  # type: ignore[operator]


def test_weights_are_the_softmax_of_what_is_kept_and_zero_elsewhere() -> None:
    scores = torch.tensor([[0.0, torch.log(torch.tensor(3.0)), 50.0]])
    torch.testing.assert_close(
        masked_softmax(scores, torch.tensor([[True, True, False]])), torch.tensor([[0.25, 0.75, 0.0]])
    )


def test_weights_are_all_zero_where_nothing_is_kept() -> None:
    assert masked_softmax(torch.tensor([1.0, 2.0]), torch.tensor([False, False])).tolist() == [0.0, 0.0]


def test_weights_sum_to_one_over_the_dimension_that_is_named() -> None:
    scores = torch.arange(6.0).reshape(2, 3)
    mask = torch.tensor([[True, False, True], [True, True, False]])
    assert masked_softmax(scores, mask, dim=0).sum(dim=0).tolist() == pytest.approx([1, 1, 1])
    assert masked_softmax(scores, mask, dim=0)[0, 1] == 0


@pytest.mark.parametrize("pool", [masked_mean, masked_max, lambda x, mask: masked_softmax(x, mask[..., None], dim=1)])
def test_gradients_are_finite_and_padding_gets_none(pool: object) -> None:
    x = X.nan_to_num(posinf=7.0).clone().requires_grad_()
    mask = MASK.clone()
    mask[0] = False  # a text without words at all
    (pool(x, mask) * torch.arange(1.0, 3.0)).sum().backward()  # type: ignore[operator]
    grad: Tensor | None = x.grad
    assert grad is not None
    assert grad.isfinite().all()
    assert not grad[~mask].any()
