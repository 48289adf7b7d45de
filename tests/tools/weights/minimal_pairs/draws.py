"""Families that a rule draws, and that it can draw nothing for some values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from tools.weights.minimal_pairs.family import Family


def families(
    draw: Callable[[Random, str], Family | None], language: str, n: int = 300, seed: int | str = 0
) -> Iterator[Family]:
    """Call a rule so often, and return the families that it gave."""
    rng = Random(seed)
    return (family for family in [draw(rng, language) for _ in range(n)] if family is not None)
