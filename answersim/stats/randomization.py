"""Fisher's randomization test of paired values."""

from __future__ import annotations

import numpy as np

from answersim.concurrency import importing
from answersim.types import FloatArray

_BLOCK = 1_000_000  # values drawn at once


def randomization(differences: FloatArray, resamples: int, rng: np.random.Generator) -> float:
    """Return the two-sided p of Fisher's randomization test for paired values.

    Were the systems alike, each question's difference could as well have the other sign. p is how often random signs
    bring the mean as far from 0: (c + 1) / (resamples + 1) for c of them, or exact where all signs are fewer.

    Args:
        differences: Second less first, shape (n,); n at least 1. Rows of one cluster are added up first.
        resamples: How many random signs are drawn.
        rng: The source of the draws.

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
