"""Which words attend to which, in each kernel: by hand, and against loops over single words."""

import math

import pytest
import torch

from rankers.modules.pooling import Packing
from rankers.modules.self_attention import MultiHead, global_attention, group_attention, local_attention, sinusoids
from tests.cases import every


def inputs(lengths, heads=2, d=3, extra=0, seed=0):
    """Queries, keys and values with noise at padding, and the mask."""
    mask = torch.arange(max(lengths) + extra) < torch.tensor(lengths)[:, None]
    generator = torch.Generator().manual_seed(seed)
    q, k, v = torch.randn(3, *mask.shape, heads, d, generator=generator).unbind(0)
    return q, k, v, mask


def by_loops(q, k, v, mask, sees, scale):
    """One word, one head, one text at a time; ``sees(i, j, head)`` says whether word i attends to word j."""
    out = torch.zeros_like(q)
    for n in range(len(q)):
        length = int(mask[n].sum())
        for head in range(q.shape[2]):
            for i in range(length):
                seen = [j for j in range(length) if sees(i, j, head)]
                weights = [math.exp(scale * float(q[n, i, head] @ k[n, j, head])) for j in seen]
                for weight, j in zip(weights, seen, strict=True):
                    out[n, i, head] += weight / sum(weights) * v[n, j, head]
    return out


def same(result, expected, mask):
    torch.testing.assert_close(result[mask], expected[mask], rtol=0, atol=1e-5)


def fields(kernel, length, heads):
    """For each head and word, the words from which something is taken: values are unit vectors, so outputs tell."""
    q = torch.zeros(1, length, heads, length)
    v = torch.eye(length)[None, :, None].expand(1, length, heads, length)
    taken = kernel(q, q, v, torch.ones(1, length, dtype=torch.bool))[0]  # (length, heads, length)
    return [[taken[i, head].nonzero()[:, 0].tolist() for i in range(length)] for head in range(heads)]


KERNELS = {
    "global": global_attention,
    "group": lambda *x, **k: group_attention(*x, size=4, offsets=(0, 2), **k),
    "local": lambda *x, **k: local_attention(*x, reach=2, **k),
}


@pytest.mark.parametrize("name", KERNELS)
def test_gradients_are_finite_and_none_reaches_padding(name):
    q, k, v, mask = inputs([1, 6], extra=5)
    results = [x.clone().requires_grad_() for x in (q, k, v)]
    KERNELS[name](*results, mask)[mask].square().sum().backward()
    for x in results:
        assert torch.isfinite(x.grad).all()
        assert (x.grad[~mask] == 0).all()
    assert (results[2].grad[mask] != 0).all()


@every(("length", "dim"), [(1, 2), (7, 6), (4, 5)])
def test_each_number_is_that_of_vaswani(length, dim):
    result = sinusoids(length, dim)
    assert result.shape == (length, dim)
    for i in range(length):
        for j in range(dim):
            angle = i / 10_000 ** (2 * (j // 2) / dim)
            assert float(result[i, j]) == pytest.approx(math.cos(angle) if j % 2 else math.sin(angle), abs=1e-6)


def test_global_attention_equals_the_loops():
    q, k, v, mask = inputs([9, 1, 4], extra=7)
    same(global_attention(q, k, v, mask), by_loops(q, k, v, mask, lambda *_: True, q.shape[-1] ** -0.5), mask)


@every("reach", [0, 2, 30])
def test_local_attention_equals_the_loops(reach):
    q, k, v, mask = inputs([9, 1, 4], extra=7)
    result = local_attention(q, k, v, mask, reach=reach)
    same(result, by_loops(q, k, v, mask, lambda i, j, h: abs(i - j) <= reach, q.shape[-1] ** -0.5), mask)


def test_with_an_offset_a_word_sees_fifteen_words_and_one_at_the_edge_ten():
    first, second = fields(lambda *x: group_attention(*x, size=10, offsets=(0, 5)), length=20, heads=2)
    assert first[7] == list(range(10))
    assert second[7] == list(range(5, 15))
    assert sorted({*first[2], *second[2]}) == list(range(10))
    assert second[2] == list(range(5))


@pytest.mark.parametrize("size", [1, 2, 4, 5, 30])
@pytest.mark.parametrize("offsets", [(0, 0, 0), (0, 0, 1), (1, 0, 1)])
def test_group_attention_equals_the_loops(size, offsets):
    offsets = tuple(offset % size for offset in offsets)
    q, k, v, mask = inputs([11, 1, 4], heads=3, extra=7)
    result = group_attention(q, k, v, mask, size=size, offsets=offsets)
    sees = lambda i, j, h: (i + offsets[h]) // size == (j + offsets[h]) // size  # noqa: E731
    same(result, by_loops(q, k, v, mask, sees, q.shape[-1] ** -0.5), mask)


def test_heads_have_their_own_part_of_one_projection():
    torch.manual_seed(0)
    layer = MultiHead(6, 2, global_attention)
    mask = torch.tensor([[True, True, True], [True, True, False]])
    packing = Packing(mask)
    rows = torch.randn(5, 6)
    result = layer(rows, packing)
    for text in range(2):
        x = rows[packing.text_of == text]  # (length, 6)
        q, k, v = (x @ layer.inward.weight[6 * i : 6 * i + 6].T for i in range(3))
        heads = [
            torch.softmax(q[:, part] @ k[:, part].T / 3**0.5, -1) @ v[:, part] for part in (slice(0, 3), slice(3, 6))
        ]
        expected = torch.cat(heads, dim=-1) @ layer.outward.weight.T
        torch.testing.assert_close(result[packing.text_of == text], expected, rtol=0, atol=1e-5)
