"""From a probability to a verdict: equivalent, unsure or different."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from answersim._base.arguments import between
from answersim.stats.calibration.monotone import Curve, Logistic

Verdict: TypeAlias = Literal["equivalent", "unsure", "different"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
LOW, HIGH = 0.3, 0.7  # "different" up to the first probability, "equivalent" from the second one on, "unsure" between


def decided(probabilities: Any, low: float = LOW, high: float = HIGH) -> NDArray[np.str_]:
    """Return the verdict of each probability, "different" up to ``low``, "equivalent" from ``high`` on.

    The default band has the lowest cost if an unsure pair, which an annotator must read, costs .3 times as much as a
    wrong verdict (Chow 1970, "On optimum recognition error and reject tradeoff", rule 6). Errors are those of ``band``.
    """
    low, high = band(low, high)
    p = np.asarray(probabilities, dtype=np.float64)
    named = np.where((p <= low) & (p < 0.5), "different", "unsure")
    return np.where(p >= high, "equivalent", named)


def first_score(curve: Curve, probability: float) -> float:
    """Return the lowest score with at least this probability; -inf if all have it, inf if none has."""
    return _crossing(curve, probability, bisect_left)


def last_score(curve: Curve, probability: float) -> float:
    """Return the highest score with at most this probability; inf if all have it, -inf if none has."""
    return _crossing(curve, probability, bisect_right)


def _crossing(curve: Curve, probability: float, place: Callable[[Sequence[float], float], int]) -> float:
    """Return the score at which a curve reaches a probability: the first one or the last one, as ``place`` selects."""
    if isinstance(curve, Logistic) and curve.slope != 0:
        return (math.log(probability / (1 - probability)) - curve.intercept) / curve.slope
    flat = ((0.0,), (float(curve(0.0)),))
    knots, heights = flat if isinstance(curve, Logistic) else (curve.knots, curve.heights)
    i = place(heights, probability)
    if i in (0, len(heights)):
        return math.inf if i else -math.inf
    (x, y), (further, higher) = ((knots[j], heights[j]) for j in (i - 1, i))
    return x + (further - x) * (probability - y) / (higher - y)


def cuts(curve: Curve, low: float = LOW, high: float = HIGH) -> tuple[float, float]:
    """Return the scores up to which a pair is "different" and from which on it is "equivalent". See ``decided``."""
    low, high = band(low, high)
    return last_score(curve, low), first_score(curve, high)


def band(low: Any, high: Any) -> tuple[float, float]:
    """Check and return the probabilities around "unsure". Raise ValueError unless 0 < low <= .5 <= high < 1."""
    if type(low) is type(high) is float and 0 < low <= 0.5 <= high < 1:  # they were checked before
        return low, high
    ends = between("low", low, 0, 1), between("high", high, 0, 1)
    if not ends[0] <= 0.5 <= ends[1]:
        raise ValueError(
            f"low is {ends[0]:g} and high is {ends[1]:g}, but a probability below 0.5 is not equivalent and one above "
            "0.5 is not different; give low <= 0.5 <= high"
        )
    return ends
