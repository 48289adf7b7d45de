"""Attention to all words, and the settings of the other kernels that equal it."""

import pytest

from rankers.modules.global_attention import global_attention
from rankers.modules.group_attention import group_attention
from rankers.modules.local_attention import local_attention
from tests.rankers.modules.kernels import by_loops, inputs, same


def test_global_attention_equals_the_loops():
    q, k, v, mask = inputs([9, 1, 4])
    same(global_attention(q, k, v, mask, scale=0.7), by_loops(q, k, v, mask, lambda *_: True, 0.7), mask)


@pytest.mark.parametrize(
    "kernel",
    [
        lambda *x: group_attention(*x, size=9, offsets=(0, 0)),
        lambda *x: group_attention(*x, size=40, offsets=(3, 31)),
        lambda *x: local_attention(*x, reach=8),
    ],
)
def test_one_group_or_window_around_the_whole_text_is_global_attention(kernel):
    x = inputs([9, 5])
    same(kernel(*x), global_attention(*x), x[-1])
