"""Several samples of a question: rates at k by all subsets, entropy, and the reducers."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.stats.reducers import REDUCERS, reduced
from answersim.stats.samples_at_k import majority_at_k, pass_at_k, semantic_entropy
from tests.cases import every


def majority_of_all_subsets(sizes: list[int], right: list[bool], k: int) -> float:
    """Return the mean over all subsets, with ties that are broken at random."""
    samples = [group for group, size in enumerate(sizes) for _ in range(size)]
    won = []
    for subset in itertools.combinations(samples, k):
        counts = Counter(subset)
        top = [group for group, n in counts.items() if n == max(counts.values())]
        won.append(sum(right[group] for group in top) / len(top))
    return sum(won) / len(won)


@given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=5), st.data())
def test_the_majority_is_that_of_all_subsets(groups: list[tuple[int, bool]], data: st.DataObject) -> None:
    sizes, right = [size for size, _ in groups], [is_right for _, is_right in groups]
    if sum(sizes) > 12:
        sizes = [min(size, 2) for size in sizes]
    k = data.draw(st.integers(1, sum(sizes)))
    assert majority_at_k(sizes, right, k) == pytest.approx(majority_of_all_subsets(sizes, right, k), abs=1e-9)


@given(st.integers(1, 10), st.data())
def test_pass_at_k_is_that_of_all_subsets(n: int, data: st.DataObject) -> None:
    right, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    samples = [i < right for i in range(n)]
    subsets = [any(subset) for subset in itertools.combinations(samples, k)]
    assert pass_at_k(n, right, k) == pytest.approx(sum(subsets) / len(subsets))


@every(
    ("n", "right", "k", "expected"),
    [
        (10, 3, 1, 0.3),
        (10, 3, 2, 1 - (7 * 6) / (10 * 9)),
        (200, 1, 100, 0.5),
        (5, 0, 5, 0.0),
        (5, 1, 5, 1.0),
        (64, 2, 8, 1 - math.comb(62, 8) / math.comb(64, 8)),
    ],
)
def test_pass_at_k_is_the_published_formula(n: int, right: int, k: int, expected: float) -> None:
    assert pass_at_k(n, right, k) == pytest.approx(expected)


def test_many_samples_neither_overflow_nor_lose_digits() -> None:
    assert majority_at_k([700, 500], [True, False], 601) == pytest.approx(1.0, abs=1e-6)
    assert majority_at_k([600, 600], [True, False], 600) == pytest.approx(0.5)


@every("k", [0, 6])
def test_a_k_outside_the_samples_is_an_error(k: int) -> None:
    with pytest.raises(ValueError, match="from 1 to the number of samples, 5"):
        pass_at_k(5, 1, k)
    with pytest.raises(ValueError, match="from 1 to the number of samples, 5"):
        majority_at_k([3, 2], [True, False], k)


def test_the_entropy_is_that_of_the_shares() -> None:
    assert semantic_entropy([1, 1, 1, 1]) == pytest.approx(math.log(4))
    assert semantic_entropy([5, 3, 2]) == pytest.approx(-sum(p * math.log(p) for p in (0.5, 0.3, 0.2)))


SCORES = st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=3, max_size=3), min_size=1, max_size=6)


def slow(row, how):
    if how == "majority":
        counts = Counter(row)
        return np.mean([score for score, times in counts.items() if times == max(counts.values())])
    return {"mean": np.mean, "max": max, "min": min}[how](row)


@given(SCORES, st.sampled_from(list(REDUCERS)))
def test_each_row_is_reduced_by_itself(columns, how):
    result = reduced(columns, how)
    assert result.tolist() == pytest.approx([slow([column[i] for column in columns], how) for i in range(3)])
    assert reduced(columns[::-1], how).tolist() == pytest.approx(result.tolist())


def test_an_unknown_reducer_is_named_with_the_nearest():
    with pytest.raises(LookupError, match="no reducer is called 'majorty'; did you mean 'majority'"):
        reduced([[1.0]], "majorty")
