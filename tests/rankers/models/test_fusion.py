"""Reciprocal rank fusion, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankers.models.combinations import reciprocal_rank_fusion
from tests.cases import every


@every(
    ("scores", "k", "expected"),
    [
        ([[3.0, 2.0, 1.0]], 60.0, [1 / 61, 1 / 62, 1 / 63]),
        ([[3.0, 2.0], [0.1, 0.9]], 60.0, [1 / 61 + 1 / 62] * 2),
        ([[5.0, 5.0, 1.0]], 1.0, [1 / 2.5, 1 / 2.5, 1 / 4]),  # the equal ones share the mean of ranks 1 and 2
        ([[-1e9, 0.0], [0.0, 1.0]], 60.0, [2 / 62, 2 / 61]),  # the size of a difference does not count
        ([[]], 60.0, []),
    ],
)
def test_the_sum_of_reciprocal_ranks(scores: Any, k: float, expected: list[float]) -> None:
    fused = reciprocal_rank_fusion([np.array(values) for values in scores], k)
    assert fused.dtype == np.float64
    assert fused.tolist() == pytest.approx(expected, abs=1e-15)


def test_the_order_of_the_candidates_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    scores = [rng.integers(0, 4, 20).astype(float) for _ in range(3)]
    order = rng.permutation(20)
    assert (reciprocal_rank_fusion([s[order] for s in scores]) == reciprocal_rank_fusion(scores)[order]).all()


@every(
    ("scores", "k", "message"),
    [
        ([], 60.0, "there are no scores to fuse"),
        ([np.zeros(2), np.zeros(3)], 60.0, "the same candidates"),
        ([np.zeros(2)], 0.0, "k is 0.0, but it must be above 0"),
        ([np.zeros(2)], float("nan"), "k is nan"),
    ],
)
def test_bad_input_is_refused(scores: Any, k: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        reciprocal_rank_fusion(scores, k)
