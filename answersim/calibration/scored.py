"""Scores with a probability and a verdict. Their values do not change."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from answersim.calibration.decision import Verdict
from answersim.calibration.model import Calibration
from answersim.calibration.verdicts import VerdictRule
from answersim.text_tables import html_result
from answersim.types import FloatArray, Score, Scores


class CalibratedScore(Score):
    """A ``Score``, the same float as without a calibration, with a probability and a verdict.

    Attributes:
        probability: The probability that the two answers are equivalent.
        verdict: "equivalent", "unsure" or "different".
        truncated: Whether the metric read only a part of the texts, because they are too long.
    """

    __slots__ = ("probability", "truncated", "verdict")

    probability: float
    verdict: Verdict
    truncated: bool

    def __new__(
        cls,
        value: float,
        signature: str = "",
        reference: int = 0,
        probability: float = float("nan"),
        verdict: Verdict = "unsure",
        truncated: bool = False,
    ) -> CalibratedScore:
        """Create a score of this value."""
        score = super().__new__(cls, value, signature, reference)
        assert isinstance(score, CalibratedScore)
        score.probability = probability
        score.verdict = verdict
        score.truncated = truncated
        return score

    def _repr_html_(self) -> str:
        part = "; the texts are too long and were only read in part" if self.truncated else ""
        sentence = f"{self.verdict}: {float(self)!r}, probability {self.probability:.2f}{part}"
        return html_result([sentence], closing=[self.signature] if self.signature else [])


class CalibratedScores(Scores):
    """``Scores``, the same numbers as without a calibration, with probabilities and verdicts.

    Attributes:
        rule: The rule that decides: a calibration, or the scores themselves if they are verdicts of 0 and 1.
        calibration: The calibration of the rule; None without one.
        probabilities: float64, shape (n,): the probability that the answers of each pair are equivalent; nan if the
            rule has none.
        verdicts: Strings, shape (n,): "equivalent", "unsure" or "different".
        truncated: Booleans, shape (n,): whether the metric read only a part of the texts, because they are too long.
            All False if that is unknown.
    """

    __slots__ = ("calibration", "probabilities", "rule", "truncated", "verdicts")

    def __init__(
        self, scores: Scores, rule: Calibration | VerdictRule, truncated: NDArray[np.bool_] | None = None
    ) -> None:
        super().__init__(scores.values, scores.signature, scores.references)
        self._index = getattr(scores, "_index", None)
        if isinstance(rule, Calibration):
            rule = VerdictRule("calibration", scores.signature.split("|", 1)[0], rule)
        self.rule = rule
        self.calibration = rule.calibration
        found, verdicts = rule.probabilities(scores), rule.verdicts(scores)
        if verdicts is None:
            raise ValueError(f"these scores have no verdicts: {rule.sentence}")
        self.probabilities: FloatArray = np.full(len(scores), np.nan) if found is None else found
        self.verdicts: NDArray[np.str_] = verdicts
        self.truncated: NDArray[np.bool_] = np.zeros(len(scores), dtype=np.bool_) if truncated is None else truncated

    def _columns(self) -> tuple[str, ...]:
        return (*super()._columns(), "probability", "verdict")

    def _cells(self, i: int) -> tuple[str, ...]:
        return (*super()._cells(i), f"{self.probabilities[i]:.2f}", str(self.verdicts[i]))

    @overload
    def __getitem__(self, index: int) -> CalibratedScore: ...
    @overload
    def __getitem__(self, index: slice) -> CalibratedScores: ...
    def __getitem__(self, index: Any) -> Any:
        """Return a ``CalibratedScore`` for an integer, else ``CalibratedScores``, as ``Scores``."""
        selected = super().__getitem__(index)
        if isinstance(selected, Scores):
            return CalibratedScores(selected, self.rule, self.truncated[index])
        verdict: Any = str(self.verdicts[index])
        return CalibratedScore(
            selected,
            selected.signature,
            selected.reference,
            float(self.probabilities[index]),
            verdict,
            bool(self.truncated[index]),
        )
