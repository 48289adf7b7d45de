"""Metrics of Hugging Face evaluate: ``evaluate:exact_match``, or ``evaluate:./folder/metric.py,key=score``."""

from __future__ import annotations

import numbers
from typing import Any

from answersim.doctor.adapters.adapted import Adapted, imported

DISTRIBUTION, INSTALL = "evaluate", "evaluate"


def adapt(what: str, **settings: Any) -> Adapted:
    """Return a metric that ``evaluate.load`` finds, pair by pair, because most of its metrics are means over a corpus.

    ``what``: the name of the metric, which is downloaded, or the path of its script. ``settings``: ``key``: the number
    to use if the metric returns several. All others are passed to ``compute``.
    """
    imported("datasets", "datasets")  # evaluate fails with a misleading message without it
    library = imported("evaluate", INSTALL)
    metric, key = library.load(what), settings.pop("key", None)

    def function(golds: list[Any], preds: list[str], questions: list[str] | None) -> list[float]:
        return [
            _number(metric.compute(predictions=[pred], references=[gold], **settings), what, key)
            for gold, pred in zip(golds, preds, strict=True)
        ]

    return Adapted(function, references=None)


def _number(result: dict[str, Any], what: str, key: str | None) -> float:
    """Return the number of a result, or that of this key. A list of one number, for one pair, counts as the number."""
    values = {
        name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in result.items()
    }
    found = {name: value for name, value in values.items() if isinstance(value, numbers.Real)}
    if key is None and len(found) == 1:
        (key,) = found
    if key not in found:
        raise TypeError(
            f"evaluate:{what} returns {', '.join(found)}; choose one by key=, such as key={next(iter(found), '')}"
        )
    return float(found[key])
