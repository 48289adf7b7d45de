"""The shape that lexical metrics share: a number that is a pure function of the tokens of gold and prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from answersim.signature import signature
from answersim.text import Words
from answersim.types import FloatArray, Pair


@dataclass(frozen=True)
class TokenMetric:
    """A metric made of a way to tokens and a similarity of two token lists.

    Attributes:
        name: What the similarity is called; it opens the signature.
        text: From an answer to its tokens; signed by its name.
        similarity: From the tokens of gold and prediction to a number; decided by ``name``, so not compared.
    """

    name: str
    text: Words
    similarity: Callable[[Sequence[str], Sequence[str]], float] = field(compare=False, repr=False)

    @property
    def signature(self) -> str:
        """For example ``f1|text:en|v:0.1.0``."""
        return signature(self.name, text=self.text)

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """One number a pair, in order, shape (n,)."""
        text, similarity = self.text, self.similarity
        return np.fromiter((similarity(text(gold), text(pred)) for gold, pred in pairs), np.float64, len(pairs))
