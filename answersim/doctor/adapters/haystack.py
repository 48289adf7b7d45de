"""Evaluators of Haystack: ``haystack:AnswerExactMatchEvaluator``, ``haystack:SASEvaluator,model=all-MiniLM-L6-v2``."""

from __future__ import annotations

from typing import Any

from answersim.doctor.adapters.adapted import Adapted, imported, local_weights, one_of

DISTRIBUTION, INSTALL = "haystack-ai", "haystack-ai"
EVALUATORS = ("AnswerExactMatchEvaluator", "SASEvaluator")


def adapt(what: str, **settings: Any) -> Adapted:
    """Return an evaluator that compares an answer with a gold answer: its ``individual_scores``.

    ``settings``: settings of the component, such as ``model``.
    """
    name = one_of("haystack", what, EVALUATORS)
    library = imported("haystack.components.evaluators", INSTALL)
    if name == "SASEvaluator":
        settings = local_weights(settings, "model")
    evaluator = getattr(library, name)(**settings)
    if hasattr(evaluator, "warm_up"):
        evaluator.warm_up()

    def function(golds: list[Any], preds: list[str], questions: list[str] | None) -> Any:
        return evaluator.run(ground_truth_answers=golds, predicted_answers=preds)["individual_scores"]

    return Adapted(function)
