"""Metrics of the lengths of texts, and metrics that count and cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.scoring.cache import ScoreCache, key
from answersim.types import Capabilities, Pair


class Length:
    """A metric of a user's own: the length of the prediction; it counts how often it is asked."""

    signature = "length|v:1"

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        self.calls += 1
        return np.array([float(len(pred)) for _, pred in pairs])


class Asked(Length):
    """The length of the question, for a metric that reads questions."""

    signature = "asked|v:1"
    reads_questions = True

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        self.calls += 1
        return np.array([float(len(entry)) for entry in questions or [""] * len(pairs)])


PAIRS = [Pair("Rome", "in Rome"), Pair("a", "b"), Pair("", "x"), Pair("a", "b")]


@dataclass(frozen=True)
class Costly:
    """A metric that is worth keeping: a third of the length of both texts; it remembers what it was asked."""

    name: str = "costly"
    asked: list[Pair] = field(default_factory=list, compare=False)
    capabilities = Capabilities(cost="model")

    @property
    def signature(self) -> str:
        return f"{self.name}|v:1"

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        self.asked.extend(pairs)
        return np.array([(len(gold) + len(pred)) / 3 for gold, pred in pairs])


def keys_of(n: int) -> list[bytes]:
    return [key((f"gold {i}", f"pred {i}")) for i in range(n)]


def fill(cache: ScoreCache, n: int, signature: str = "m|v:1") -> tuple[list[bytes], FloatArray]:
    keys, numbers = keys_of(n), np.random.default_rng(0).random(n)
    cache.put(signature, keys, numbers)
    return keys, numbers
