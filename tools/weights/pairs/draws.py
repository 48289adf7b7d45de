"""What the sources of training pairs share: one item at random, and a number that splits texts."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")


def draw_one(items: Sequence[Item], rng: np.random.Generator) -> Item:
    """Return one of these items, drawn by rng."""
    return items[int(rng.integers(len(items)))]


def share(text: str) -> float:
    """Return a number from 0 to 1 that depends on the text alone and is spread evenly over texts.

    >>> round(share("Why does a bulb light up?"), 3)
    0.287
    """
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") / 2**64
