"""The bidirectional LSTM: the numbers and gradients of torch's own."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from rankers.modules.recurrent import BiLSTM, packed

LENGTHS = [[1], [5, 5], [1, 1, 1], [3, 1, 6, 6, 2], [4, 2]]


def states(lengths: list[int], extra: int = 0, dim: int = 4) -> tuple[Tensor, Tensor]:
    """Random vectors of these many words, with noise at padding."""
    mask = torch.arange(max(lengths) + extra) < torch.tensor(lengths)[:, None]
    x = torch.randn(*mask.shape, dim, dtype=torch.double, generator=torch.Generator().manual_seed(len(lengths)))
    return x, mask


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
def test_values_and_gradients_are_those_of_torch_s_own_lstm(lengths: list[int]) -> None:
    reader = BiLSTM(4, 3).double()
    x, mask = states(lengths, extra=1)
    x.requires_grad_()
    weigh = torch.randn(*mask.shape, 6, dtype=torch.double)
    ours, theirs = reader(x, mask), packed(reader.cell, x, mask)
    torch.testing.assert_close(ours, theirs)
    inputs = [x, *reader.parameters()]
    grads = [torch.autograd.grad((out * weigh).sum(), inputs) for out in (ours, theirs)]
    torch.testing.assert_close(*grads)


def test_the_gradient_is_the_slope() -> None:
    reader = BiLSTM(2, 2).double()
    x, mask = states([3, 1], dim=2)
    assert torch.autograd.gradcheck(lambda each: reader(each, mask), (x.requires_grad_(),))


def test_a_gradient_can_be_taken_twice() -> None:
    reader = BiLSTM(4, 3).double()
    x, mask = states([3, 2])
    total = reader(x.requires_grad_(), mask).square().sum()
    once, again = (torch.autograd.grad(total, x, retain_graph=True)[0] for _ in range(2))
    assert torch.equal(once, again)
    assert once.any()
