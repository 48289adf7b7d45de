from __future__ import annotations

import pytest
import torch
from torch import Tensor

from rankers.modules.attention import KINDS, MlpAttention, SequentialAttention, attention


def one_text(layer: torch.nn.Module, states: Tensor, guide: Tensor) -> Tensor:
    """The weights of one text's words for one guide, (length, d) and (d,) -> (length,), word by word."""
    if isinstance(layer, SequentialAttention):
        read = layer.reader.cell(torch.stack([state * guide for state in states])[None])[0][0]
        scores = [features.sum() for features in read]
    else:
        assert isinstance(layer, MlpAttention)
        scores = [layer.score((layer.state(state) + layer.guide(guide)).tanh())[0] for state in states]
    powers = torch.stack(scores).exp()
    return powers / powers.sum()


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_those_of_each_text_and_guide_alone(kind: str) -> None:
    torch.manual_seed(0)
    layer = attention(kind, 6)
    lengths, guides = [3, 1, 5], torch.randn(3, 2, 6)
    mask = torch.arange(6) < torch.tensor(lengths)[:, None]
    states = torch.randn(3, 6, 6)
    together = layer(states, mask, guides)
    assert together.shape == (3, 2, 6)
    for i, length in enumerate(lengths):
        for k in range(2):
            torch.testing.assert_close(together[i, k, :length], one_text(layer, states[i, :length], guides[i, k]))
            assert not together[i, k, length:].any()


def test_the_hidden_size_is_half_of_the_states_or_the_given_one() -> None:
    assert MlpAttention(6, 5).score.in_features == 5
    assert SequentialAttention(6, 2).reader.cell.hidden_size == 2
    assert SequentialAttention(6).reader.cell.hidden_size == 3
