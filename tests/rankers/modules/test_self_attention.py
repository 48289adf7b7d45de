"""Which words attend to which, in each kernel: by hand, against a full matrix, and against loops over single words."""

import pytest
import torch

from rankers.modules.global_attention import global_attention
from rankers.modules.group_attention import group_attention
from rankers.modules.local_attention import local_attention
from tests.rankers.modules.kernels import inputs, same

KERNELS = {
    "global": global_attention,
    "group": lambda *x, **k: group_attention(*x, size=4, offsets=(0, 2), **k),
    "local": lambda *x, **k: local_attention(*x, reach=2, **k),
}


@pytest.mark.parametrize("name", KERNELS)
def test_dot_products_are_divided_by_the_root_of_the_head_unless_told(name):
    x = inputs([9, 5], d=3)
    same(KERNELS[name](*x), KERNELS[name](*x, scale=3**-0.5), x[-1])
    assert not torch.allclose(KERNELS[name](*x), KERNELS[name](*x, scale=1.0))


@pytest.mark.parametrize("name", KERNELS)
def test_padding_is_never_read_and_changes_nothing(name):
    q, k, v, mask = inputs([6, 2])
    wide = [torch.nn.functional.pad(each, (0, 0, 0, 0, 0, 7), value=9.0) for each in (q, k, v)]
    result = KERNELS[name](*wide, torch.nn.functional.pad(mask, (0, 7)))
    same(result[:, :6], KERNELS[name](q, k, v, mask), mask)


@pytest.mark.parametrize("name", KERNELS)
def test_gradients_are_finite_and_none_reaches_padding(name):
    q, k, v, mask = inputs([1, 6], extra=5)
    each = [x.clone().requires_grad_() for x in (q, k, v)]
    KERNELS[name](*each, mask)[mask].square().sum().backward()
    for x in each:
        assert torch.isfinite(x.grad).all()
        assert (x.grad[~mask] == 0).all()
    assert (each[2].grad[mask] != 0).all()


@pytest.mark.parametrize("name", KERNELS)
def test_a_text_without_words_gives_numbers(name):
    q, k, v, mask = inputs([0, 3])
    assert torch.isfinite(KERNELS[name](q, k, v, mask)).all()
