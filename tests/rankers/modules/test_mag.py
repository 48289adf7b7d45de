"""The gating cell against its equations for one word at a time, and what padding and order do to it."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from rankers.modules.composition import States
from rankers.modules.mag import Denoiser, Hashed, Highway, MagCell, quantization, reconstruction, signs
from tests.cases import every

OTHER = 7  # the most words of the other text


def states(lengths: list[int], seed: int) -> States:
    """Vectors with noise at padding."""
    mask = torch.arange(max(lengths) + 1) < torch.tensor(lengths)[:, None]
    return States(torch.randn(*mask.shape, 4, generator=torch.Generator().manual_seed(seed)), mask)


def cell(**settings: Any) -> MagCell:
    torch.manual_seed(0)
    return MagCell(4, OTHER, **settings)


def by_words(built: MagCell, own: States, other: States, s: torch.Tensor) -> torch.Tensor:
    """One word at a time, with S padded by zeros to the fixed length as the paper's shapes ask for."""
    out = torch.zeros_like(own.vectors)
    for n in range(len(own.mask)):
        t = int(other.mask[n].sum())
        for i in range(int(own.mask[n].sum())):
            row = s[n, i, :t]
            r = row.softmax(0) @ other.vectors[n, :t]
            d = own.vectors[n, i] - r
            full = torch.cat([row, torch.zeros(OTHER - t)])
            e = torch.sigmoid(built.feature.weight @ full + built.feature.bias)
            fr, fd, p = r * e, d * (1 - e), torch.tensor([1.0])
            p = torch.sigmoid(built.share.weight @ full + built.share.bias)
            if built.highway is not None:
                out[n, i] = built.highway(torch.cat([p * fr, (1 - p) * fd]))
            else:
                out[n, i] = p * fr + (1 - p) * fd
    return out


@every("settings", [{}, {"highway": False}, {"gate_bias": 2.0}])
def test_it_equals_the_equations_of_the_paper_for_each_word(settings):
    built, ours, other = cell(**settings), states([4, 1, 3], 0), states([2, 6, 1], 1)
    s = ours.vectors @ other.vectors.transpose(1, 2)
    with torch.no_grad():
        torch.testing.assert_close(built(ours, other, s), by_words(built, ours, other, s), atol=1e-5, rtol=0)
    longer = states([OTHER + 1] * 3, 1)
    with pytest.raises(ValueError, match="more than 7 words"):
        built(ours, longer, ours.vectors @ longer.vectors.transpose(1, 2))


def test_a_cell_that_passes_on_gives_back_its_own_text():
    ours, other = states([3, 2], 0), states([2, 4], 1)
    s = ours.vectors @ other.vectors.transpose(1, 2)
    for settings, factor in (({"gate_bias": -100.0}, 1), ({"highway": False}, 1 / 4)):
        built = cell(**settings)
        built.pass_on()
        torch.testing.assert_close(built(ours, other, s)[ours.mask], factor * ours.vectors[ours.mask])


def test_it_equals_equations_ten_to_thirteen_of_the_paper():
    torch.manual_seed(0)
    layer, x = Highway(4, 3), torch.randn(5, 4)
    w3, b3, w4, b4, w5, b5 = (parameter.detach() for parameter in layer.parameters())
    for item, entry in zip(x, layer(x), strict=True):
        p, g = torch.relu(w3 @ item + b3), 1 / (1 + torch.exp(-(w4 @ item + b4)))
        torch.testing.assert_close(entry, w5 @ ((1 - g) * item + g * p) + b5)


@pytest.fixture
def denoiser():
    """``denoiser(alpha=2.0)`` has six features, three bits, and its own random weights."""

    def make(**settings):
        torch.manual_seed(0)
        return Denoiser(6, 3, (5, 4), **settings)  # type: ignore[arg-type]

    return make


def test_layers_are_tanh_relu_tanh_and_back_again_with_a_linear_end(denoiser):
    built, words = denoiser(alpha=2.0), torch.randn(7, 6)
    ways = [(entry.weight, entry.bias) for entry in (built.first, built.second, built.third)]
    raw = words
    for (weight, bias), act in zip(ways, (torch.tanh, torch.relu, torch.tanh), strict=True):
        raw = act(raw @ weight.T + bias)
    codes = torch.tanh(2.0 * raw)
    back = [(entry.weight, entry.bias) for entry in built.decoder]
    restored = codes
    for (weight, bias), act in zip(back, (torch.tanh, torch.relu, lambda x: x), strict=True):
        restored = act(restored @ weight.T + bias)
    result = built(words)
    for first, second in zip(result, (raw, codes, restored), strict=True):
        torch.testing.assert_close(first, second)
    assert restored.shape == words.shape


def hashed(raw: list[list[float]], restored: list[list[float]]) -> Hashed:
    b = torch.tensor(raw, requires_grad=True)
    return Hashed(b, torch.tanh(5 * b), torch.tensor(restored, requires_grad=True))


def test_the_first_constraint_is_the_squared_distance_from_the_signs():
    raw = [[0.1, -0.2], [0.0, 0.3], [-0.4, 0.5]]  # two words of one text and one of another
    expected = sum((torch.tanh(torch.tensor(5 * b)).item() - (1 if b >= 0 else -1)) ** 2 for row in raw for b in row)
    result = quantization(hashed(raw, [[0.0]] * 3), texts=2)
    assert float(result.detach()) == pytest.approx(expected / 2)
    built = hashed([[0.2, -0.2]], [[0.0]])
    quantization(built, 1).backward()
    assert built.raw.grad is not None
    assert built.raw.grad[0, 0] < 0 < built.raw.grad[0, 1]  # a step against it makes 0.2 larger and -0.2 smaller
    assert not signs(built.raw).requires_grad
    assert signs(torch.tensor([-0.5, -0.0, 0.0, 2.0])).tolist() == [-1, 1, 1, 1]


@pytest.mark.parametrize(("reduction", "expected"), [("text", 15 / 2), ("word", 15 / 3)])
def test_the_second_constraint_is_reduced_as_asked(reduction, expected):
    built = hashed([[0.0]] * 3, [[1.0, 0.0], [0.0, 3.0], [2.0, 1.0]])
    result = reconstruction(built, torch.tensor([[0.0, 0.0], [0.0, 0.0], [1.0, -1.0]]), 2, reduction)
    assert float(result.detach()) == pytest.approx(expected)


def test_words_cannot_shrink_to_be_restored_more_easily(denoiser):
    words = torch.randn(4, 6, requires_grad=True)
    built = denoiser()
    restored = built(words.detach()).restored
    reconstruction(Hashed(torch.empty(0), torch.empty(0), restored), words, 2).backward()
    assert words.grad is None
    assert built.first.weight.grad is not None
