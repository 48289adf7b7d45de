"""A metric of answersim in dspy: for ``dspy.Evaluate`` and optimizers, and with feedback for GEPA."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from answersim.errors import MissingExtraError
from answersim.integrations.base import Scored, Scorer
from answersim.integrations.fields import texts_in
from answersim.types import Metric

if TYPE_CHECKING:
    import dspy


def metric(
    name: str | Metric | None = None,
    *,
    question: str | None = None,
    gold: str | None = None,
    prediction: str | None = None,
    **settings: Any,
) -> Callable[..., float | bool]:
    """Return a metric for ``dspy.Evaluate`` and for optimizers: the score, or whether it passes if there is a trace.

    The attribute ``signature`` of the result states what decides its scores.

    Args:
        name: A name or a metric, as in ``answersim.score``.
        question: The field of the example with the question; see ``fields.question_in``.
        gold: The field of the example with the gold answer: a text, or a list of texts that are all correct. If None,
            usual names are found.
        prediction: The field of the prediction, likewise.
        settings: Further settings of ``Scorer``. An optimizer bootstraps from answers with the verdict "equivalent".

    Raises:
        LookupError, TypeError, ValueError: As ``Scorer``. Also a ValueError in the optimization if there is no verdict.
    """
    scorer = Scorer(name, **settings)

    def answer_similarity(example: Any, pred: Any, trace: Any = None) -> float | bool:
        scored = _scored(scorer, example, pred, question, gold, prediction)
        if trace is None:
            return scored.value
        if scored.passed is None:
            raise ValueError(f"an optimizer needs a yes or no, but {scorer.rule(scored.signature).sentence}")
        return scored.passed

    answer_similarity.__name__ = scorer.name.replace("-", "_")
    answer_similarity.signature = scorer.signature  # type: ignore[attr-defined]
    return answer_similarity


def feedback_metric(
    name: str | Metric | None = None,
    *,
    question: str | None = None,
    gold: str | None = None,
    prediction: str | None = None,
    **settings: Any,
) -> Callable[..., dspy.Prediction]:
    """Return a metric for ``dspy.GEPA``: a prediction with ``score``, ``feedback`` (the reason) and ``signature``.

    Arguments and errors are those of ``metric``. A score of an empty trace or of any predictor is that of the program.

    Raises:
        MissingExtraError: If dspy is not installed.
    """
    try:
        import dspy
    except ImportError as error:
        raise MissingExtraError("answersim.integrations.dspy", "dspy", error.name or "dspy") from error
    scorer = Scorer(name, **settings)

    def answer_similarity(
        gold_example: Any, pred: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None
    ) -> dspy.Prediction:
        scored = _scored(scorer, gold_example, pred, question, gold, prediction)
        return dspy.Prediction(score=scored.value, feedback=scored.reason, signature=scored.signature)

    answer_similarity.__name__ = scorer.name.replace("-", "_")
    return answer_similarity


def _scored(scorer: Scorer, example: Any, pred: Any, question: Any, gold: Any, prediction: Any) -> Scored:
    row, output = (_fields(value) for value in (example, pred))
    return scorer.score(*texts_in(row, row, output, question, gold, prediction))


def _fields(value: Any) -> Any:
    """Return the fields of an example or a prediction as a dictionary; any other value as it is."""
    return dict(value.items()) if hasattr(value, "items") else value
