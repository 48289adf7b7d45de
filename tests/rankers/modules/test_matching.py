from __future__ import annotations

import pytest
import torch

from rankers.modules.matching import dynamic_max_pool


@pytest.mark.parametrize("grid", [(1, 1), (3, 10), (5, 2), (7, 6)])
@pytest.mark.parametrize(("rows", "columns"), [([7, 1, 3], [9, 1, 2]), ([2], [12]), ([5, 5], [4, 6])])
def test_pools_are_torch_s_adaptive_ones_of_each_map_cut_to_its_size(
    grid: tuple[int, int], rows: list[int], columns: list[int]
) -> None:
    x = torch.randn(len(rows), 2, max(rows) + 2, max(columns) + 1)
    together = dynamic_max_pool(x, torch.tensor(rows), torch.tensor(columns), grid)
    for i, (height, width) in enumerate(zip(rows, columns, strict=True)):
        alone = torch.nn.functional.adaptive_max_pool2d(x[i, :, :height, :width], grid)
        assert torch.equal(together[i], alone)


def test_the_bins_of_a_row_of_five_in_two() -> None:
    x = torch.tensor([[[[5.0, 1.0, 3.0, 4.0, 2.0, 99.0]]]])
    assert dynamic_max_pool(x, torch.tensor([1]), torch.tensor([5]), (1, 2)).tolist() == [[[[5.0, 4.0]]]]


def test_a_gradient_goes_to_the_largest_place_only() -> None:
    x = torch.tensor([[[[1.0, 3.0, 2.0, 9.0]]]], requires_grad=True)
    dynamic_max_pool(x, torch.tensor([1]), torch.tensor([3]), (1, 1)).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[[[0.0, 1.0, 0.0, 0.0]]]]
