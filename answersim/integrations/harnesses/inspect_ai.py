"""Inspect: one scorer per metric, ``answersim/NAME``, found by the entry point; it also scores finished logs again.

``inspect score LOG --scorer answersim/sas`` needs no model; ``-S threshold=0.5`` sets an option of the scorer. The
scorer ``answersim/metric`` takes any name: ``-S metric=typed+f1``.
"""

from __future__ import annotations

from typing import Any

from answersim.integrations.shared.base import Scorer, host
from answersim.metrics.catalog import lookup

with host(__name__, "inspect"):
    from inspect_ai.scorer import Score, Target, mean, stderr
    from inspect_ai.scorer import Scorer as InspectScorer
    from inspect_ai.scorer import scorer as registered
    from inspect_ai.solver import TaskState


@registered(metrics=[mean(), stderr()], name="metric")  # type: ignore[untyped-decorator] # mypy skips inspect_ai
def metric(metric: str | None = None, **settings: Any) -> InspectScorer:
    """Return the scorer of any metric.

    The value is the score of the completion against the target with the highest score. The explanation and the metadata
    contain verdict, probability, target and signature. A sample without a target is unscored.

    Args:
        metric: A name; if None, the default metric.
        settings: Further settings of ``Scorer``, such as ``threshold`` and ``lang``; see ``answersim.integrations``.
    """
    scorer = Scorer(metric, **settings)

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        golds = [gold for gold in target if gold.strip()]
        if not golds:  # Inspect has "" for a sample without a target
            why = "the sample has no target, so there is nothing to compare with"
            return Score.unscored(reason="scoring_failed", answer=answer, explanation=why)
        # A sample whose model failed has no choices, and "" as its completion.
        prediction = answer if state.output.choices else None
        scored = await scorer.score_async(state.input_text, golds, prediction)
        return Score(value=scored.value, answer=answer, explanation=scored.reason, metadata=scored.metadata())

    return score


def _named(name: str) -> Any:
    """Return the scorer of this metric, registered under its name."""

    @registered(metrics=[mean(), stderr()], name=name)  # type: ignore[untyped-decorator]
    def named(**settings: Any) -> InspectScorer:
        return metric(name, **settings)

    return named


SCORERS = {name: _named(name) for name in lookup.names()}
