"""Reciprocal rank fusion: one order of candidates from the orders of several rankers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankers.evaluation.runs import finite
from rankers.types import FloatArray, Ranker

K = 60.0  # the constant of the paper


@dataclass(frozen=True)
class Fusion:
    """Several rankers as one, by reciprocal rank fusion."""

    rankers: tuple[Ranker, ...]  # at least two rankers

    @property
    def signature(self) -> str:
        """The signatures of the rankers, in order."""
        return f"reciprocal-rank-fusion({', '.join(ranker.signature for ranker in self.rankers)})"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        scores = [(ranker.signature, ranker.score(questions, candidates)) for ranker in self.rankers]
        return [
            reciprocal_rank_fusion([finite(one[i], name, question, candidates[i]) for name, one in scores])
            for i, question in enumerate(questions)
        ]


def fused(rankers: Sequence[Ranker]) -> Ranker:
    """Return the ranker of these, fused if there are several. Raise ValueError if there are none."""
    if not rankers:
        raise ValueError("there is no ranker; name a model")
    return rankers[0] if len(rankers) == 1 else Fusion(tuple(rankers))


def reciprocal_rank_fusion(scores: Sequence[FloatArray], k: float = K) -> FloatArray:
    """Return the sum over rankers of 1 / (k + rank) for each candidate of one question.

    The best candidate of a ranker has rank 1. Equal scores share the mean of their ranks, so that the result does not
    depend on the order of the candidates.

    Args:
        scores: One array per ranker, each of shape (candidates,); higher is better.
        k: The smoothing constant, above 0. A larger k gives the first ranks less advantage.

    Returns:
        float64, (candidates,), between 0 and len(scores) / (k + 1).

    Raises:
        ValueError: If there are no rankers, their arrays differ in shape, or k is not above 0.

    >>> reciprocal_rank_fusion([np.array([0.9, 0.1]), np.array([3.0, 7.0])]).round(4).tolist()
    [0.0325, 0.0325]

    Source: Cormack, Clarke & Buettcher 2009, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
    Methods.
    """
    from scipy.stats import rankdata

    if not scores:
        raise ValueError("there are no scores to fuse; give those of at least one ranker")
    if not k > 0:
        raise ValueError(f"k is {k}, but it must be above 0; the paper uses {K:.0f}")
    shapes = {np.shape(values) for values in scores}
    if len(shapes) > 1:
        raise ValueError(f"the rankers scored {sorted(shapes)} candidates; give the scores of the same candidates")
    total = np.zeros(shapes.pop(), dtype=np.float64)
    for values in scores:
        total += 1.0 / (k + rankdata(-np.asarray(values, dtype=np.float64), method="average"))
    return total
