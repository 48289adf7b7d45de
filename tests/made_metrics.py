"""Metrics for tests: of given scores, of the question, of the length, costly ones, and one that waits."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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


class Table:
    """A metric that looks scores up; it writes down the pairs and the questions of its calls.

    Args:
        name: Its name, in its signature.
        scores: One score for all pairs, or scores by the pair or by the prediction. Other pairs have 0.5.
        cost: As in ``Capabilities``.
        reads: Whether it reads questions.
    """

    def __init__(
        self, name: str, scores: float | Mapping[Any, float], cost: Any = "light", reads: bool = False
    ) -> None:
        self.name, self.scores = name, scores
        self.signature = f"{name}|rev:1"
        self.capabilities = Capabilities(cost=cost, reads_questions=reads)
        self.calls: list[list[Pair]] = []
        self.questions: list[list[str] | None] = []

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        self.calls.append(list(pairs))
        self.questions.append(None if questions is None else list(questions))
        if not isinstance(self.scores, Mapping):
            return np.full(len(pairs), float(self.scores))
        of_preds = [self.scores.get(pred, 0.5) for _, pred in pairs]
        return np.array([self.scores.get(tuple(pair), score) for pair, score in zip(pairs, of_preds, strict=True)])

    @property
    def called(self) -> list[Pair]:
        """All pairs that it scored."""
        return [pair for call in self.calls for pair in call]


class Waiting:
    """It takes so many seconds for each batch unless it is released before, fails for "bad", and lists its batches."""

    signature = "waiting|rev:1"
    capabilities = Capabilities(cost="remote", scale="probability")

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.calls: list[int] = []
        self.released = threading.Event()

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        self.calls.append(len(pairs))
        self.released.wait(self.seconds)
        if any("bad" in pred for _, pred in pairs):
            raise RuntimeError("the service of the metric is gone")
        return np.ones(len(pairs))
