"""Candidates in a random order: the lowest baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from rankers.types import FloatArray


@dataclass(frozen=True)
class RandomOrder:
    """Pseudo-random scores in [0, 1) that depend on seed, question and candidate alone.

    Equal candidates of one question have equal scores. Nothing is drawn: the score is a hash.

    Attributes:
        seed: The seed of the order.

    >>> RandomOrder(0).score(["Who?"], [["He.", "She."]])[0].round(4).tolist()
    [0.8331, 0.4057]
    """

    seed: int = 0

    @property
    def signature(self) -> str:
        """The signature, for example ``random|seed:0``."""
        return f"random|seed:{self.seed}"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        return [
            np.array([self._score(question, candidate) for candidate in pool], dtype=np.float64)
            for question, pool in zip(questions, candidates, strict=True)
        ]

    def _score(self, question: str, candidate: str) -> float:
        text = f"{self.seed}\0{question}\0{candidate}".encode(errors="surrogatepass")
        return (int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 11) / 2**53  # as fine as a float is
