"""What the sources of training pairs share: items at random, and the split of a text."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")


def draw_one(items: Sequence[Item], rng: np.random.Generator) -> Item:
    """Return one of these items, drawn by rng."""
    return items[int(rng.integers(len(items)))]


def draw_two(items: Sequence[Item], rng: np.random.Generator) -> tuple[Item, Item]:
    """Return two different ones of these items, drawn by rng."""
    one, other = rng.choice(len(items), 2, replace=False)
    return items[one], items[other]


def shuffled(items: Sequence[Item], rng: np.random.Generator, most: int | None = None) -> list[Item]:
    """Return these items, at most this many of them, in an order drawn by rng."""
    return [items[i] for i in rng.permutation(len(items))[:most]]


def split_of(text: str, dev: float = 0.1) -> str:
    """Return the split of a text by its SHA-256 alone: "dev" for this share of all texts, else "train".

    >>> split_of("Why does a bulb light up?"), split_of("Why does a bulb light up?", 0.3)
    ('train', 'dev')
    """
    return "dev" if int.from_bytes(sha256(text.encode()).digest()[:8], "big") < dev * 2**64 else "train"


def every_fifth(items: Sequence[Item], split: str) -> Sequence[Item]:
    """Return the items of a split: every fifth one is in dev."""
    return [item for i, item in enumerate(items) if (i % 5 == 4) == (split == "dev")]


def capital(text: str) -> str:
    """Return the text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]
