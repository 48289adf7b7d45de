"""The orders of systems by two numbers: their agreement, its uncertainty, and the systems that change places.

The functions work on arrays only. The numbers may be a ranking measure or a metric of answers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from answersim.stats import resampling
from answersim.stats.resampling import Bootstrap
from rankers.types import FloatArray

TINY = 1e-12  # means this close are equal: the same numbers, summed in another order
_BLOCK = 1_000_000  # values drawn or compared at once


class Agreement(NamedTuple):
    """The agreement of two numbers in the order of the same systems.

    Attributes:
        n_systems: The number of ordered systems.
        n_questions: The number of questions that count in both numbers for at least one system.
        tau: Kendall's tau-b between the means of the systems: 1 is the same order, -1 the opposite one; nan if all
            systems are equal by either number.
        low: The lower end of its interval, by the bootstrap over questions.
        high: The upper end.
    """

    n_systems: int
    n_questions: int
    tau: float
    low: float
    high: float


class PairTests(NamedTuple):
    """Every two systems compared by one number."""

    # the mean of system i minus that of system j, on the questions that count for both: (systems, systems)
    differences: FloatArray
    # the two-sided p of Fisher's randomization test; 1 on the diagonal, nan if no question counts for both
    p: FloatArray
    p_holm: FloatArray  # the p after Holm's procedure over all pairs


class Disagreement(NamedTuple):
    """Two systems that change places: the first number ranks ``upper`` above ``lower``, the second the opposite."""

    upper: int  # the row of the system that the first number prefers
    lower: int  # the row of the other system
    by_first: float  # the mean of ``upper`` minus that of ``lower`` by the first number, above 0
    by_second: float  # the same by the second number, below 0
    p_first: float  # the p of the first difference after Holm's procedure
    p_second: float  # the same for the second difference

    def is_sure(self, alpha: float = 0.05) -> bool:
        """Return whether both differences are significant."""
        return self.p_first <= alpha and self.p_second <= alpha


def agreement(first: FloatArray, second: FloatArray, *, bootstrap: Bootstrap = Bootstrap(resamples=2000)) -> Agreement:
    """Return Kendall's tau-b between the orders of systems by two numbers, with its interval.

    A resample draws questions with replacement, and both means of every system are computed on the same resample. A
    resample is noisier than the original questions, so its orders agree less. If systems are close together, most of
    the interval is below tau. ``first``: one value per system and question, nan if the question does not count:
    (systems, questions). Raise ValueError if the shapes differ, or there are fewer than two systems.

    >>> first = np.array([[0.1, 0.3], [0.5, 0.4], [0.9, 0.8]])
    >>> agreement(first, 1 - first)
    Agreement(n_systems=3, n_questions=2, tau=-1.0, low=-1.0, high=-1.0)

    Source: ``scipy.stats.kendalltau`` of the means; Efron & Tibshirani 1993, chapter 13, for the interval.
    """
    _check(first, second)
    n_systems, n = first.shape
    value = float(kendall(means(first), means(second)))
    step = max(1, _BLOCK // max(n, n_systems * n_systems))
    taus = []
    rng = np.random.default_rng(bootstrap.rng)
    for done in range(0, bootstrap.resamples, step):
        counts = resampling.bootstrap_counts(n, min(step, bootstrap.resamples - done), rng)
        taus.append(kendall(means(first, counts), means(second, counts)))
    low, high = resampling.percentile(np.concatenate(taus), bootstrap.level)
    counted = (~np.isnan(first) & ~np.isnan(second)).any(axis=0)
    return Agreement(n_systems, int(counted.sum()), value, low, high)


def means(values: FloatArray, counts: FloatArray | np.ndarray | None = None) -> FloatArray:
    """Return the mean of each system over the questions that count; nan if none does.

    ``values``: (systems, questions), nan if a question does not count. ``counts``: how often each resample contains
    each question, (resamples, questions). By default, each once. The result: (systems,), or (resamples, systems).

    >>> means(np.array([[0.0, 1.0], [0.5, np.nan]]), np.array([[1, 3]])).tolist()
    [[0.75, 0.5]]
    """
    counted = ~np.isnan(values)
    often = np.ones((1, values.shape[1])) if counts is None else np.asarray(counts, dtype=np.float64)
    sums, n = often @ np.where(counted, values, 0.0).T, often @ counted.T.astype(np.float64)
    averages = np.where(n > 0, sums / np.maximum(n, 1), np.nan)
    return averages[0] if counts is None else averages


def kendall(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return Kendall's tau-b along the last axis, (..., systems) -> (...); nan if a row is constant or has a nan.

    Numbers closer than ``TINY`` are equal.

    >>> kendall(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), np.array([3.0, 1.0, 2.0])).round(3).tolist()
    [-0.333, nan]

    Source: Kendall 1945; equal to ``scipy.stats.kendalltau(variant="b")``.
    """
    i, j = np.triu_indices(first.shape[-1], k=1)
    one, other = (_signs(scores[..., i] - scores[..., j]) for scores in (first, second))  # (..., pairs)
    together = (one * other).sum(axis=-1)
    pairs = np.sqrt((one**2).sum(axis=-1) * (other**2).sum(axis=-1))
    return np.where(pairs > 0, together / np.where(pairs > 0, pairs, 1.0), np.nan)


def pair_tests(values: FloatArray, *, rng: np.random.Generator, resamples: int = 20_000) -> PairTests:
    """Compare every two systems question by question with Fisher's randomization test.

    p is (c + 1) / (resamples + 1) for c random signs of the differences whose mean is at least as far from 0. All pairs
    share the signs. Holm's procedure over many pairs needs many resamples: no p is below pairs / (resamples + 1) after
    it. ``values``: (systems, questions), nan if a question does not count.

    Source: as ``answersim.stats.randomization``, for all pairs at once.
    """
    systems, n = values.shape
    i, j = np.triu_indices(systems, k=1)
    apart = values[i] - values[j]  # (pairs, questions)
    counted = (~np.isnan(apart)).sum(axis=1)
    apart = np.nan_to_num(apart, nan=0.0).T  # (questions, pairs)
    sums = apart.sum(axis=0)
    beyond = np.zeros(len(i), dtype=np.int64)
    step = max(1, _BLOCK // max(n, len(i), 1))
    for done in range(0, resamples, step):
        signs = rng.integers(2, size=(min(step, resamples - done), n)) * 2.0 - 1.0
        beyond += (np.abs(signs @ apart) >= np.abs(sums) - TINY * max(n, 1)).sum(axis=0)
    p = np.where(counted > 0, (beyond + 1) / (resamples + 1), np.nan)
    differences = np.where(counted > 0, sums / np.maximum(counted, 1), np.nan)
    return PairTests(
        _square(differences, systems, -1.0, 0.0),
        _square(p, systems, 1.0, 1.0),
        _square(resampling.holm(p), systems, 1.0, 1.0),
    )


def disagreements(first: PairTests, second: PairTests) -> list[Disagreement]:
    """Return the pairs of systems that the two numbers order oppositely, in order of the larger of the two p."""
    pairs = []
    for i, j in zip(*np.triu_indices(len(first.p), k=1), strict=True):
        sign = _signs(first.differences[i, j])
        if not sign * _signs(second.differences[i, j]) < 0:  # nor if one of them is nan
            continue
        upper, lower = (int(i), int(j)) if sign > 0 else (int(j), int(i))
        pairs.append(
            Disagreement(
                upper,
                lower,
                *(float(order.differences[upper, lower]) for order in (first, second)),
                *(float(order.p_holm[upper, lower]) for order in (first, second)),
            )
        )
    return sorted(pairs, key=lambda pair: (max(pair.p_first, pair.p_second), -pair.by_first + pair.by_second))


def _signs(differences: FloatArray) -> FloatArray:
    """Return -1, 0 or 1; nan stays nan."""
    return np.where(np.abs(differences) <= TINY, 0.0, np.sign(differences))


def _square(pairs: FloatArray, systems: int, mirrored: float, diagonal: float) -> FloatArray:
    """Return the values of the pairs i < j as a matrix; the value of (j, i) is that of (i, j) times ``mirrored``."""
    matrix = np.full((systems, systems), diagonal)
    i, j = np.triu_indices(systems, k=1)
    matrix[i, j], matrix[j, i] = pairs, pairs * mirrored
    return matrix


def _check(first: FloatArray, second: FloatArray) -> None:
    if first.shape != second.shape or first.ndim != 2:
        raise ValueError(
            f"the values have the shapes {first.shape} and {second.shape}; both need one row per system and one "
            f"column per question"
        )
    if len(first) < 2:
        raise ValueError(f"{len(first)} systems have no order to compare; give at least two")
