"""Measures of several samples per question: pass@k, the majority of k samples, and semantic entropy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from answersim._base.arrays import FloatArray


def pass_at_k(n: int, right: int, k: int) -> float:
    """Return the probability that at least one of k samples is right, if they are drawn from n without replacement.

    It is the unbiased estimate of this probability for k new samples: 1 - C(n - right, k) / C(n, k). ``k``: from 1 to
    n. Raise ValueError if k is not from 1 to n.

    Source: Chen et al. 2021, "Evaluating large language models trained on code", equation 1, and the product of
    figure 3, which does not overflow.
    """
    _check(n, k)
    if n - right < k:
        return 1.0
    return float(1 - np.prod(1 - k / np.arange(n - right + 1, n + 1)))


def majority_at_k(sizes: Any, right: Any, k: int) -> float:
    """Return the probability that the majority of k samples, drawn without replacement, is a right group.

    A tie is broken at random, so that each of t tied groups wins with the probability 1 / t. The number is exact.
    ``sizes``: the number of samples of each group, each at least 1; shape (g,). ``right``: whether each group is right,
    shape (g,). ``k``: from 1 to the number of samples. Raise ValueError if k is outside this range.

    >>> majority_at_k([2, 1], [True, False], 3), majority_at_k([1, 1], [True, False], 2)
    (1.0, 0.5)
    >>> round(majority_at_k([2, 1, 1], [True, False, False], 2), 4)  # 1 of 6 pairs wins, 4 tie, 1 loses
    0.5

    Source: the probability of Wang et al. 2023, "Self-consistency improves chain of thought reasoning", over all
    subsets. The counts in a subset follow the multivariate hypergeometric distribution, which is that of independent
    binomials with a given sum.
    """
    counts, is_right = np.asarray(sizes, dtype=np.int64), np.asarray(right, dtype=bool)
    n = int(counts.sum())
    _check(n, k)
    if not is_right.any() or is_right.all():
        return float(is_right.all())
    if k == 1:
        return float(counts[is_right].sum() / n)
    if k == n:
        top = counts == counts.max()
        return float(is_right[top].mean())
    share = k / n
    of_size = {int(size): _binomial(int(size), share) for size in np.unique(counts)}
    won = 0.0
    for size, times in zip(*np.unique(counts[is_right], return_counts=True), strict=True):
        others = counts.tolist()
        others.remove(int(size))
        won += int(times) * _wins(int(size), others, of_size, k)
    return min(1.0, won / float(_binomial(n, share)[k]))


def semantic_entropy(sizes: Any) -> float:
    """Return the entropy of the shares of the groups, in nats: 0 if all samples mean the same.

    Source: Farquhar et al. 2024, "Detecting hallucinations in large language models using semantic entropy", the
    discrete estimate, which needs no probabilities of tokens.
    """
    shares = np.asarray(sizes, dtype=np.float64) / np.sum(sizes)
    return float(abs(shares @ np.log(shares)))


def _wins(size: int, others: list[int], of_size: dict[int, FloatArray], k: int) -> float:
    """Return the probability that a group of this size is the majority, with a sum of k: before the division."""
    won = 0.0
    for votes in range(1, min(size, k) + 1):
        # sums[t, x]: the probability that t other groups have as many votes, none has more, and all others have x
        sums = np.zeros((min(k // votes, len(others) + 1), k - votes + 1))
        sums[0, 0] = 1.0
        for size_of_other in others:
            sums = _added(sums, of_size[size_of_other], votes)
        won += float(of_size[size][votes] * (sums[:, -1] / np.arange(1, len(sums) + 1)).sum())
    return won


def _added(sums: FloatArray, chances: FloatArray, votes: int) -> FloatArray:
    """Return the sums with one more group, which has at most this many votes."""
    total = chances[0] * sums
    for i in range(1, min(len(chances) - 1, votes - 1, sums.shape[1] - 1) + 1):
        total[:, i:] += chances[i] * sums[:, :-i]
    if votes < len(chances) and votes < sums.shape[1]:
        total[1:, votes:] += chances[votes] * sums[:-1, :-votes]
    return total


def _binomial(n: int, share: float) -> FloatArray:
    """Return the probabilities of 0 to n successes, shape (n + 1,)."""
    logs = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in range(n + 1)]
    hits = np.arange(n + 1)
    return np.asarray(np.exp(np.array(logs) + hits * math.log(share) + (n - hits) * math.log1p(-share)))


def _check(n: int, k: int) -> None:
    if not 1 <= k <= n:
        raise ValueError(f"k is {k}, but it must be from 1 to the number of samples, {n}; leave out this k")
