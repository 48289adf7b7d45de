"""Arrays of scores, the ends of an interval, and seeds: the types of all statistics."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]

DataFrame: TypeAlias = Any
"""A ``pandas.DataFrame``. A type checker that followed pandas would also read scipy, for ten seconds."""


class Interval(NamedTuple):
    """Lower and upper end of a confidence interval."""

    low: float
    high: float
