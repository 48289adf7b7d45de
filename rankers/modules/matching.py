"""A matrix of words by words, pooled into a grid of fixed size, independent of the lengths of the texts."""

from __future__ import annotations

import torch
from torch import Tensor


def dynamic_max_pool(x: Tensor, rows: Tensor, columns: Tensor, grid: tuple[int, int]) -> Tensor:
    """Return the maxima of each map in a grid over its true size, without its padding.

    Bin i of P of a side of true length n covers the positions from floor(i n / P) up to but not including ceil((i + 1)
    n / P), as in AdaptiveMaxPool2d of torch on the map cut to its true size. Bins overlap if n < P (Pang et al. 2016,
    "dynamic pooling").

    Args:
        x: The maps, (n, channels, height, width); values at padding are not read.
        rows: The true height of each map, int64, (n,), at least 1.
        columns: The true width of each map, int64, (n,), at least 1.
        grid: The number of bins in each direction.

    Returns:
        (n, channels, *grid).
    """
    narrow = _pooled(x, columns, grid[1])  # (n, channels, height, grid[1])
    return _pooled(narrow.transpose(2, 3), rows, grid[0]).transpose(2, 3)


def _pooled(x: Tensor, lengths: Tensor, bins: int) -> Tensor:
    """Return the maxima over bins of the true length, (n, c, h, length), (n,) -> (n, c, h, bins)."""
    starts = torch.arange(bins, device=x.device) * lengths[:, None] // bins  # (n, bins)
    ends = -(-torch.arange(1, bins + 1, device=x.device) * lengths[:, None] // bins)  # (n, bins)
    within = torch.arange(int((ends - starts).max()), device=x.device)  # (w,)
    # A short bin reads its last position several times, which does not change a maximum.
    places = torch.minimum(starts[..., None] + within, ends[..., None] - 1).flatten(1)  # (n, bins * w)
    taken = x.gather(3, places[:, None, None].expand(-1, *x.shape[1:3], -1))  # (n, c, h, bins * w)
    # Not amax, whose gradient is divided among equal positions, which takes a multiple of the time.
    return taken.view(*x.shape[:3], bins, len(within)).max(dim=-1).values
