"""Rankers made of rankers: a committee, or several fused by reciprocal ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from answersim._base.errors import unknown
from rankers.evaluation.runs import finite
from rankers.training.definitions import CALIBRATIONS
from rankers.types import FloatArray, Ranker


@dataclass(frozen=True)
class Committee:
    """The weighted sum of the scores of its members.

    Scores without bounds let the member with the largest of them decide, so members may be calibrated per question:
    the mean of the scores of the question is subtracted, and the result is divided by their standard deviation (0 if
    all are equal). A calibrated score then depends on the other candidates of its question, but not on their order.
    """

    signature: str = field(init=False)  # the signatures of the members, their weights and the calibration
    members: tuple[Ranker, ...] = field(compare=False)  # the rankers
    weights: tuple[float, ...]  # one weight per member, at least 0. They are normalized to sum to 1.
    calibration: str = "none"  # "none" or "question"

    def __post_init__(self) -> None:
        """Check the settings and build the signature."""
        if self.calibration not in CALIBRATIONS:
            raise unknown("calibration", self.calibration, CALIBRATIONS)
        if not self.members or len(self.members) != len(self.weights):
            raise ValueError(f"{len(self.members)} members came with {len(self.weights)} weights; give one each")
        if min(self.weights) < 0 or not np.isfinite(self.weights).all() or sum(self.weights) <= 0:
            raise ValueError(f"the weights are {self.weights}, but none may be negative and one must be above 0")
        total = sum(self.weights)
        if abs(total - 1) > 1e-12:  # saved weights are used unchanged
            object.__setattr__(self, "weights", tuple(weight / total for weight in self.weights))
        shares = ", ".join(
            f"{weight:.6g} x {member.signature}" for weight, member in zip(self.weights, self.members, strict=True)
        )
        object.__setattr__(self, "signature", f"committee|calibration:{self.calibration}|{shares}")

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]], /) -> list[FloatArray]:
        """Return one score per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        scores = [member.score(questions, candidates) for member in self.members]
        return [
            np.sum([w * self._calibrated(values) for w, values in zip(self.weights, of_one, strict=True)], axis=0)
            for of_one in zip(*scores, strict=True)
        ]

    def _calibrated(self, scores: FloatArray) -> FloatArray:
        return scores if self.calibration == "none" else standardize(scores)


def standardize(scores: FloatArray) -> FloatArray:
    """Return the scores of one question minus their mean, divided by their standard deviation, or 0 if all are equal.

    Scores that differ by less than single precision are equal, because networks compute in single precision. Otherwise
    the last bit, which may depend on the batch, could become a difference of 1.

    >>> standardize(np.array([1.0, 2.0, 3.0])).round(3).tolist()
    [-1.225, 0.0, 1.225]
    """
    if not len(scores):
        return scores
    if np.ptp(scores) <= 4 * np.finfo(np.float32).eps * np.abs(scores).max():
        return np.zeros_like(scores)
    return (scores - scores.mean()) / scores.std()


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
    """Return the ranker of these, at least one, fused if there are several."""
    return rankers[0] if len(rankers) == 1 else Fusion(tuple(rankers))


def reciprocal_rank_fusion(scores: Sequence[FloatArray], k: float = K) -> FloatArray:
    """Return the sum over rankers of 1 / (k + rank) for each candidate of one question, float64, (candidates,).

    The best candidate of a ranker has rank 1. Equal scores share the mean of their ranks, so that the result does not
    depend on the order of the candidates. A larger k, above 0, gives the first ranks less advantage.

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
