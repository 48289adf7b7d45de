"""A metric of answersim in mlflow: a scorer for ``mlflow.genai.evaluate``, a metric for ``mlflow.models.evaluate``."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from answersim.integrations.shared.base import Scorer, host
from answersim.integrations.shared.fields import RowScorer
from answersim.types import Metric

if TYPE_CHECKING:
    from mlflow.entities import Feedback
    from mlflow.models import EvaluationMetric

with host(__name__):
    import mlflow  # noqa: F401 # only whether it is there; its parts are imported when they are needed


def scorer(metric: str | Metric | None = None, *, name: str | None = None, **settings: Any) -> Any:
    """Return a scorer for ``mlflow.genai.evaluate``: a ``Feedback`` with the score, and one with the verdict.

    The gold answer of a row is ``expectations["expected_response"]``: a text, or a list of texts that are all correct.
    The feedback NAME has the score, the reason as its rationale, and the signature in its metadata. If there is a
    verdict, the feedback NAME_equivalent is True or False, and its mean is the share of equivalent answers.
    (``EvaluationResult.passed`` of mlflow 3.17 is False for all rows with expectations: it takes these for results.) An
    error of a row is that of its feedback. ``settings``: those of ``RowScorer``. Common arguments: see
    ``answersim.integrations``.
    """
    from mlflow.entities import Feedback
    from mlflow.genai.scorers import scorer as decorated

    scoring = RowScorer(metric, **settings)
    name = name or scoring.name.replace("-", "_")

    def answer_similarity(inputs: Any, outputs: Any, expectations: Any) -> list[Feedback]:
        scored = scoring.row(inputs, expectations, outputs)
        metadata = {key: str(value) for key, value in scored.metadata().items() if value is not None}
        values = {name: scored.value, f"{name}_equivalent": scored.passed}
        return [
            Feedback(name=name, value=value, rationale=scored.reason, metadata=metadata)
            for name, value in values.items()
            if value is not None
        ]

    return decorated(answer_similarity, name=name)


def make_metric(
    metric: str | Metric | None = None, *, name: str | None = None, question: str | None = None, **settings: Any
) -> EvaluationMetric:
    """Return a metric for ``extra_metrics`` of ``mlflow.models.evaluate``: scores, reasons and aggregates.

    Targets are texts, or tuples of texts that are all correct (mlflow cannot hash lists). ``metric_metadata`` contains
    the signature. ``question``: the column of the evaluated data with the questions, if the metric shall read them.
    Common arguments: see ``answersim.integrations``.
    """
    from mlflow.metrics import MetricValue
    from mlflow.metrics.base import standard_aggregations
    from mlflow.models import make_metric as made

    scoring = Scorer(metric, **settings)

    def eval_fn(predictions: Sequence[Any], targets: Sequence[Any], metrics: Any, *columns: Any) -> MetricValue:
        rows = scoring.score_columns(targets, predictions, *columns)
        values = [row.value for row in rows]
        return MetricValue(values, [row.reason for row in rows], standard_aggregations(values) if rows else {})

    parameters = ["predictions", "targets", "metrics", *([] if question is None else [question])]
    eval_fn.__signature__ = inspect.Signature(  # type: ignore[attr-defined] # mlflow passes the columns that it names
        [inspect.Parameter(parameter, inspect.Parameter.POSITIONAL_OR_KEYWORD) for parameter in parameters]
    )
    metadata = {"signature": scoring.signature, "assessment_type": "ANSWER"}
    name = name or scoring.name.replace("-", "_")
    return made(eval_fn=eval_fn, greater_is_better=True, name=name, metric_metadata=metadata)
