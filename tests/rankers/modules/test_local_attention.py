"""Attention in a window: by hand and against loops over single words."""

import pytest

from rankers.modules.local_attention import local_attention
from tests.rankers.modules.kernels import by_loops, fields, inputs, same


@pytest.mark.parametrize("reach", [0, 1, 3, 20])
def test_words_see_their_window(reach):
    result = fields(lambda *x: local_attention(*x, reach=reach), length=6, heads=1)[0]
    assert result == [[j for j in range(6) if abs(i - j) <= reach] for i in range(6)]


@pytest.mark.parametrize("reach", [0, 2, 30])
def test_local_attention_equals_the_loops(reach):
    q, k, v, mask = inputs([9, 1, 4])
    result = local_attention(q, k, v, mask, reach=reach, scale=0.7)
    same(result, by_loops(q, k, v, mask, lambda i, j, h: abs(i - j) <= reach, 0.7), mask)
