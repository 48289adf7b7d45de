"""The denoiser layer by layer, its two constraints by hand, and where their gradients go."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from rankers.modules.mag import Denoiser, Hashed, quantization, reconstruction, signs


@pytest.fixture
def denoiser() -> Callable[..., Denoiser]:
    """``denoiser(alpha=2.0)`` has six features, three bits, and its own random weights."""

    def make(**settings: object) -> Denoiser:
        torch.manual_seed(0)
        return Denoiser(6, 3, (5, 4), **settings)  # type: ignore[arg-type]

    return make


def test_layers_are_tanh_relu_tanh_and_back_again_with_a_linear_end(denoiser: Callable[..., Denoiser]) -> None:
    made, words = denoiser(alpha=2.0), torch.randn(7, 6)
    ways = [(each.weight, each.bias) for each in (made.first, made.second, made.third)]
    raw = words
    for (weight, bias), act in zip(ways, (torch.tanh, torch.relu, torch.tanh), strict=True):
        raw = act(raw @ weight.T + bias)
    codes = torch.tanh(2.0 * raw)
    back = [(each.weight, each.bias) for each in made.decoder]
    restored = codes
    for (weight, bias), act in zip(back, (torch.tanh, torch.relu, lambda x: x), strict=True):
        restored = act(restored @ weight.T + bias)
    result = made(words)
    for one, other in zip(result, (raw, codes, restored), strict=True):
        torch.testing.assert_close(one, other)
    assert restored.shape == words.shape


def hashed(raw: list[list[float]], restored: list[list[float]]) -> Hashed:
    b = torch.tensor(raw, requires_grad=True)
    return Hashed(b, torch.tanh(5 * b), torch.tensor(restored, requires_grad=True))


def test_the_first_constraint_is_the_squared_distance_from_the_signs() -> None:
    raw = [[0.1, -0.2], [0.0, 0.3], [-0.4, 0.5]]  # two words of one text and one of another
    expected = sum((torch.tanh(torch.tensor(5 * b)).item() - (1 if b >= 0 else -1)) ** 2 for row in raw for b in row)
    result = quantization(hashed(raw, [[0.0]] * 3), texts=2)
    assert float(result.detach()) == pytest.approx(expected / 2)


@pytest.mark.parametrize(("reduction", "expected"), [("text", 15 / 2), ("word", 15 / 3)])
def test_the_second_constraint_is_reduced_as_asked(reduction: str, expected: float) -> None:
    made = hashed([[0.0]] * 3, [[1.0, 0.0], [0.0, 3.0], [2.0, 1.0]])
    result = reconstruction(made, torch.tensor([[0.0, 0.0], [0.0, 0.0], [1.0, -1.0]]), 2, reduction)
    assert float(result.detach()) == pytest.approx(expected)


def test_the_signs_are_a_target_without_a_gradient_and_push_codes_away_from_zero() -> None:
    made = hashed([[0.2, -0.2]], [[0.0]])
    quantization(made, 1).backward()
    assert made.raw.grad is not None
    assert made.raw.grad[0, 0] < 0 < made.raw.grad[0, 1]  # a step against it makes 0.2 larger and -0.2 smaller
    assert not signs(made.raw).requires_grad
    assert signs(torch.tensor([-0.5, -0.0, 0.0, 2.0])).tolist() == [-1, 1, 1, 1]


def test_words_cannot_shrink_to_be_restored_more_easily(denoiser: Callable[..., Denoiser]) -> None:
    words = torch.randn(4, 6, requires_grad=True)
    made = denoiser()
    restored = made(words.detach()).restored
    reconstruction(Hashed(torch.empty(0), torch.empty(0), restored), words, 2).backward()
    assert words.grad is None
    assert made.first.weight.grad is not None
