"""A metric whose scores a test gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.types import Capabilities, Pair


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
