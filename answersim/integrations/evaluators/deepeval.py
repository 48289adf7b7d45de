"""A metric of answersim as a metric of deepeval: score, success and reason of each test case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from answersim.calibration.storing import ANY, CalibrationLike
from answersim.integrations.shared.base import Limits, Scored, Scorer, host
from answersim.types import Metric

with host(__name__):
    from deepeval.metrics import BaseMetric
    from deepeval.metrics.utils import check_llm_test_case_params
    from deepeval.test_case import LLMTestCase, SingleTurnParams


class AnswerSimilarity(BaseMetric):  # type: ignore[misc] # the library is not there for mypy
    """A metric for ``deepeval.evaluate`` and ``assert_test`` that compares actual and expected output.

    A test case has one expected output. Further correct answers are a list in its metadata, under ``golds``. An actual
    output of None scores 0 with the reason. A test case without a gold answer is missing a parameter, as in deepeval.
    The reason and ``evaluation_model``, which is part of the key of deepeval's cache, contain the signature. Common
    arguments: see ``answersim.integrations``.
    """

    success: bool | None = None

    def __init__(
        self,
        metric: str | Metric | None = None,
        threshold: float | None = None,
        *,
        calibration: CalibrationLike | None = ANY,
        limits: Limits = "clip",
        lang: str | None = None,
        profile: str | None = None,
        options: Mapping[str, Any] | None = None,
        golds: str = "golds",
        extract: Any = None,
    ) -> None:
        """Check the settings, which are those of ``Scorer``.

        ``threshold``: scores from here on succeed. If None, the verdict "equivalent" succeeds. Without verdicts,
        deepeval requires another metric with a threshold in the same evaluation. ``limits``: what happens to scores
        outside 0 to 1, which deepeval expects. ``golds``: the entry of the metadata with further gold answers.
        """
        # deepeval copies a metric from the entries of vars(self) that are named like these parameters.
        self.metric, self.calibration = metric, calibration
        self.__dict__["threshold"] = threshold
        self.limits, self.lang, self.profile, self.options, self.golds = limits, lang, profile, options, golds
        self.extract, own = extract, dict(options or {})
        self._scorer = Scorer(
            metric, threshold, calibration, limits, lang=lang, profile=profile, options=own, extract=extract
        )
        self.include_reason = True

    def measure(self, test_case: LLMTestCase, *args: Any, **shows: Any) -> float:
        """Score one test case; deepeval's further arguments concern its progress bar."""
        return self._result(self._scorer.score(*self._texts(test_case)))

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **shows: Any) -> float:
        """Score one test case; those that deepeval evaluates at the same time become one batch."""
        return self._result(await self._scorer.score_async(*self._texts(test_case)))

    def is_successful(self) -> bool | None:
        """Return whether the last test case succeeds; None if answers are not counted."""
        if self.error is not None:
            self.success = False
        return self.success

    @property
    def threshold(self) -> float | None:
        """The score from which a test case succeeds; None if answers are not counted."""
        stated: float | None = self.__dict__["threshold"]
        if stated is not None:
            return stated
        rule = self._scorer.rule(self.evaluation_model or self._scorer.signature)
        return rule.threshold if rule.counts else None

    @property
    def __name__(self) -> str:
        return f"{self._scorer.name} (answersim)"

    def _texts(self, case: LLMTestCase) -> tuple[str, list[Any], str | None]:
        more = (case.metadata or {}).get(self.golds)
        if more is None:
            needed = [SingleTurnParams.INPUT, SingleTurnParams.EXPECTED_OUTPUT]
            check_llm_test_case_params(case, needed, None, None, self, None, case.multimodal)
        return case.input, [case.expected_output, more], case.actual_output

    def _result(self, scored: Scored) -> float:
        self.score, self.success, self.reason = scored.value, scored.passed, scored.reason
        self.evaluation_model = scored.signature
        self.score_breakdown = scored.metadata()
        return scored.value
