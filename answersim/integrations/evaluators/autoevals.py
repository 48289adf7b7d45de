"""A metric of answersim as a scorer of autoevals, which braintrust runs."""

from __future__ import annotations

from typing import Any

from answersim.integrations.shared.base import Limits, Scored, host
from answersim.integrations.shared.fields import RowScorer
from answersim.types import Metric

with host(__name__):
    from autoevals import Score, Scorer


class AnswerSimilarity(Scorer):  # type: ignore[misc] # the library is not there for mypy
    """A scorer: ``AnswerSimilarity("f1")(output, expected, input=question)``, or one of the ``scores`` of an ``Eval``.

    The expected value is a text, or a list of texts that are all correct. The metadata contain reason and signature.
    ``limits``: what happens to scores outside 0 to 1, for which autoevals raises a ValueError; see ``Scorer``.
    ``settings``: those of ``RowScorer``. Common arguments: see ``answersim.integrations``.
    """

    def __init__(
        self, metric: str | Metric | None = None, *, name: str | None = None, limits: Limits = "clip", **settings: Any
    ) -> None:
        """Check the settings."""
        self.scorer = RowScorer(metric, limits=limits, **settings)
        self.name = name or self.scorer.name

    def _name(self) -> str:
        return self.name

    def _run_eval_sync(self, output: Any, expected: Any = None, **row: Any) -> Score:
        return self._score(self.scorer.row(row.get("input"), expected, output))

    async def _run_eval_async(self, output: Any, expected: Any = None, **row: Any) -> Score:
        return self._score(await self.scorer.row_async(row.get("input"), expected, output))

    def _score(self, scored: Scored) -> Score:
        return Score(name=self.name, score=scored.value, metadata={"reason": scored.reason, **scored.metadata()})
