"""An evaluator of rankings for the trainings of sentence-transformers, with answer similarity beside the measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import answersim
from answersim._base.errors import MissingExtraError, unknown
from rankers.data import labeled
from rankers.evaluation import measures, runs
from rankers.evaluation.evaluate import evaluate
from rankers.models.published import of_object
from rankers.types import Questions

try:
    from sentence_transformers.base.evaluation import BaseEvaluator
except ImportError as error:
    missing = error.name or "sentence-transformers"
    raise MissingExtraError("rankers.integrations.sentence_transformers", "neural", missing) from error

Sample = Mapping[str, Any]


class AnswerSelectionEvaluator(BaseEvaluator):  # type: ignore[misc] # the library has no types
    """The ranking of candidates by a model in training, such as ``CrossEncoderRerankingEvaluator``.

    It accepts a cross-encoder with one output or a bi-encoder. Besides ranking measures it computes metrics of
    answersim for the first choices, so that a checkpoint can be selected by meaning. The order of equal scores does not
    favor relevant candidates.
    """

    def __init__(
        self,
        questions: Questions | Sequence[Sample],
        *,
        measures: Sequence[str] = ("MAP", "RR@10", "nDCG@10"),
        metrics: Sequence[str] = (),
        primary: str | None = None,
        batch_size: int = 32,
        name: str = "",
    ) -> None:
        """Check the questions and the names of measures and metrics.

        Args:
            questions: A split, of ``rankers.data.load`` for example; or samples as ``CrossEncoderRerankingEvaluator``
                has them: ``query``, ``positive`` (a text or a list), and either ``negative`` or ``documents``.
            measures: Ranking measures, as ir_measures names them.
            metrics: Names of metrics of answersim.
            primary: The name that selects the best checkpoint; the last of ``measures`` if not given.
            batch_size: Pairs or texts that the model gets at a time.
            name: Goes before the names of the results.
        """
        super().__init__()
        self.questions = questions if isinstance(questions, Questions) else _questions(questions, name)
        self.measures, self.metrics = tuple(measures), tuple(metrics)
        if not self.measures and not self.metrics:
            raise ValueError("there is nothing to measure: measures and metrics are both empty; give measures=['MAP']")
        _check_names(self.measures, self.metrics)
        names = (*self.measures, *self.metrics)
        if primary is not None and primary not in names:
            raise unknown("measure or metric of this evaluator", primary, names)
        self.primary_metric = primary or (self.measures or self.metrics)[-1]
        self.batch_size, self.name = batch_size, name

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """Return the mean of each measure and metric, by name."""
        ranker = of_object(model, self.batch_size)
        if ranker is None:
            raise TypeError(f"model is {model!r:.60}, but it must be a CrossEncoder or a SentenceTransformer")
        run = runs.run(ranker, self.questions, "in-training")
        evaluation = evaluate(run, self.questions, self.measures, self.metrics, floor_candidates=0)
        values = {name: evaluation.mean(name) for name in (*self.measures, *self.metrics)}
        named = self.prefix_name_to_metrics(values, self.name)
        self.store_metrics_in_model_card_data(model, named, epoch, steps)
        return named

    def get_config_dict(self) -> dict[str, Any]:
        """Return the settings for the model card."""
        return {"measures": list(self.measures), "metrics": list(self.metrics), "questions": len(self.questions)}


def _check_names(names: Sequence[str], metrics: Sequence[str]) -> None:
    for name in names:
        measures.parse(name)
    for name in metrics:
        if name not in answersim.names():
            raise unknown("metric", name, answersim.names())


def _questions(samples: Sequence[Sample], name: str) -> Questions:
    """Return samples as questions; every document that is not a positive has the grade 0."""
    if isinstance(samples, str | Mapping) or not isinstance(samples, Sequence) or not samples:
        raise TypeError(f"questions is {samples!r:.60}, but it must be a split of a corpus or a list of samples")
    rows = []
    for i, sample in enumerate(samples):
        if not isinstance(sample, Mapping) or "query" not in sample or "positive" not in sample:
            raise ValueError(f"sample {i} is {sample!r:.60}, but it needs 'query' and 'positive'")
        if ("negative" in sample) == ("documents" in sample):
            raise ValueError(f"sample {i} needs either 'negative' or 'documents', and has both or none")
        positives, others = (
            list(dict.fromkeys([value] if isinstance(value, str) else value))
            for value in (sample["positive"], sample.get("negative", sample.get("documents")))
        )
        texts = [*positives, *(text for text in others if text not in positives)]
        labels = [int(text in positives) for text in texts]
        rows.append({"question": sample["query"], "question_id": i, "candidates": texts, "labels": labels})
    return replace(labeled.questions(rows, split="eval"), corpus=name)
