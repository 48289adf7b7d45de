"""A metric of answersim as an evaluator of pydantic-evals: a score with its reason, and the verdict as an assertion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from answersim.calibration.storing import ANY, CalibrationLike
from answersim.integrations.shared.base import Limits, host
from answersim.integrations.shared.fields import RowScorer
from answersim.types import Metric

with host(__name__):
    from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext


@dataclass(repr=False)
class AnswerSimilarity(Evaluator):  # type: ignore[misc] # the library is not there for mypy
    """An evaluator for ``Dataset.evaluate``: the output of a case against its expected output.

    The expected output is a text, a list of texts that are all correct, or a mapping with one of these. Each case has a
    score named for the metric, and the assertion "NAME equivalent" if there is a verdict. ``evaluator_version`` of each
    result is the signature of the metric. The fields are those of ``RowScorer``, so that a dataset file can contain
    them. Common arguments: see ``answersim.integrations``.
    """

    metric: str | Metric | None = None
    threshold: float | None = None
    calibration: CalibrationLike | None = ANY
    limits: Limits = "any"
    lang: str | None = None
    profile: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    question: str | None = None
    gold: str | None = None
    prediction: str | None = None
    extract: Any = None

    def __post_init__(self) -> None:
        """Check the settings; see ``Scorer``."""
        self._scorer  # noqa: B018 # building it checks them

    @cached_property
    def _scorer(self) -> RowScorer:
        return RowScorer(**{setting.name: getattr(self, setting.name) for setting in fields(self)})

    async def evaluate(self, ctx: EvaluatorContext) -> dict[str, EvaluationReason]:
        """Return the score, and the verdict if there is one; cases that run at the same time become one batch."""
        scored = await self._scorer.row_async(ctx.inputs, ctx.expected_output, ctx.output)
        values = {self._scorer.name: scored.value, f"{self._scorer.name} equivalent": scored.passed}
        return {name: EvaluationReason(value, scored.reason) for name, value in values.items() if value is not None}

    def get_default_evaluation_name(self) -> str:
        """Return the name of the metric, under which reports list a failure."""
        return self._scorer.name

    def get_evaluator_version(self) -> str | None:
        """Return the signature; None if the metric cannot be built, which reports show as a failure of each case."""
        try:
            return self._scorer.signature
        except Exception:
            return None
