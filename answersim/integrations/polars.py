"""Lazy frames of polars: one more step of the query. For eager frames there is ``df.answersim.score``."""

from __future__ import annotations

from typing import Any

from answersim.catalog import lookup
from answersim.integrations.arrow import scorer
from answersim.integrations.columns import Metrics


def score(frame: Any, metric: Metrics = lookup.DEFAULT_METRIC, **settings: Any) -> Any:
    """Return the lazy frame with the columns of ``arrow.scorer(metric, **settings)``, in pieces if it is streamed."""
    import polars

    types = {"float64": polars.Float64, "string": polars.String, "bool_": polars.Boolean}
    function = scorer(metric, **settings)
    schema = frame.collect_schema()
    function.check(schema.names())
    return frame.map_batches(
        lambda rows: polars.from_arrow(function(rows.to_arrow())),
        schema=polars.Schema({**schema, **{name: types[kind] for name, kind in function.types.items()}}),
        streamable=True,
    )
