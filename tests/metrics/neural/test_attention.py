"""Attention in windows against torch's own, text by text."""

from typing import Any

import numpy as np
import pytest

from tests.cases import every

torch = pytest.importorskip("torch")

from answersim.metrics.neural import attention  # noqa: E402
from answersim.metrics.neural.windows import runs_of  # noqa: E402

HEADS, SIZE = 3, 8
WIDTH = HEADS * SIZE
CPU = torch.device("cpu")
SORTED = (70, 40, 40, 33, 32, 31, 9, 9, 9, 9, 5, 5, 4, 4, 4, 3, 1, 1)
MIXED = (4, 40, 4, 1, 70, 9, 9, 32, 2)


def drawn(tokens: int, kind: Any = torch.float32) -> Any:
    return torch.randn(tokens, 3 * WIDTH, generator=torch.Generator().manual_seed(0)).to(kind)


def alone(projected: Any, lengths: tuple[int, ...], by_distance: Any = None) -> Any:
    """Each text by itself, in double precision, by the definition."""
    result, at = [], 0
    for length in lengths:
        ours = projected[at : at + length].double().view(length, 3, HEADS, SIZE)
        query, key, value = (ours[:, i].transpose(0, 1) for i in range(3))  # each (heads, l, d / heads)
        scores = query @ key.transpose(1, 2) / SIZE**0.5
        if by_distance is not None:
            zero = by_distance.shape[1] // 2
            for i in range(length):
                for j in range(length):
                    scores[:, i, j] += by_distance[:, zero + j - i]
        result.append((scores.softmax(-1) @ value).transpose(0, 1).reshape(length, WIDTH))
        at += length
    return torch.cat(result)


def attend(projected: Any, lengths: tuple[int, ...], rows: Any = None, **how: Any) -> Any:
    layout = attention.window_layout(runs_of(np.array(lengths)), CPU, projected.dtype, **how)
    return attention.attend(projected, layout, HEADS, rows)


@pytest.mark.parametrize("lengths", [SORTED, MIXED, (5,) * 200, (32,) * 3, (40, 40), (1,)])
@pytest.mark.parametrize("near", [1, 30_000, 1_200_000])  # windows at a time: one, about three, all
def test_each_token_takes_from_its_own_text_alone(lengths, near, monkeypatch):
    monkeypatch.setattr(attention, "_NEAR", near)
    projected = drawn(sum(lengths))
    result = attend(projected, lengths)
    torch.testing.assert_close(result.double(), alone(projected, lengths), rtol=1e-5, atol=2e-6)


@every("lengths", [SORTED, MIXED, (5,) * 200, (32,) * 3, (40, 40), (1,)])
@every("windows", [True, False])
def test_a_bias_is_added_by_the_distance_of_key_and_query(lengths, windows):
    projected = drawn(sum(lengths))
    farthest = max(*lengths, 32) - 1
    bias = torch.randn(HEADS, 2 * farthest + 1, generator=torch.Generator().manual_seed(1))
    found = attend(projected, lengths, use_windows=windows, by_distance=bias)
    torch.testing.assert_close(found.double(), alone(projected, lengths, bias), rtol=1e-5, atol=3e-6)
    if max(lengths) > 1:
        assert float((found - attend(projected, lengths)).abs().max()) > 0.1


@every("kind", [torch.bfloat16, torch.float16])
def test_half_precision_is_as_near_as_its_digits(kind):
    projected = drawn(sum(SORTED), kind)
    result = attend(projected, SORTED)
    assert result.dtype is kind
    torch.testing.assert_close(result.double(), alone(projected, SORTED), rtol=2e-2, atol=2e-2)


@every("lengths", [SORTED, MIXED, (40, 40)])
def test_tokens_that_are_given_once_attend_wherever_they_stand(lengths):
    distinct = drawn(20)
    rows = torch.from_numpy(np.random.default_rng(0).integers(20, size=sum(lengths)))
    assert torch.equal(attend(distinct, lengths, rows), attend(distinct[rows], lengths))


def test_windows_are_filled_in_order():
    layout = attention.window_layout(runs_of(np.array([20, 10, 10, 2, 1])), CPU, torch.float32)
    first = torch.cat([torch.arange(30), torch.zeros(2, dtype=torch.int64)])
    second = torch.cat([torch.arange(30, 43), torch.zeros(19, dtype=torch.int64)])
    assert torch.equal(layout.source, torch.cat([first, second]))
    assert layout.mask.shape == (2, 1, 32, 32)
    assert layout.mask[1, 0].eq(0).sum() == 10**2 + 2**2 + 1 + 19**2


def test_another_device_gets_no_windows():
    layout = attention.window_layout([(0, 8, 4), (8, 12, 2)], torch.device("meta"), torch.float32)
    assert layout.long == ((0, 8, 4), (8, 12, 2))
    assert not len(layout.slots)
    assert attention.window_layout([(0, 8, 4)], CPU, torch.float32, use_windows=False).long == ((0, 8, 4),)
