"""The bootstrap: intervals of a coefficient and of the difference of two, and Holm's correction.

A resample draws n of the n rows with replacement. All columns are measured on the same resamples, so the effects that a
resample has on all columns cancel out in their differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arguments import number, seed, shown, whole
from answersim._base.arrays import FloatArray, Interval
from answersim.stats.coefficients.kendall import kendall
from answersim.stats.coefficients.weighted import Counts, pearson, spearman

# Take columns, labels, and how often each resample contains each row (None: each once).
COEFFICIENTS: dict[str, Callable[[Any, Any, Counts | None], FloatArray]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are computed from resamples.

    Attributes:
        level: The coverage of the intervals, between 0 and 1.
        resamples: How many resamples are drawn, at least 1.
        rng: A seed, or a generator of random numbers. It draws the resamples, and all else that a function draws at
            random, such as folds.

    Raises:
        TypeError: If a value is not a number, or ``rng`` is neither a seed nor a generator.
        ValueError: If a number is outside its range.

    >>> Bootstrap(level=0.9)
    Bootstrap(level=0.9, resamples=1000, rng=0)
    """

    level: float = 0.95
    resamples: int = 1000
    rng: int | np.random.Generator = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", number("level", self.level))
        object.__setattr__(self, "resamples", whole("resamples", self.resamples))
        if type(self.rng) is int or not isinstance(self.rng, np.random.Generator):
            object.__setattr__(self, "rng", seed("rng", self.rng))
        if not 0 < self.level < 1:
            raise ValueError(f"level is {self.level:g}, but the coverage of an interval is between 0 and 1")
        if self.resamples < 1:
            raise ValueError(
                f"{self.resamples} resamples are too few; give at least 1, and 1,000 for a reliable interval"
            )


def bootstrap_settings(value: object) -> Bootstrap:
    """Return this ``Bootstrap``. Raise TypeError for anything else."""
    if not isinstance(value, Bootstrap):
        raise TypeError(
            f"bootstrap is {shown(value)}, but it must be answersim.Bootstrap(level, resamples, rng); leave it out for "
            "the default"
        )
    return value


class Estimate(NamedTuple):
    """A coefficient and the ends of its interval; nan if it is not defined."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> Estimate:
        """Return the same in another unit, such as percent."""
        return Estimate(*(factor * number for number in self))


class Difference(NamedTuple):
    """A difference, the ends of its interval, and the two-sided p: how often chance alone leads as far from 0."""

    value: float
    low: float
    high: float
    p: float


def bootstrap_counts(n: int, resamples: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Draw how often each resample contains each of n rows: shape (resamples, n). Each resample has n rows in all."""
    drawn = rng.integers(n, size=(resamples, n)) if n else np.empty((resamples, 0), dtype=np.int64)
    drawn += n * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * n).reshape(resamples, n).astype(np.int32)


def generator(seed: int, *names: str) -> np.random.Generator:
    """Return the random generator for these names. It does not depend on other draws."""
    words = "\0".join(names).encode()
    return np.random.default_rng([seed, int.from_bytes(sha256(words).digest()[:8], "big")])


def difference_of(value: float, samples: FloatArray, level: float = 0.95) -> Difference:
    """Return a difference with its percentile interval and its two-sided p, from the resamples.

    p is (c + 1) / (n + 1) for c of n resamples at least as far from the difference as the difference is from 0: the
    resamples, shifted to be centered on 0, are the distribution under chance alone.

    >>> difference_of(0.5, np.array([0.25, 0.5, 0.75, 1.25]), level=0.5)
    Difference(value=0.5, low=0.4375, high=0.875, p=0.4)

    Source: Efron & Tibshirani 1993, chapter 16; Davison & Hinkley 1997, equation 4.11, for p.
    """
    defined = samples[~np.isnan(samples)]
    if np.isnan(value) or not len(defined):
        return Difference(value, np.nan, np.nan, np.nan)
    beyond = int((np.abs(defined - value) >= abs(value)).sum())
    return Difference(value, *percentile(defined, level), (beyond + 1) / (len(defined) + 1))


def percentile(samples: FloatArray, level: float = 0.95) -> Interval:
    """Return the ends of the middle share of these samples without nan; nan, nan if none is left."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, but the coverage of an interval is between 0 and 1")
    return _quantiles(samples, (1 - level) / 2, (1 + level) / 2)


def estimated(value: Any, samples: FloatArray, level: float = 0.95) -> Estimate:
    """Return a coefficient with its percentile interval; nan, nan, nan if it is not defined."""
    number = float(value)
    return Estimate(number, *(percentile(samples, level) if number == number else (number, number)))


def bca(value: float, samples: FloatArray, left_out: FloatArray, level: float = 0.95) -> Interval:
    """Return the bias-corrected and accelerated interval, or the percentile interval if nothing varies.

    ``left_out``: the coefficient on all rows but one, for each row.

    Source: Efron & Tibshirani 1993, equations 14.9 to 14.15.
    """
    plain = percentile(samples, level)
    samples, left_out = samples[~np.isnan(samples)], left_out[~np.isnan(left_out)]
    spread = left_out.mean() - left_out if len(left_out) else np.zeros(1)
    # Half of those that equal the value count as below it, so that ties are not counted as bias.
    below = float(((samples < value).mean() + (samples <= value).mean()) / 2) if len(samples) else 0.0
    if not 0 < below < 1 or not spread.any():
        return plain
    normal, bias = NormalDist(), NormalDist().inv_cdf(below)
    acceleration = float((spread**3).sum() / (6 * (spread**2).sum() ** 1.5))
    tails = [bias + normal.inv_cdf(tail) for tail in ((1 - level) / 2, (1 + level) / 2)]
    low, high = (normal.cdf(bias + tail / (1 - acceleration * tail)) for tail in tails)
    return _quantiles(samples, low, high)


def leave_one_out(n: int) -> NDArray[np.int8]:
    """Return all rows but one, for each of n rows, as counts: shape (n, n)."""
    return 1 - np.eye(n, dtype=np.int8)


def holm(p: Sequence[float] | FloatArray) -> FloatArray:
    """Return these p-values after Holm's correction, comparable with the level of the whole family; shape (m,).

    nan stays nan and does not count as a member.

    >>> holm([0.01, 0.04, float("nan"), 0.03]).round(3).tolist()
    [0.03, 0.06, nan, 0.06]

    Source: Holm 1979, "A simple sequentially rejective multiple test procedure".
    """
    raised = np.array(p, dtype=np.float64)
    members = np.flatnonzero(~np.isnan(raised))
    rising = members[np.argsort(raised[members], kind="stable")]
    steps = raised[rising] * np.arange(len(rising), 0, -1)
    raised[rising] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return raised


def _quantiles(samples: FloatArray, low: float, high: float) -> Interval:
    defined = samples[~np.isnan(samples)]
    if not len(defined):
        return Interval(float("nan"), float("nan"))
    ends = np.quantile(defined, [low, high])
    return Interval(float(ends[0]), float(ends[1]))
