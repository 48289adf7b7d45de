"""Spark data frames: each task scores its partition in batches of Arrow, by ``mapInArrow``."""

from __future__ import annotations

from typing import Any

from answersim.integrations.engines.arrow import Metrics, scorer
from answersim.metrics.catalog import lookup

_TYPES = {"float64": "double", "string": "string"}


def score(frame: Any, metric: Metrics = lookup.DEFAULT_METRIC, **settings: Any) -> Any:
    """Return the frame with the columns of ``arrow.scorer(metric, **settings)``. Their metadata has the signatures."""
    from pyspark.sql.types import StructType

    function = scorer(metric, **settings)
    function.check(frame.columns)
    schema = StructType(frame.schema.fields[:])
    for name, kind in function.types.items():
        signature = function.signatures.get(name)
        schema.add(name, _TYPES[kind], metadata=signature and {"signature": signature})
    return frame.mapInArrow(lambda batches: map(function, batches), schema)
