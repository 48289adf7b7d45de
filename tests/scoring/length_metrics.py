"""Metrics of the lengths of texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.types import Pair


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
