"""A stratified sample: rows are drawn from groups of similar scores, with a known probability for each row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown

ALLOCATIONS = ("proportional", "equal")
INCLUSION, STRATUM = "inclusion", "stratum"  # columns of tables: the probability of a row to be drawn, and its stratum
LEAST_INCLUSION = 1e-6  # a row with a smaller probability would outweigh a million others


class Drawn(NamedTuple):
    """A sample of rows."""

    rows: NDArray[np.int64]  # the positions of the drawn rows in random order, shape (n,)
    inclusion: FloatArray  # the probability of each row of the table to be drawn, shape (N,)
    strata: NDArray[np.int64]  # the stratum of each row of the table from 0, shape (N,)


def strata_of(scores: Any, strata: int) -> NDArray[np.int64]:
    """Return the stratum of each row from 0, without gaps: about as many rows in each, equal scores in one.

    The middle of the ranks of equal scores decides their stratum, so that the highest and the lowest score are treated
    alike. ``scores``: finite numbers, shape (n,). ``strata``: the maximum number of strata. Many equal scores reduce
    it.
    """
    column = np.asarray(scores, dtype=np.float64)
    _, groups, equal = np.unique(column, return_inverse=True, return_counts=True)
    below = np.cumsum(equal) - equal
    numbers = strata * (2 * below + equal - 1) // (2 * len(column))
    return np.unique(numbers[groups], return_inverse=True)[1].astype(np.int64)


def allocated(sizes: Any, n: int, allocation: str, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return how many rows to draw from each stratum. They add up to n.

    "proportional" draws the same share of each stratum. The remaining fractions of rows are assigned to strata at
    random, with probabilities equal to the fractions, so that each row is drawn with the probability n / N exactly.
    "equal" draws the same number of rows from each stratum, and all rows of a stratum that has fewer. ``sizes``: the
    rows of each stratum, shape (k,), each at least 1. ``n``: how many rows to draw, at most the sum of the sizes.
    """
    if allocation not in ALLOCATIONS:
        raise unknown("allocation", allocation, ALLOCATIONS)
    rows = np.asarray(sizes, dtype=np.int64)
    if allocation == "proportional":
        # Systematic rounding: one random shift of the cumulated shares gives each stratum its expected number.
        edges = np.concatenate([[0.0], np.cumsum(rows) * (n / rows.sum())])
        edges[-1] = n
        return np.diff(np.floor(edges + rng.random())).astype(np.int64)
    taken = np.zeros(len(rows), dtype=np.int64)
    while (left := n - int(taken.sum())) > 0:
        open_ = np.flatnonzero(taken < rows)
        if left < len(open_):
            taken[open_[:left]] += 1
        else:
            taken[open_] = np.minimum(rows[open_], taken[open_] + left // len(open_))
    return taken


def stratified(strata: Any, n: int, allocation: str, rng: np.random.Generator) -> Drawn:
    """Draw n rows without replacement, by strata.

    ``strata``: the stratum of each row from 0 without gaps, shape (N,). ``n``: the number of rows, from 1 to N.

    >>> drawn = stratified([0, 0, 0, 0, 1, 1], 3, "proportional", np.random.default_rng(0))
    >>> sorted(drawn.rows.tolist()), drawn.inclusion.tolist()
    ([1, 3, 4], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5])

    Source: Cochran 1977, "Sampling techniques", chapter 5.
    """
    numbers = np.asarray(strata, dtype=np.int64)
    if not 1 <= n <= len(numbers):
        raise ValueError(f"{n} of {len(numbers)} rows cannot be drawn; give a number from 1 to {len(numbers)}")
    sizes = np.bincount(numbers)
    counts = allocated(sizes, n, allocation, rng)
    drawn = [rng.choice(np.flatnonzero(numbers == i), counts[i], replace=False) for i in range(len(sizes))]
    share = np.full(len(sizes), n / len(numbers)) if allocation == "proportional" else counts / sizes
    return Drawn(rng.permutation(np.concatenate(drawn)), share[numbers].astype(np.float64), numbers)


def pooled(strata: Any) -> NDArray[np.intp]:
    """Return the stratum of each labeled row from 0, so that each stratum has at least two rows.

    A stratum with one row shows no variance. It is joined with the next one, and the last one with the one before. The
    variance of joined strata is too large rather than too small, because they are treated as one sample. ``strata``:
    numbers in the order of the strata, such as by score; shape (n,).

    Source: Cochran 1977, "Sampling techniques", section 5A.12 (collapsed strata).
    """
    _, numbers, counts = np.unique(np.asarray(strata), return_inverse=True, return_counts=True)
    joined, size = np.zeros(len(counts), dtype=np.intp), 0
    for i, count in enumerate(counts[:-1].tolist()):
        size += count
        joined[i + 1] = joined[i] + (size >= 2)
        size = 0 if size >= 2 else size
    if len(counts) > 1 and size + counts[-1] < 2:
        joined[-1] -= 1
    return joined[numbers]
