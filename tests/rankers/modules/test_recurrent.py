from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from rankers.modules.recurrent import BiGRU, BiLSTM, run_packed, steps

LENGTHS = [[1], [5, 5], [1, 1, 1], [3, 1, 6, 6, 2], [4, 2]]


def states(lengths: list[int], extra: int = 0, dim: int = 4) -> tuple[Tensor, Tensor]:
    """Random vectors of these many words, with noise at padding."""
    mask = torch.arange(max(lengths) + extra) < torch.tensor(lengths)[:, None]
    x = torch.randn(*mask.shape, dim, dtype=torch.double, generator=torch.Generator().manual_seed(len(lengths)))
    return x, mask


def lstm_word_by_word(cell: nn.LSTM, x: Tensor, way: str) -> Tensor:
    """The states of one text, (length, d) -> (length, h), by the equations, in the order given."""
    weights = dict(cell.named_parameters())
    state = memory = torch.zeros(cell.hidden_size, dtype=x.dtype)
    result = []
    for word in x:
        output = weights[f"weight_ih_l0{way}"] @ word + weights[f"bias_ih_l0{way}"]
        heard = weights[f"weight_hh_l0{way}"] @ state + weights[f"bias_hh_l0{way}"]
        into, forget, new, out = (output + heard).chunk(4)
        memory = forget.sigmoid() * memory + into.sigmoid() * new.tanh()
        state = out.sigmoid() * memory.tanh()
        result.append(state)
    return torch.stack(result)


def gru_word_by_word(cell: nn.GRU, x: Tensor, way: str) -> Tensor:
    weights = dict(cell.named_parameters())
    state, result = torch.zeros(cell.hidden_size, dtype=x.dtype), []
    for word in x:
        output = (weights[f"weight_ih_l0{way}"] @ word + weights[f"bias_ih_l0{way}"]).chunk(3)
        heard = (weights[f"weight_hh_l0{way}"] @ state + weights[f"bias_hh_l0{way}"]).chunk(3)
        reset, update = (output[0] + heard[0]).sigmoid(), (output[1] + heard[1]).sigmoid()
        state = (1 - update) * (output[2] + reset * heard[2]).tanh() + update * state
        result.append(state)
    return torch.stack(result)


READERS = [(BiLSTM, lstm_word_by_word), (BiGRU, gru_word_by_word)]


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize(("kind", "slow"), READERS, ids=["lstm", "gru"])
def test_states_are_those_of_each_text_read_word_by_word_from_both_ends(
    kind: type[BiLSTM] | type[BiGRU], slow: Callable[..., Tensor], lengths: list[int]
) -> None:
    reader = kind(4, 3).double()
    x, mask = states(lengths, extra=2)
    together = reader(x, mask)
    assert together.shape == (*mask.shape, 6)
    assert not together[~mask].any()
    for i, length in enumerate(lengths):
        text = x[i, :length]
        alone = torch.cat([slow(reader.cell, text, ""), slow(reader.cell, text.flip(0), "_reverse").flip(0)], dim=1)
        torch.testing.assert_close(together[i, :length], alone)


def test_words_are_read_first_words_first_and_longest_texts_first() -> None:
    read = steps(torch.tensor([[True, False, False], [True, True, True]]))
    assert read.places.tolist() == [3, 0, 4, 5]
    assert read.sizes == [2, 1, 1]
    assert read.mirrored.tolist() == [3, 1, 2, 0]  # the only word of the short text is its own mirror
    assert read.before.tolist() == [0, 2]


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
def test_values_and_gradients_equal_the_lstm_of_torch(lengths: list[int]) -> None:
    reader = BiLSTM(4, 3).double()
    x, mask = states(lengths, extra=1)
    x.requires_grad_()
    weigh = torch.randn(*mask.shape, 6, dtype=torch.double)
    ours, theirs = reader(x, mask), run_packed(reader.cell, x, mask)
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
