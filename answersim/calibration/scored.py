"""Scores that also bear a probability and a verdict; as numbers they are what they were."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from answersim.calibration.model import Calibration, Verdict
from answersim.types import FloatArray, Score, Scores


class CalibratedScore(Score):
    """A ``Score``, the same float as without a calibration, with what the calibration says of it.

    Attributes:
        probability: That the two answers are equivalent.
        verdict: "equivalent", "unsure" or "different".
    """

    __slots__ = ("probability", "verdict")

    probability: float
    verdict: Verdict

    def __new__(
        cls,
        value: float,
        signature: str = "",
        reference: int = 0,
        probability: float = float("nan"),
        verdict: Verdict = "unsure",
    ) -> CalibratedScore:
        """A score of this value."""
        score = super().__new__(cls, value, signature, reference)
        assert isinstance(score, CalibratedScore)
        score.probability = probability
        score.verdict = verdict
        return score


class CalibratedScores(Scores):
    """``Scores``, the same numbers as without a calibration, with what the calibration says of each.

    Attributes:
        calibration: What was asked.
        probabilities: float64, shape (n,): that the answers of each pair are equivalent.
        verdicts: Texts, shape (n,): "equivalent", "unsure" or "different".
    """

    __slots__ = ("calibration", "probabilities", "verdicts")

    def __init__(self, scores: Scores, calibration: Calibration) -> None:
        super().__init__(scores.values, scores.signature, scores.references)
        self._index = getattr(scores, "_index", None)
        self.calibration = calibration
        self.probabilities: FloatArray = calibration.probability(scores)
        self.verdicts: NDArray[np.str_] = calibration.verdicts(scores)

    @overload
    def __getitem__(self, index: int) -> CalibratedScore: ...
    @overload
    def __getitem__(self, index: slice) -> CalibratedScores: ...
    def __getitem__(self, index: Any) -> Any:
        """A ``CalibratedScore`` for an integer; ``CalibratedScores`` for a slice, a mask or an array of positions."""
        selected = super().__getitem__(index)
        if isinstance(selected, Scores):
            return CalibratedScores(selected, self.calibration)
        verdict: Any = str(self.verdicts[index])
        return CalibratedScore(
            selected, selected.signature, selected.reference, float(self.probabilities[index]), verdict
        )
