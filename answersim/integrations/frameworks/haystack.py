"""A metric of answersim as a component of haystack: an evaluator in a pipeline."""

from __future__ import annotations

from typing import Any

from answersim.integrations.shared.base import Scorer, host

with host(__name__):
    from haystack import component, default_to_dict


@component
class AnswerSimilarityEvaluator:
    """An evaluator that compares predicted answers with gold answers, such as ``AnswerExactMatchEvaluator``.

    ``score`` (the mean) and ``individual_scores`` are what ``EvaluationRunResult`` needs. The further outputs are
    ``verdicts``, ``counting`` (the rule of the verdicts), ``reasons`` and ``signature``. Common arguments: see
    ``answersim.integrations``.
    """

    def __init__(self, metric: str | None = None, **settings: Any) -> None:
        """Check the settings, which are those of ``Scorer``; ``warm_up`` loads the metric.

        The metric is given by its name, so that a pipeline with this component can be stored.
        """
        if metric is not None and not isinstance(metric, str):
            raise TypeError(f"metric is {metric!r}, but a pipeline can store names only; give the name of a metric")
        self.settings: dict[str, Any] = {"metric": metric, **settings}
        self.scorer = Scorer(**self.settings)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings, as haystack stores them."""
        return default_to_dict(self, **self.settings)

    def warm_up(self) -> None:
        """Load the metric by one score, as haystack does before a pipeline runs; a second call costs nothing."""
        self.scorer.score(None, "a", "b")

    @component.output_types(  # type: ignore[untyped-decorator] # the library is not there for mypy
        score=float,
        individual_scores=list[float],
        verdicts=list[str | None],
        counting=str,
        reasons=list[str],
        signature=str,
    )
    def run(
        self, ground_truth_answers: list[Any], predicted_answers: list[Any], questions: list[str] | None = None
    ) -> dict[str, Any]:
        """Score predictions in one batch.

        Args:
            ground_truth_answers: One entry per prediction: a text, or a list of texts that are all correct.
            predicted_answers: The predictions; None scores 0 with the reason.
            questions: One per prediction, for metrics that read questions.

        Raises:
            TypeError, ValueError: If the lengths differ or are 0, or as ``Scorer.score_batch``.
        """
        rows = self.scorer.score_columns(ground_truth_answers, predicted_answers, questions)
        summary = self.scorer.summary(rows)
        return {
            "score": summary.mean,
            "individual_scores": [row.value for row in rows],
            "verdicts": [row.verdict for row in rows],
            "counting": summary.counting,
            "reasons": [row.reason for row in rows],
            "signature": summary.signature,
        }
