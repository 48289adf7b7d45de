"""What the sources of training pairs share: items at random, the split of a text, and the forms of two meanings."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tools.tables import table

Item = TypeVar("Item")
Forms = tuple[Sequence[str], Sequence[str]]  # of the first and of the second meaning
TEXTS: dict[str, Any] = table(__file__, "meanings.json")


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


def filled(kind: str, **slots: object) -> list[str]:
    """Return the texts of a kind of ``sources/meanings.json``, with what their slots stand for."""
    return [form.format(**slots) for form in TEXTS[kind]]


class Meanings(NamedTuple):
    """The forms of two meanings. Forms of one meaning are equivalent answers, and the meanings exclude each other."""

    forms: Forms
    question: str = ""  # that both meanings answer; "" for none
    golds: Forms = ((), ())  # the forms of the gold answers, if they are others
    wrong: Sequence[str] = ()  # texts that have neither meaning

    def distinct(self) -> Meanings | None:
        """Return these meanings, or None if they have a form in common."""
        one, other = ({form.casefold() for form in forms} for forms in self.forms)
        return None if one & other else self
