"""A metric of answersim in dspy: for ``dspy.Evaluate`` and optimizers, and with feedback for GEPA."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from answersim.integrations.shared.base import Scored, host
from answersim.integrations.shared.fields import RowScorer
from answersim.types import Metric

if TYPE_CHECKING:
    import dspy


def metric(name: str | Metric | None = None, **settings: Any) -> Callable[..., float | bool]:
    """Return a metric for ``dspy.Evaluate`` and for optimizers: the score, or whether it passes if there is a trace.

    The attribute ``signature`` of the result states what decides its scores. ``name``: a metric. ``settings``: those of
    ``RowScorer``; its entries are fields of the example and of the prediction. An optimizer bootstraps from answers
    with the verdict "equivalent". Without verdicts, the optimization raises ValueError. Common arguments: see
    ``answersim.integrations``.
    """
    scorer = RowScorer(name, **settings)

    def answer_similarity(example: Any, pred: Any, trace: Any = None) -> float | bool:
        scored = _scored(scorer, example, pred)
        if trace is None:
            return scored.value
        if scored.passed is None:
            raise ValueError(f"an optimizer needs a yes or no, but {scorer.rule(scored.signature).sentence}")
        return scored.passed

    answer_similarity.__name__ = scorer.name.replace("-", "_")
    answer_similarity.signature = scorer.signature  # type: ignore[attr-defined]
    return answer_similarity


def feedback_metric(name: str | Metric | None = None, **settings: Any) -> Callable[..., dspy.Prediction]:
    """Return a metric for ``dspy.GEPA``: a prediction with ``score``, ``feedback`` (the reason) and ``signature``.

    Arguments are those of ``metric``. A score of an empty trace or of any predictor is that of the program.
    """
    with host(__name__):
        import dspy
    scorer = RowScorer(name, **settings)

    def answer_similarity(
        gold: Any, pred: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None
    ) -> dspy.Prediction:
        scored = _scored(scorer, gold, pred)
        return dspy.Prediction(score=scored.value, feedback=scored.reason, signature=scored.signature)

    answer_similarity.__name__ = scorer.name.replace("-", "_")
    return answer_similarity


def _scored(scorer: RowScorer, example: Any, pred: Any) -> Scored:
    row, output = (dict(value.items()) if hasattr(value, "items") else value for value in (example, pred))
    return scorer.row(row, row, output)
