"""A metric of answersim as an evaluator of langsmith and openevals. It needs neither of them itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from answersim.integrations.shared.fields import RowScorer
from answersim.types import Metric


def evaluator(
    metric: str | Metric | None = None, *, name: str | None = None, **settings: Any
) -> Callable[..., dict[str, Any]]:
    """Return an evaluator for ``langsmith.evaluate(evaluators=[...])`` and for the functions of openevals.

    It returns one feedback: ``key``, ``score``, the verdict as ``value`` if there is one, the reason as ``comment``,
    and the signature in ``metadata``. Langsmith calls it in threads. Calls at the same time are scored in one batch. An
    error of a row is that of its feedback. ``settings``: those of ``RowScorer``. Common arguments: see
    ``answersim.integrations``.
    """
    scorer = RowScorer(metric, **settings)

    def answer_similarity(*, outputs: Any, reference_outputs: Any, inputs: Any = None, **_: Any) -> dict[str, Any]:
        scored = scorer.row(inputs, reference_outputs, outputs)
        feedback = {"key": name or scorer.name, "score": scored.value, "comment": scored.reason}
        verdict = {} if scored.verdict is None else {"value": scored.verdict}
        return feedback | verdict | {"metadata": scored.metadata()}

    answer_similarity.__name__ = name or scorer.name
    return answer_similarity
