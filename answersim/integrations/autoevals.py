"""A metric of answersim as a scorer of autoevals, which braintrust runs."""

from __future__ import annotations

from typing import Any

from answersim.errors import MissingExtraError
from answersim.integrations import base
from answersim.integrations.fields import question_in
from answersim.types import Metric

try:
    from autoevals import Score, Scorer
except ImportError as error:
    raise MissingExtraError("answersim.integrations.autoevals", "autoevals", error.name or "autoevals") from error


class AnswerSimilarity(Scorer):  # type: ignore[misc] # the library is not there for mypy
    """A scorer: ``AnswerSimilarity("f1")(output, expected, input=question)``, or one of the ``scores`` of an ``Eval``.

    The expected value is a text, or a list of texts that are all correct. The metadata contain reason and signature.
    """

    def __init__(
        self,
        metric: str | Metric | None = None,
        *,
        name: str | None = None,
        question: str | None = None,
        limits: base.Limits = "clip",
        **settings: Any,
    ) -> None:
        """Check the settings; nothing is loaded before the first score.

        Args:
            metric: A name or a metric, as in ``answersim.score``.
            name: The name of the score; that of the metric if None.
            question: The entry of the input with the question; see ``fields.question_in``.
            limits: What happens to scores outside 0 to 1, which autoevals refuses; see ``Scorer``.
            settings: Further settings of ``Scorer``.

        Raises:
            LookupError, TypeError, ValueError: As ``Scorer``. Also a ValueError of autoevals for scores outside 0 to 1
                if limits is "any".
        """
        self.scorer = base.Scorer(metric, limits=limits, **settings)
        self.name = name or self.scorer.name
        self.question = question

    def _name(self) -> str:
        return self.name

    def _run_eval_sync(self, output: Any, expected: Any = None, **row: Any) -> Score:
        return self._score(self.scorer.score(question_in(row.get("input"), self.question), expected, output))

    async def _run_eval_async(self, output: Any, expected: Any = None, **row: Any) -> Score:
        asked = question_in(row.get("input"), self.question)
        return self._score(await self.scorer.score_async(asked, expected, output))

    def _score(self, scored: base.Scored) -> Score:
        return Score(name=self.name, score=scored.value, metadata={"reason": scored.reason, **scored.metadata()})
