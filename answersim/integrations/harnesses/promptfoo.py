"""A metric of answersim as a Python assertion of promptfoo. It needs nothing of promptfoo, which is a program of npm.

assert:
  - type: python
    value: file://check.py   # from answersim.integrations.harnesses.promptfoo import get_assert
    config: {metric: f1, threshold: 0.8, gold: answer}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from answersim.integrations.shared.fields import RowScorer, golds_in, question_in
from answersim.types import Metric


def assertion(
    metric: str | Metric | None = None, **settings: Any
) -> Callable[[Any, Mapping[str, Any]], dict[str, Any]]:
    """Return the function ``get_assert`` for the Python file of an assertion.

    That file has the line ``get_assert = assertion("f1", threshold=0.8)``. The function returns ``pass`` (the verdict),
    ``score``, ``reason``, the score under its name in ``namedScores``, and the signature in ``metadata``. It raises
    ValueError if there is no verdict. ``settings``: those of ``RowScorer``; its entries are variables of the test.
    Common arguments: see ``answersim.integrations``.
    """
    scorer = RowScorer(metric, **settings)

    def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
        texts = context["vars"]
        scored = scorer.score(question_in(texts, scorer.question), golds_in(texts, scorer.gold), output)
        if scored.passed is None:
            raise ValueError(f"an assertion passes or fails, but {scorer.rule(scored.signature).sentence}")
        return {
            "pass": scored.passed,
            "score": scored.value,
            "reason": scored.reason,
            "namedScores": {scorer.name: scored.value},
            "metadata": scored.metadata(),
        }

    return get_assert


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Score one output with the settings in the ``config`` of the assertion; see ``assertion``."""
    return assertion(**context.get("config") or {})(output, context)
