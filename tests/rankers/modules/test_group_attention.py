"""Attention in groups: by hand, against a full matrix, and against loops over single words."""

import pytest
import torch

from rankers.modules.group_attention import group_attention
from tests.rankers.modules.kernels import by_loops, fields, inputs, same


@pytest.mark.parametrize(
    ("size", "offset", "groups"),
    [
        (3, 0, [[0, 1, 2], [3, 4, 5], [6]]),  # Figure 4 (a): the third word sees the first three
        (3, 1, [[0, 1], [2, 3, 4], [5, 6]]),
        (3, 2, [[0], [1, 2, 3], [4, 5, 6]]),
        (1, 0, [[0], [1], [2], [3], [4], [5], [6]]),
        (7, 0, [[0, 1, 2, 3, 4, 5, 6]]),
        (100, 50, [[0, 1, 2, 3, 4, 5, 6]]),
    ],
)
def test_words_see_their_group(size, offset, groups):
    result = fields(lambda *x: group_attention(*x, size=size, offsets=(offset,)), length=7, heads=1)[0]
    assert result == [group for group in groups for _ in group]


def test_with_an_offset_a_word_sees_fifteen_words_and_one_at_the_edge_ten():
    first, second = fields(lambda *x: group_attention(*x, size=10, offsets=(0, 5)), length=20, heads=2)
    assert first[7] == list(range(10))
    assert second[7] == list(range(5, 15))
    assert sorted({*first[2], *second[2]}) == list(range(10))
    assert second[2] == list(range(5))


@pytest.mark.parametrize("size", [1, 2, 4, 5, 30])
@pytest.mark.parametrize("offsets", [(0, 0, 0), (0, 0, 1), (1, 0, 1)])
def test_group_attention_equals_the_loops_and_the_block_diagonal_mask(size, offsets):
    offsets = tuple(offset % size for offset in offsets)
    q, k, v, mask = inputs([11, 1, 4], heads=3)
    result = group_attention(q, k, v, mask, size=size, offsets=offsets, scale=0.7)
    same(
        result, by_loops(q, k, v, mask, lambda i, j, h: (i + offsets[h]) // size == (j + offsets[h]) // size, 0.7), mask
    )
    for head, offset in enumerate(offsets):
        place = (torch.arange(11) + offset) // size
        allowed = mask[:, None, :] & (place[:, None] == place) | torch.eye(11, dtype=torch.bool)  # (n, L, L)
        scores = torch.einsum("nid,njd->nij", q[:, :, head], k[:, :, head]) * 0.7
        full = scores.masked_fill(~allowed, -torch.inf).softmax(-1) @ v[:, :, head]
        same(result[:, :, head], full, mask)
