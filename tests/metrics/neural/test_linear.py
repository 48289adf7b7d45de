"""Products with laid-out weights against plain ones."""

from typing import Any

import pytest

from tests.cases import every

torch = pytest.importorskip("torch")

from answersim.metrics.neural import linear  # noqa: E402
from answersim.metrics.neural.linear import Linear  # noqa: E402


def drawn(*shape: int, seed: int = 0) -> Any:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@every("rows", [1, 3, 50, 4000])
@every("activation", [None, "gelu", "relu"])
def test_the_numbers_are_those_of_the_plain_product(rows, activation):
    weight, bias, states = drawn(24, 40, seed=1), drawn(24, seed=2), drawn(rows, 40, seed=3)
    act = None if activation is None else getattr(torch.nn.functional, activation)
    expected = states.double() @ weight.double().T + bias.double()
    expected = expected if act is None else act(expected)
    for lay_out in (True, False):
        layer = Linear(weight, bias, act, is_gelu=activation == "gelu", lay_out=lay_out)
        torch.testing.assert_close(layer(states).double(), expected, rtol=1e-5, atol=2e-5)


def test_what_torch_does_not_have_is_computed_plainly(monkeypatch):
    weight, bias, states = drawn(24, 40), drawn(24), drawn(5, 40)
    monkeypatch.setattr(linear, "_kinds", frozenset)
    layer = Linear(weight, bias)
    assert layer._laid_out is None
    assert torch.equal(layer(states), torch.nn.functional.linear(states, weight, bias))


def test_a_product_that_torch_computes_otherwise_is_not_used(monkeypatch):
    assert not linear._works(torch.float64)  # a kind that is not offered
    if not linear._works(torch.float32):
        pytest.skip("this torch has no such products")
    original = torch.ops.mkldnn._linear_pointwise
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", lambda *arguments: original(*arguments) + 1)
    assert not linear._works(torch.float32)
    monkeypatch.delattr(torch.ops.mkldnn, "_linear_pointwise")


def test_a_large_model_is_not_kept_twice():
    assert linear.worth_laying_out(100_000_000)
    assert not linear.worth_laying_out(560_000_000)
