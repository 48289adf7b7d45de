"""A metric of answersim as ``compute_metrics`` of the trainers of transformers. It needs only what they pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from answersim.integrations.shared.base import Scorer
from answersim.types import Metric


class ComputeMetrics:
    """``Seq2SeqTrainer(compute_metrics=ComputeMetrics(tokenizer, "f1"))``: the mean score of generated answers.

    The result has NAME, the mean, and NAME_equivalent, the share of answers with the verdict "equivalent", if each has
    a verdict. A trainer accepts numbers only, so the signature is an attribute. It also works by batches
    (``batch_eval_metrics``). Common arguments: see ``answersim.integrations``.

    Attributes:
        scorer: The metric with its settings, which are those of ``Scorer``.
    """

    def __init__(
        self,
        tokenizer: Any,
        metric: str | Metric | None = None,
        *,
        golds: Sequence[str | Sequence[str]] | None = None,
        questions: Sequence[str] | None = None,
        **settings: Any,
    ) -> None:
        """Check the settings. Raise ValueError if the tokenizer has no padding token.

        ``tokenizer``: its ``batch_decode`` makes texts of token ids, without its special tokens. ``golds``: the gold
        answers in the order of the evaluated data, a text or a list of texts that are all correct; if None, the labels
        are decoded. ``questions``: the questions, in the same order.
        """
        self.scorer = Scorer(metric, **settings)
        if tokenizer.pad_token_id is None:
            raise ValueError("the tokenizer has no padding token; set tokenizer.pad_token = tokenizer.eos_token")
        self.tokenizer, self.golds, self.questions = tokenizer, golds, questions
        self._rows: list[tuple[Any, str]] = []

    @property
    def signature(self) -> str:
        """The signature of the metric."""
        return self.scorer.signature

    def __call__(self, prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """Return the means over all answers since the last result; an empty dictionary if it is not yet wanted.

        Args:
            prediction: An ``EvalPrediction`` with token ids as predictions (``predict_with_generate``), and labels.
            compute_result: Whether this is the last batch.

        Raises:
            TypeError: If the predictions are not token ids.
            ValueError: If ``golds`` or ``questions`` have another number of rows.
        """
        preds = self._texts(prediction.predictions)
        labels = [None] * len(preds) if self.golds is not None else self._texts(prediction.label_ids)
        self._rows += zip(labels, preds, strict=True)
        if not compute_result:
            return {}
        rows, self._rows = self._rows, []
        golds = [label for label, _ in rows] if self.golds is None else self.golds
        questions = [None] * len(rows) if self.questions is None else self.questions
        for name, column in (("golds", golds), ("questions", questions)):
            if len(column) != len(rows):
                raise ValueError(f"{name} has {len(column)} entries, but {len(rows)} rows were evaluated")
        summary = self.scorer.summary(self.scorer.score_columns(golds, [pred for _, pred in rows], questions))
        result = {self.scorer.name: summary.mean}
        if summary.equivalent is not None:
            result[f"{self.scorer.name}_equivalent"] = summary.equivalent
        return result

    def _texts(self, ids: Any) -> list[str]:
        """Return the texts of token ids, shape (n, length); negative ids are padding."""
        ids = np.asarray(ids[0] if isinstance(ids, tuple) else ids)
        if ids.ndim != 2 or not np.issubdtype(ids.dtype, np.integer):
            raise TypeError(
                f"the predictions are {ids.dtype} numbers of shape {ids.shape}, but they must be token ids of shape "
                "(n, length); use Seq2SeqTrainer with predict_with_generate=True, or preprocess_logits_for_metrics"
            )
        padded = np.where(ids < 0, self.tokenizer.pad_token_id, ids)
        return [text.strip() for text in self.tokenizer.batch_decode(padded, skip_special_tokens=True)]
