"""Committees: several rankers, such as states of one network, rank together by the weighted sum of their scores.

Source: the committee paper, section 2.4 and equation 6; Elsas et al. 2008 for committees of ordinary training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from answersim._base.errors import unknown
from rankers.types import FloatArray, Ranker

CALIBRATIONS = ("none", "question")


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
