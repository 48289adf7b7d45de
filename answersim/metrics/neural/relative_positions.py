"""The bias of MPNet, which attention adds to a score by the distance of key and query, equally in all layers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim.metrics.neural.architecture import BUCKETS

_SHORTEST = 32  # tokens of a window of attention: no bias is for fewer
_FARTHEST = 128  # from this distance on, all distances of a side share a bucket


def bias_by_distance(table: Any, length: int) -> Any:
    """Return the bias of each head for each relative position, key minus query, from 1 - l to l - 1.

    ``table``: the learned bias by bucket and head, (buckets, heads), of torch or numpy. ``length``: the length of the
    longest text; l is this, and at least 32. The result: (heads, 2 l - 1), of the library of the table.
    """
    farthest = max(length, _SHORTEST) - 1
    return table[bucket(np.arange(-farthest, farthest + 1))].T


def bucket(distance: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the bucket of each relative position, key minus query.

    Each side has 16 buckets: one for each distance below 8, and wider ones, by its logarithm, up to 128 tokens.

    >>> bucket(np.array([0, 1, -1, 7, -7, 8, -8, 16, 127, 500, -500])).tolist()
    [0, 17, 1, 23, 7, 24, 8, 26, 31, 31, 15]

    Source: ``MPNetEncoder.relative_position_bucket`` of transformers. Tests compare all distances.
    """
    side, far = BUCKETS // 2, np.abs(distance)
    exact = side // 2
    # powers of 2 are at the edge of a bucket, whatever the rounding of the logarithm
    wide = np.floor(np.log2(np.maximum(far, 1) / exact) / np.log2(_FARTHEST / exact) * (side - exact) + 1e-9)
    wider = np.minimum(exact + wide.astype(np.int64), side - 1)
    return (distance > 0) * side + np.where(far < exact, far, wider)
