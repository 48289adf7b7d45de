"""Batches of sequences of similar length, to limit the padding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def batches(lengths: Sequence[int], size: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Return the positions 0 to n - 1, each once, in shuffled batches of similar length.

    The positions are shuffled, sorted by length within chunks of 40 batches, and the batches are shuffled again.
    ``size``: sequences per batch; the last batch of a chunk may be smaller.
    """
    lengths_ = np.array(lengths)
    positions = rng.permutation(len(lengths_))
    ordered = []
    for start in range(0, len(positions), size * 40):
        chunk = positions[start : start + size * 40]
        chunk = chunk[np.argsort(lengths_[chunk], kind="stable")]
        ordered += [chunk[i : i + size] for i in range(0, len(chunk), size)]
    return [ordered[i] for i in rng.permutation(len(ordered))]
