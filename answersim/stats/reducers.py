"""Reducers: several scores of a row become one, such as those of a panel, of repetitions, or of both orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown


def majority(columns: FloatArray) -> FloatArray:
    """Return the score that most columns have, shape (n,); the mean of several if they are equally frequent."""
    times = (columns[:, None] == columns[None]).sum(axis=0)  # (m, n)
    most = times == times.max(axis=0)
    return np.asarray((columns * most).sum(axis=0) / most.sum(axis=0))


REDUCERS: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "mean": lambda columns: columns.mean(axis=0),
    "majority": majority,
    "max": lambda columns: columns.max(axis=0),
    "min": lambda columns: columns.min(axis=0),
}


def reduced(columns: Any, reducer: str = "mean") -> FloatArray:
    """Return one score per row from several, shape (n,).

    ``columns``: shape (m, n), m at least 1. ``reducer``: "mean"; "majority", the most frequent score; "max", one high
    score is enough; "min", all must be high. Raise LookupError if there is no such reducer.

    Source: the reducers of inspect_ai, by which several scorers or epochs become one score.
    """
    if reducer not in REDUCERS:
        raise unknown("reducer", reducer, REDUCERS)
    return REDUCERS[reducer](np.asarray(columns, dtype=np.float64))
