"""Inspect: one scorer per metric, ``answersim/NAME``, found by the entry point; it also scores finished logs again.

``inspect score LOG --scorer answersim/sas`` needs no model; ``-S threshold=0.5`` sets an option of the scorer. The
scorer ``answersim/metric`` takes any name: ``-S metric=typed+f1``.
"""

from __future__ import annotations

from typing import Any

from answersim.calibration.storing import ANY
from answersim.catalog import lookup
from answersim.errors import MissingExtraError
from answersim.integrations.base import Scorer

try:
    from inspect_ai.scorer import Score, Target, mean, stderr
    from inspect_ai.scorer import Scorer as InspectScorer
    from inspect_ai.scorer import scorer as registered
    from inspect_ai.solver import TaskState
except ImportError as error:
    raise MissingExtraError("answersim.integrations.inspect_ai", "inspect", error.name or "inspect_ai") from error


def _scorer(settings: Scorer) -> InspectScorer:
    """Return what Inspect calls for each sample."""

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        golds = [gold for gold in target if gold.strip()]
        if not golds:  # Inspect has "" for a sample without a target
            why = "the sample has no target, so there is nothing to compare with"
            return Score.unscored(reason="scoring_failed", answer=answer, explanation=why)
        # A sample whose model failed has no choices, and "" as its completion.
        prediction = answer if state.output.choices else None
        scored = await settings.score_async(state.input_text, golds, prediction)
        return Score(value=scored.value, answer=answer, explanation=scored.reason, metadata=scored.metadata())

    return score


@registered(metrics=[mean(), stderr()], name="metric")  # type: ignore[untyped-decorator] # mypy skips inspect_ai
def metric(
    metric: str | None = None,
    threshold: float | None = None,
    calibration: str | None = ANY,
    lang: str | None = None,
    profile: str | None = None,
    questions: bool = True,
    extract: str | None = None,
) -> InspectScorer:
    """Return the scorer of any metric.

    The value is the score of the completion against the target with the highest score. The explanation and the metadata
    contain verdict, probability, target and signature. A sample without a target is unscored.

    Args:
        metric: A name; if None, the default metric.
        threshold: The score from which on the verdict is "equivalent"; if None, as ``Scorer``.
        calibration: A calibration by name or path; "shipped" for the one that ships for the metric.
        lang: The language of the answers.
        profile: The profile of the metric.
        questions: Whether a metric that reads questions gets the input of the sample.
        extract: The rule that reads the final answer out of the completion; see ``Scorer``.
    """
    how = Scorer(metric, threshold, calibration, questions=questions, lang=lang, profile=profile, extract=extract)
    return _scorer(how)


def _named(name: str) -> Any:
    """Return the scorer of this metric, registered under its name."""

    @registered(metrics=[mean(), stderr()], name=name)  # type: ignore[untyped-decorator]
    def named(
        threshold: float | None = None,
        calibration: str | None = ANY,
        lang: str | None = None,
        profile: str | None = None,
        questions: bool = True,
        extract: str | None = None,
    ) -> InspectScorer:
        return metric(name, threshold, calibration, lang, profile, questions, extract)

    return named


SCORERS = {name: _named(name) for name in lookup.names()}
