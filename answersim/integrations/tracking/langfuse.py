"""A metric of answersim as an evaluator of langfuse experiments."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from answersim.integrations.shared.base import host
from answersim.integrations.shared.fields import RowScorer
from answersim.types import Metric

if TYPE_CHECKING:
    from langfuse import Evaluation


def evaluator(
    metric: str | Metric | None = None, *, name: str | None = None, **settings: Any
) -> Callable[..., Coroutine[Any, Any, list[Evaluation]]]:
    """Return an evaluator for ``run_experiment(evaluators=[...])``.

    The evaluation NAME has the score, the reason as its comment, and the signature in its metadata. If there is a
    verdict, NAME_verdict is a categorical score. Items that run at the same time are scored in one batch. The expected
    output of an item is a text, or a list of texts that are all correct. Langfuse logs an error of a row and leaves its
    score out. ``settings``: those of ``RowScorer``. Common arguments: see ``answersim.integrations``.
    """
    with host(__name__):
        from langfuse import Evaluation
    scorer = RowScorer(metric, **settings)
    name = name or scorer.name

    async def answer_similarity(*, input: Any, output: Any, expected_output: Any = None, **_: Any) -> list[Evaluation]:
        scored = await scorer.row_async(input, expected_output, output)
        about = {"comment": scored.reason, "metadata": scored.metadata()}
        evaluations = [Evaluation(name=name, value=scored.value, **about)]
        if scored.verdict is not None:
            verdict = Evaluation(name=f"{name}_verdict", value=scored.verdict, data_type="CATEGORICAL", **about)
            evaluations.append(verdict)
        return evaluations

    answer_similarity.__name__ = name
    return answer_similarity
