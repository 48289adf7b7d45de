"""Datasets of Hugging Face, also streamed ones: one more step, by ``map`` with batches of Arrow."""

from __future__ import annotations

from typing import Any

from answersim.catalog import lookup
from answersim.integrations.arrow import scorer
from answersim.integrations.columns import Metrics


def score(
    dataset: Any, metric: Metrics = lookup.DEFAULT_METRIC, *, mapping: dict[str, Any] | None = None, **settings: Any
) -> Any:
    """Return the dataset with the columns of ``arrow.scorer(metric, **settings)``.

    ``mapping`` has further arguments of ``Dataset.map``, such as ``{"num_proc": 2}``.
    """
    function = scorer(metric, **settings)
    function.check(dataset.column_names or [*filter(None, function.columns)])
    return dataset.with_format("arrow").map(function, batched=True, **(mapping or {})).with_format(None)
