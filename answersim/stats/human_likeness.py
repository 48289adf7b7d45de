"""Human-likeness: does a judge agree with the raters about as much as the raters agree with each other?

The agreement of a rater is the mean of the kappas (Cohen) with each other rater, and that of a judge the mean of those
with each rater. z is the agreement of the judge less the mean of the raters, in standard deviations of the raters.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from answersim.types import FloatArray

Interpretation: TypeAlias = Literal["human-like", "super-consistent", "below the raters", "-"]
FEWEST_RATERS = 3  # two raters have the same agreement, and no spread


class HumanLikeness(NamedTuple):
    """The agreement of judges and raters; arrays with one number per sample."""

    judge: FloatArray  # the mean kappa of each judge with the raters, shape (judges, samples)
    rater: FloatArray  # the mean kappa of each rater with the others, shape (raters, samples)
    # the z of each judge, shape (judges, samples); nan if all raters agree equally or there are fewer than three
    z: FloatArray


def human_likeness(with_raters: Any, between_raters: Any) -> HumanLikeness:
    """Return the human-likeness of judges from the kappas of all pairs.

    ``with_raters``: the kappa of each judge with each rater, shape (judges, raters, samples); nan where it is not
    defined. ``between_raters``: the kappa of every two raters, symmetric, shape (raters, raters, samples); the diagonal
    is not read.

    >>> between = np.array([[1, 0.8, 0.6], [0.8, 1, 0.7], [0.6, 0.7, 1]])[..., None]
    >>> found = human_likeness(np.array([[0.7, 0.7, 0.7]])[..., None], between)
    >>> found.rater[:, 0].round(2).tolist(), found.z.round(2).tolist()
    ([0.7, 0.75, 0.65], [[0.0]])

    Source: Han et al. 2025, "Judge's Verdict: a comprehensive analysis of LLM judge capability through human agreement"
    (arXiv 2510.09738). The deviation is that of a sample (n - 1).
    """
    judges, raters = np.asarray(with_raters, dtype=np.float64), np.array(between_raters, dtype=np.float64)
    n = raters.shape[0]
    raters[np.arange(n), np.arange(n)] = np.nan
    judge, rater = _mean(judges), _mean(raters)
    if n < FEWEST_RATERS:
        return HumanLikeness(judge, rater, np.full_like(judge, np.nan))
    deviation = rater.std(axis=0, ddof=1)
    deviation = np.where(deviation > 1e-12, deviation, np.nan)  # equal numbers, summed in another order
    return HumanLikeness(judge, rater, (judge - rater.mean(axis=0)) / deviation)


def interpretation(z: float) -> Interpretation:
    """Return the interpretation of z: human-like within 1 of the raters, super-consistent above, else below the raters.

    >>> interpretation(-0.4), interpretation(1.7), interpretation(-2.0), interpretation(float("nan"))
    ('human-like', 'super-consistent', 'below the raters', '-')
    """
    if np.isnan(z):
        return "-"
    return "human-like" if abs(z) < 1 else "super-consistent" if z > 0 else "below the raters"


def _mean(kappas: FloatArray) -> FloatArray:
    """Return the mean over the second axis of the kappas that are defined; nan if none is."""
    defined = ~np.isnan(kappas)
    count = defined.sum(axis=1)
    total = np.where(defined, kappas, 0.0).sum(axis=1)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
