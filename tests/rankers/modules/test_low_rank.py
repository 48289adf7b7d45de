from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from rankers.modules.frozen_encoder import FrozenEncoder
from rankers.modules.low_rank import LowRank, adapt


def test_it_starts_as_the_frozen_layer_and_trains_two_matrices_only() -> None:
    torch.manual_seed(0)
    linear = nn.Linear(5, 3)
    layer, x = LowRank(linear, 2), torch.randn(4, 5)
    assert torch.equal(layer(x), linear(x))
    assert {name: tuple(p.shape) for name, p in layer.named_parameters()} == {"a": (2, 5), "b": (3, 2)}
    assert set(layer.state_dict()) == {"a", "b"}


def test_it_adds_the_product_of_both_matrices() -> None:
    torch.manual_seed(0)
    linear = nn.Linear(5, 3)
    layer, x = LowRank(linear, 2), torch.randn(4, 5)
    nn.init.normal_(layer.b)
    expected = x @ (linear.weight + layer.b @ layer.a).T + linear.bias
    assert torch.allclose(layer(x), expected, atol=1e-6)


def test_every_linear_layer_inside_is_replaced() -> None:
    module = adapt(nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Sequential(nn.Linear(4, 2, bias=False))), 3)
    assert sum(isinstance(child, LowRank) for child in module.modules()) == 2
    assert not [child for child in module.modules() if isinstance(child, nn.Linear)]
    assert module(torch.ones(1, 4)).shape == (1, 2)


def test_a_rank_of_zero_trains_whole_layers_of_an_encoder(tiny: Callable[..., Path]) -> None:
    whole, low = (FrozenEncoder(str(tiny("bert")), unfrozen_layers=1, lora_r=rank, longest=8) for rank in (0, 2))
    assert any(name.endswith("dense.weight") for name, _ in whole.named_parameters())
    names = [name for name, _ in low.named_parameters()]
    assert names
    assert {name.rsplit(".", 1)[1] for name in names} == {"a", "b"}
    assert sum(p.numel() for p in low.parameters()) < sum(p.numel() for p in whole.parameters()) / 2
