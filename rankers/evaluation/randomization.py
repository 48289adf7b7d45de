"""Fisher's randomization test of paired values."""

from __future__ import annotations

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.runtime.concurrency import importing

_BLOCK = 1_000_000  # values drawn at once


def randomization(differences: FloatArray, resamples: int, rng: np.random.Generator) -> float:
    """Return the two-sided p of Fisher's randomization test for paired values.

    If the systems were equal, the difference of each question could have the other sign as well. p is the share of
    random signs with a mean at least as far from 0: (c + 1) / (resamples + 1) for c of them. It is exact if there are
    fewer combinations of signs. ``differences``: second minus first, shape (n,); n at least 1. Sum the rows of each
    cluster first.

    >>> randomization(np.array([0.5, 0.5, 0.5]), 10_000, np.random.default_rng(0))
    0.25

    Source: ``scipy.stats.permutation_test``; Smucker, Allan & Carterette 2007, "A comparison of statistical
    significance tests for information retrieval evaluation".
    """
    with importing("scipy.stats"):
        from scipy.stats import permutation_test

    def distance(values: FloatArray, axis: int) -> FloatArray:
        return np.abs(values.mean(axis=axis))

    outcome = permutation_test(
        (differences,),
        distance,
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=resamples,
        batch=max(1, _BLOCK // len(differences)),
        random_state=rng,
    )
    return float(outcome.pvalue)
