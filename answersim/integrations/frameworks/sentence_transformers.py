"""An evaluator for the trainings of sentence-transformers: does the model order answers as annotators do?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.integrations.shared.base import gold_texts, host
from answersim.scoring import score as scoring
from answersim.scoring.pairs import check
from answersim.stats.intervals.resampling import COEFFICIENTS
from answersim.types import Capabilities, Pair

with host(__name__, "neural"):
    from sentence_transformers.base.evaluation import BaseEvaluator


class AnswerSimilarityEvaluator(BaseEvaluator):  # type: ignore[misc] # the library has no types
    """The agreement of a model in training with human labels of answers: Kendall's tau-b, Spearman and Pearson.

    A bi-encoder scores a pair by the cosine of its vectors, a cross-encoder by its output. Of several gold answers, the
    one with the highest score counts. Kendall's tau-b, that of the tables of this project, selects the best checkpoint.
    """

    def __init__(
        self,
        golds: Sequence[str | Sequence[str]],
        preds: Sequence[str],
        labels: Sequence[float],
        *,
        batch_size: int = 32,
        name: str = "",
    ) -> None:
        """Check the answers.

        Args:
            golds: One entry per prediction, a text or a list of texts that are all correct.
            preds: The predictions.
            labels: The human labels, a finite number each; higher is more similar.
            batch_size: Texts or pairs that the model gets at a time.
            name: Goes before the names of the results.

        Raises:
            TypeError, ValueError: If an answer is not a text, lengths differ, or the labels are constant.
        """
        super().__init__()
        self.pairs = [(list(gold_texts(gold)), pred) for gold, pred in zip(golds, preds, strict=True)]
        check([gold for gold, _ in self.pairs], preds)
        if not len(labels) == len(self.pairs) or len(set(labels)) < 2:
            raise ValueError(
                f"there are {len(labels)} labels with {len(set(labels))} values for {len(self.pairs)} predictions; a "
                "correlation needs one label per prediction, and two values"
            )
        self.labels = np.asarray(labels, dtype=np.float64)
        self.batch_size, self.name, self.primary_metric = batch_size, name, "kendall"

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """Return the coefficients of this model; nan if all its scores are equal. Nothing is written."""
        metric = _InTraining(model, self.batch_size)
        (scores,) = scoring.score_pairs(self.pairs, [metric], progress=False).values()
        names = ("kendall", "spearman", "pearson")
        values = {name: float(COEFFICIENTS[name](scores.values, self.labels, None)[0]) for name in names}
        named = self.prefix_name_to_metrics(values, self.name)
        self.store_metrics_in_model_card_data(model, named, epoch, steps)
        return named


@dataclass(frozen=True, eq=False)
class _InTraining:
    """A model whose weights change, as a metric for one evaluation. Its signature does not identify the weights."""

    model: Any
    batch_size: int
    signature = "in-training"
    capabilities = Capabilities(batches_all=True, cost="model")

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return one number per pair, shape (n,)."""
        settings = {"batch_size": self.batch_size, "show_progress_bar": False}
        if hasattr(self.model, "predict"):
            return np.asarray(self.model.predict([(gold, pred) for gold, pred in pairs], **settings), dtype=np.float64)
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        vectors = self.model.encode(texts, normalize_embeddings=True, **settings)
        at = dict(zip(texts, np.asarray(vectors, dtype=np.float64), strict=True))
        return np.array([at[gold] @ at[pred] for gold, pred in pairs])
