from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from rankers.modules.composition import BiGRU, BiLSTM

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
