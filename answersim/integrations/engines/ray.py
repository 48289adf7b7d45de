"""Ray datasets: a pool of actors scores batches of rows, and each actor builds its metrics once."""

from __future__ import annotations

from typing import Any

from answersim.integrations.engines.arrow import ArrowScorer, Metrics, scorer
from answersim.metrics.catalog import lookup


def score(
    dataset: Any, metric: Metrics = lookup.DEFAULT_METRIC, *, pool: dict[str, Any] | None = None, **settings: Any
) -> Any:
    """Return the dataset with the columns of ``arrow.scorer(metric, **settings)``. It is lazy, and its order is Ray's.

    ``pool`` has further arguments of ``Dataset.map_batches``, such as ``{"compute": ray.data.ActorPoolStrategy(size=8),
    "num_gpus": 1}``. An actor takes one CPU (``num_cpus``). If the actors take all CPUs, no task can read a file.
    """
    function = scorer(metric, **settings)
    function.check(dataset.columns() or [*filter(None, function.columns)])
    pool = {"batch_size": 4096, "num_cpus": 1} | (pool or {})
    return dataset.map_batches(_Actor, fn_constructor_args=(function,), batch_format="pyarrow", **pool)


class _Actor:
    """Ray makes actors of a class only."""

    def __init__(self, function: ArrowScorer) -> None:
        self.function, self.metrics = function, function.loaded

    def __call__(self, rows: Any) -> Any:
        return self.function(rows)
