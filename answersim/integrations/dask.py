"""Dask data frames: each task scores a partition, which is a frame of pandas."""

from __future__ import annotations

from typing import Any

from answersim.catalog import lookup
from answersim.integrations.arrow import scorer
from answersim.integrations.columns import Metrics


def score(frame: Any, metric: Metrics = lookup.DEFAULT_METRIC, **settings: Any) -> Any:
    """Return the frame with the columns of ``arrow.scorer(metric, **settings)``, and its index and partitions."""
    function = scorer(metric, **settings)
    function.check(list(frame.columns))
    needed = [name for name in function.columns if name is not None]

    def scored(part: Any) -> Any:
        import pyarrow

        rows = function(pyarrow.Table.from_pandas(part[needed], preserve_index=False))
        return part.assign(**{name: rows.column(name).to_pandas().set_axis(part.index) for name in function.types})

    return frame.map_partitions(scored, meta=scored(frame._meta))
