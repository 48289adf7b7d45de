"""A metric of answersim in ragas: a numeric metric for experiments, and one for ``ragas.evaluate``."""

from __future__ import annotations

from typing import Any

from answersim.integrations.shared.base import Limits, Scorer, host
from answersim.types import Metric


def metric(
    name: str | Metric | None = None, *, as_name: str | None = None, limits: Limits = "clip", **settings: Any
) -> Any:
    """Return a metric for ``score``, ``ascore`` and ``abatch_score``: ``metric("f1").score(response=a, reference=b)``.

    The reference is a text, or a list of texts that are all correct. ``user_input`` is the question. The result has the
    value and the reason, and the signature in ``traces["output"]``. Awaits at the same time are scored in one batch.
    Ragas turns an error into a result without a value, with the error as its reason. ``name``: a metric. ``as_name``:
    the name in ragas; that of the metric if None. ``limits``: what happens to scores outside 0 to 1, of which ragas
    makes None; see ``Scorer``. Common arguments: see ``answersim.integrations``.
    """
    with host(__name__):
        from ragas.metrics import MetricResult, numeric_metric
    scorer = Scorer(name, limits=limits, **settings)

    # Ragas checks the arguments by these annotations, and cannot resolve a name that is not one of this module.
    async def answer_similarity(response: Any, reference: Any, user_input: Any = None) -> Any:
        scored = await scorer.score_async(user_input, reference, response)
        return MetricResult(scored.value, scored.reason, {"output": scored.metadata()})

    return numeric_metric(name=as_name or scorer.name, allowed_values=(0.0, 1.0))(answer_similarity)


def single_turn(
    name: str | Metric | None = None, *, as_name: str | None = None, limits: Limits = "clip", **settings: Any
) -> Any:
    """Return a metric for ``ragas.evaluate`` and ``single_turn_ascore``: scores of response and reference of a sample.

    The dataset of ragas has one reference per sample. Its results are scores only: the signature is the attribute
    ``signature`` of the metric. Arguments and errors are those of ``metric``.
    """
    with host(__name__):
        from ragas.metrics.base import MetricType, SingleTurnMetric
    scorer = Scorer(name, limits=limits, **settings)

    class AnswerSimilarity(SingleTurnMetric):  # type: ignore[misc] # the library is not there for mypy
        """The metric in the form that ragas requires."""

        def __init__(self) -> None:
            self.name = as_name or scorer.name
            self._required_columns = {MetricType.SINGLE_TURN: {"response", "reference", "user_input:optional"}}
            self.signature = scorer.signature
            super().__post_init__()

        def init(self, run_config: Any) -> None:
            """Do nothing: there is no language model to prepare."""

        async def _single_turn_ascore(self, sample: Any, callbacks: Any) -> float:
            return (await scorer.score_async(sample.user_input, sample.reference, sample.response)).value

    return AnswerSimilarity()
