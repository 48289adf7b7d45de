"""A metric of answersim in lighteval: metrics for the tasks of ``--custom-tasks``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from answersim.integrations.shared.base import Scored, host
from answersim.integrations.shared.fields import RowScorer, question_in
from answersim.types import Metric


def metrics(metric: str | Metric | None = None, *, name: str | None = None, **settings: Any) -> list[Any]:
    """Return two metrics for ``LightevalTaskConfig(metrics=...)``: the score, and whether the verdict is "equivalent".

    They are NAME and NAME_equivalent. All documents are scored in one batch, with all gold answers of a document. Of
    several generations, the mean counts. The stored configuration of the task contains the signature. If answers are
    not counted (see ``Scorer.rule``), NAME_equivalent is nan. ``settings``: those of ``RowScorer``; ``question`` is an
    entry of ``doc.specific``. Common arguments: see ``answersim.integrations``.
    """
    with host(__name__):
        from lighteval.metrics.metrics_sample import SampleLevelComputation
        from lighteval.metrics.utils.metric_utils import SampleLevelMetric
        from lighteval.tasks.requests import SamplingMethod
    scorer = RowScorer(metric, **settings)

    class AnswerSimilarity(SampleLevelComputation):  # type: ignore[misc] # the library is not there for mypy
        """One of the two numbers of each document."""

        def __init__(self, *, verdict: bool) -> None:
            self.verdict = verdict

        def compute(self, responses: Sequence[Any], docs: Sequence[Any], **_: Any) -> list[float]:
            """Return the mean over the generations of each document."""
            answers = [response.final_text for response in responses]
            rows = [
                (question_in(doc.specific, scorer.question), doc.get_golds(), answer)
                for doc, texts in zip(docs, answers, strict=True)
                for answer in texts
            ]
            numbers = [self._number(scored) for scored in scorer.score_batch(rows)]
            ends = np.cumsum([len(texts) for texts in answers])
            return [float(np.mean(scores)) for scores in np.split(numbers, ends[:-1])]

        def _number(self, scored: Scored) -> float:
            if not self.verdict:
                return scored.value
            return np.nan if scored.passed is None else float(scored.passed)

        def __str__(self) -> str:
            return f"answersim, {'verdict' if self.verdict else 'score'} of {scorer.signature}"

    called = name or scorer.name
    return [
        SampleLevelMetric(
            metric_name=f"{called}_equivalent" if verdict else called,
            higher_is_better=True,
            category=SamplingMethod.GENERATIVE,
            sample_level_fn=AnswerSimilarity(verdict=verdict),
            corpus_level_fn=np.mean,
            batched_compute=True,
        )
        for verdict in (False, True)
    ]
