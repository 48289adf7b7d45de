"""BM25 with the word counts of the given candidates, for questions without training answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankers.models.bm25 import Bm25
from rankers.types import FloatArray


@dataclass(frozen=True)
class PoolBm25:
    """BM25 whose word counts are those of the candidates of the same question.

    A word is rare if few of these candidates contain it. So the score of a candidate depends on the others, which
    violates the contract of a ``Ranker``. Use ``Bm25.fit`` for scores that are compared between pools.

    Attributes:
        k1: As for ``Bm25``.
        b: As for ``Bm25``.
    """

    k1: float = 1.5
    b: float = 0.75

    @property
    def signature(self) -> str:
        """The signature, for example ``bm25-pool|k1:1.5|b:0.75|variant:lucene|stem:yes``."""
        return f"bm25-pool|k1:{self.k1}|b:{self.b}|variant:lucene|stem:yes"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        return [
            Bm25.fit(pool, k1=self.k1, b=self.b).score([question], [pool])[0] if len(pool) else np.empty(0)
            for question, pool in zip(questions, candidates, strict=True)
        ]
