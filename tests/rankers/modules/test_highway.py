"""The highway by its equations."""

from __future__ import annotations

import pytest
import torch

from rankers.modules.highway import Highway


def test_it_is_the_paper_s_equations_ten_to_thirteen() -> None:
    torch.manual_seed(0)
    layer, x = Highway(4, 3), torch.randn(5, 4)
    w3, b3, w4, b4, w5, b5 = (parameter.detach() for parameter in layer.parameters())
    for one, found in zip(x, layer(x), strict=True):
        p, g = torch.relu(w3 @ one + b3), 1 / (1 + torch.exp(-(w4 @ one + b4)))
        torch.testing.assert_close(found, w5 @ ((1 - g) * one + g * p) + b5)


@pytest.mark.parametrize("bias", [-1.0, -2.0])
def test_its_gates_start_with_the_bias_that_was_asked_for(bias: float) -> None:
    assert Highway(4, 3, gate_bias=bias).gate.bias.tolist() == [bias] * 4


def test_what_comes_in_is_passed_on_where_the_gates_are_shut() -> None:
    layer, x = Highway(4, 4, gate_bias=-100.0), torch.randn(5, 4)
    torch.testing.assert_close(layer(x), layer.out(x))
