"""DuckDB: ``SELECT answersim('f1', gold, pred)``, some thousand rows at a time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from answersim.integrations.engines.arrow import ArrowScorer, scorer
from answersim.types import Metric


def register(connection: Any, metrics: Mapping[str, Metric] | None = None, **settings: Any) -> None:
    """Create the function ``answersim(metric, gold, pred [, question])`` in a connection. A NULL answer is an error.

    ``metrics`` has metrics that were built, by their names in SQL. The settings are those of ``arrow.scorer``.
    """
    import pyarrow

    @lru_cache
    def function(name: str, question: str | None) -> ArrowScorer:
        return scorer({"score": (metrics or {}).get(name, name)}, question=question, **settings)

    def answersim(metric: Any, *answers: Any) -> Any:
        names = ("gold", "pred", "question")[: len(answers)]
        rows, scores = pyarrow.table(dict(zip(names, answers, strict=True))), np.empty(len(metric))
        for name in metric.unique().to_pylist():
            where = np.flatnonzero(np.array(metric) == name)
            scores[where] = function(name, *names[2:] or (None,))(rows.take(where)).column("score")
        return pyarrow.array(scores)

    connection.create_function("answersim", answersim, None, "DOUBLE", type="arrow", null_handling="special")
