"""Rising curves from scores to probabilities: isotonic regression and Platt's logistic curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.runtime.concurrency import imported


@dataclass(frozen=True)
class Isotonic:
    """Straight lines between knots, constant before the first and after the last."""

    knots: tuple[float, ...]  # scores, rising
    heights: tuple[float, ...]  # the probability at each knot, from 0 to 1, never falling

    def __post_init__(self) -> None:
        knots, heights = np.array(self.knots), np.array(self.heights)
        if len(knots) != len(heights) or not len(knots):
            raise ValueError(f"there are {len(knots)} knots and {len(heights)} heights; give one height per knot")
        if not (np.isfinite(knots).all() and (np.diff(knots) > 0).all()):
            raise ValueError(f"the knots are {list(self.knots)[:6]} ..., but they must be finite and rise")
        if not ((heights >= 0) & (heights <= 1)).all() or (np.diff(heights) < 0).any():
            raise ValueError(f"the heights are {list(self.heights)[:6]} ..., but they must be in [0, 1] and never fall")

    def __call__(self, scores: Any) -> FloatArray:
        """Return the probability of each score, in the same shape."""
        interpolated = np.interp(np.asarray(scores, dtype=np.float64), self.knots, self.heights)
        return np.clip(interpolated, self.heights[0], self.heights[-1])  # a line may end one rounding above its knot


@dataclass(frozen=True)
class Logistic:
    """1 / (1 + exp(-(slope * score + intercept))), with a slope that is never negative."""

    slope: float
    intercept: float

    def __post_init__(self) -> None:
        if not (0 <= self.slope < np.inf and np.isfinite(self.intercept)):
            raise ValueError(
                f"slope {self.slope} and intercept {self.intercept} do not define a rising curve; both must be finite, "
                "and the slope at least 0"
            )

    def __call__(self, scores: Any) -> FloatArray:
        """Return the probability of each score, in the same shape."""
        with np.errstate(over="ignore"):  # an infinite total is a probability of 0 or 1
            total = self.slope * np.asarray(scores, dtype=np.float64) + self.intercept
        small = np.exp(-np.abs(total))
        return np.where(total >= 0, 1.0, small) / (1.0 + small)


Curve: TypeAlias = Isotonic | Logistic


def isotonic(scores: Any, labels: Any) -> Isotonic:
    """Fit the nondecreasing least-squares curve to the labels. Equal scores count as one point.

    ``scores``: finite numbers, shape (n,), n >= 1. ``labels``: 0 or 1 each, shape (n,).

    Source: Zadrozny & Elkan 2002, "Transforming classifier scores into accurate multiclass probability estimates";
    equal to ``sklearn.isotonic.IsotonicRegression(out_of_bounds="clip")``.
    """
    isotonic_regression = imported("scipy.optimize").isotonic_regression
    values, group = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
    sizes = np.bincount(group).astype(np.float64)
    means = np.bincount(group, weights=np.asarray(labels, dtype=np.float64)) / sizes
    heights = np.clip(np.maximum.accumulate(isotonic_regression(means, weights=sizes).x), 0.0, 1.0)
    level = np.concatenate([[False], np.diff(heights) == 0])
    inner = level & np.append(level[1:], False)  # within a constant stretch: its ends suffice
    return Isotonic(tuple(values[~inner].tolist()), tuple(heights[~inner].tolist()))


def logistic(scores: Any, labels: Any) -> Logistic:
    """Fit the logistic curve of least cross-entropy to Platt's targets, which are slightly inside 0 and 1.

    With ``r`` labels of 1 and ``w`` labels of 0, the targets are (r + 1) / (r + 2) and 1 / (w + 2), so scores that
    separate the labels completely still have a finite slope. If the best curve would fall, the curve is constant.
    ``scores``: finite numbers, shape (n,), n >= 1. ``labels``: 0 or 1 each, shape (n,).

    >>> curve = logistic([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    >>> curve([0.0, 0.5, 1.0]).round(2).tolist()
    [0.18, 0.5, 0.82]

    Source: Platt 1999, "Probabilistic outputs for support vector machines"; minimized as Lin, Lin & Weng 2007.
    """
    minimize = imported("scipy.optimize").minimize
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    right = float(y.sum())
    wrong = len(y) - right
    targets = np.where(y > 0, (right + 1) / (right + 2), 1 / (wrong + 2))
    exponent = int(np.frexp(np.abs(x).max(initial=0.0))[1])
    small = np.ldexp(x, -exponent)  # exact, and its squares neither overflow nor vanish
    center, spread = float(small.mean()), float(small.std()) or 1.0
    z = (small - center) / spread

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        total = parameters[0] * z + parameters[1]
        error = Logistic(1.0, 0.0)(total) - targets
        value = float(np.mean(np.logaddexp(0, total) - targets * total))
        return value, np.array([np.mean(error * z), np.mean(error)])

    start = np.array([0.0, np.log((right + 1) / (wrong + 1))])
    result = minimize(
        loss,
        start,
        jac=True,
        bounds=[(0.0, None), (None, None)],
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 1000},
    )
    steepness = max(float(result.x[0]), 0.0) / spread
    with np.errstate(over="ignore"):
        slope = min(float(np.ldexp(steepness, -exponent)), float(np.finfo(np.float64).max))
    return Logistic(slope, float(result.x[1]) - steepness * center)
