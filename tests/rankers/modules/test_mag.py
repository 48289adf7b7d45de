"""The gating cell against its equations for one word at a time, and what padding and order do to it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn.functional import pad

from rankers.modules.composition import States
from rankers.modules.mag import Highway, MagCell, reference
from tests.cases import every

OTHER = 7  # the most words of the other text


def states(lengths: list[int], seed: int) -> States:
    """Vectors with noise at padding."""
    mask = torch.arange(max(lengths) + 1) < torch.tensor(lengths)[:, None]
    return States(torch.randn(*mask.shape, 4, generator=torch.Generator().manual_seed(seed)), mask)


def cell(**settings: Any) -> MagCell:
    torch.manual_seed(0)
    return MagCell(4, OTHER, **settings)


def by_words(made: MagCell, own: States, other: States, s: torch.Tensor) -> torch.Tensor:
    """One word at a time, with S padded by zeros to the fixed length as the paper's shapes ask for."""
    out = torch.zeros_like(own.vectors)
    for n in range(len(own.mask)):
        t = int(other.mask[n].sum())
        for i in range(int(own.mask[n].sum())):
            row = s[n, i, :t]
            r = row.softmax(0) @ other.vectors[n, :t]
            d = own.vectors[n, i] - r
            full = torch.cat([row, torch.zeros(OTHER - t)])
            e = torch.sigmoid(made.feature.weight @ full + made.feature.bias)
            fr, fd, p = r * e, d * (1 - e), torch.tensor([1.0])
            p = torch.sigmoid(made.share.weight @ full + made.share.bias)
            if made.highway is not None:
                out[n, i] = made.highway(torch.cat([p * fr, (1 - p) * fd]))
            else:
                out[n, i] = p * fr + (1 - p) * fd
    return out


@every("settings", [{}, {"highway": False}, {"gate_bias": 2.0}])
def test_it_equals_the_equations_of_the_paper_for_each_word(settings: dict[str, Any]) -> None:
    made, ours, other = cell(**settings), states([4, 1, 3], 0), states([2, 6, 1], 1)
    s = ours.vectors @ other.vectors.transpose(1, 2)
    with torch.no_grad():
        torch.testing.assert_close(made(ours, other, s), by_words(made, ours, other, s), atol=1e-5, rtol=0)


def test_padding_of_any_kind_changes_nothing() -> None:
    made, ours, other = cell(), states([4, 1], 0), states([2, 5], 1)
    s = ours.vectors @ other.vectors.transpose(1, 2)
    wide = [States(pad(x, (0, 0, 0, 4), value=torch.nan), pad(mask, (0, 4))) for x, mask in (ours, other)]
    with torch.no_grad():
        result = made(*wide, pad(s, (0, 4, 0, 4), value=torch.nan))
        torch.testing.assert_close(result[:, :5], made(ours, other, s))
        assert not result[:, 5:].any()


def test_the_reference_is_the_other_text_weighed_by_similarity() -> None:
    other = States(torch.tensor([[[1.0], [5.0], [100.0]]]), torch.tensor([[True, True, False]]))
    s = torch.tensor([[[0.0, 0.0, 50.0], [torch.log(torch.tensor(3.0)), 0.0, 0.0]]])
    assert reference(s, other)[0, :, 0].tolist() == pytest.approx([3.0, 2.0])


def test_a_text_that_is_longer_than_the_weights_is_refused() -> None:
    ours, other = states([3], 0), states([OTHER + 1], 1)
    with pytest.raises(ValueError, match="more than 7 words"):
        cell()(ours, other, ours.vectors @ other.vectors.transpose(1, 2))


@pytest.mark.parametrize(("size", "share"), [(0.0, 0.0), (1e6, 1.0)])
def test_the_share_of_saturated_gates_is_counted_outside_training_and_once(size: float, share: float) -> None:
    made, ours, other = cell().eval(), states([3, 2], 0), states([2, 4], 1)
    made.feature.bias.data.zero_()
    s = size * torch.ones(2, 4, 5)
    made(ours, other, s)
    assert made.saturated_share() == pytest.approx(share)
    made.train()(ours, other, s)
    assert torch.tensor(made.saturated_share()).isnan()


def test_a_cell_that_passes_on_gives_back_its_own_text() -> None:
    ours, other = states([3, 2], 0), states([2, 4], 1)
    s = ours.vectors @ other.vectors.transpose(1, 2)
    for settings, factor in (
        ({"gate_bias": -100.0}, 1),
        ({"highway": False}, 1 / 4),
    ):
        made = cell(**settings)
        made.pass_on()
        torch.testing.assert_close(made(ours, other, s)[ours.mask], factor * ours.vectors[ours.mask])


def test_gradients_are_finite_and_none_reaches_padding() -> None:
    made, ours, other = cell(), states([4, 1], 0), states([2, 5], 1)
    for each in (ours, other):
        each.vectors.requires_grad_()
    made(ours, other, ours.vectors @ other.vectors.transpose(1, 2)).square().sum().backward()
    for x, mask in (ours, other):
        assert x.grad is not None
        assert x.grad.isfinite().all()
        assert (x.grad[mask] != 0).any(dim=-1).all()
        assert not x.grad[~mask].any()
    assert all(parameter.grad is not None for parameter in made.parameters())


def test_it_equals_equations_ten_to_thirteen_of_the_paper() -> None:
    torch.manual_seed(0)
    layer, x = Highway(4, 3), torch.randn(5, 4)
    w3, b3, w4, b4, w5, b5 = (parameter.detach() for parameter in layer.parameters())
    for one, found in zip(x, layer(x), strict=True):
        p, g = torch.relu(w3 @ one + b3), 1 / (1 + torch.exp(-(w4 @ one + b4)))
        torch.testing.assert_close(found, w5 @ ((1 - g) * one + g * p) + b5)


@pytest.mark.parametrize("bias", [-1.0, -2.0])
def test_its_gates_start_with_the_given_bias(bias: float) -> None:
    assert Highway(4, 3, gate_bias=bias).gate.bias.tolist() == [bias] * 4
