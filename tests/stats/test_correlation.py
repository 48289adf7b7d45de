"""Pearson, Spearman and Kendall: numbers that can be checked by hand, and what is not defined."""

import math

import numpy as np
import pytest

from answersim.stats.correlation import correlations
from tests.cases import every

HALF = math.sqrt(3) / 2


@every(
    ("x", "y", "pearson", "spearman", "kendall"),
    [
        ([1, 2, 3], [2, 4, 6], 1, 1, 1),  # in step
        ([1, 2, 3], [3, 2, 1], -1, -1, -1),  # in reverse
        ([1, 2, 3, 4], [1, 3, 2, 4], 0.8, 0.8, 4 / 6),  # one pair of six exchanged
        # Ranks 1, 2.5, 2.5 against 1, 2, 3; of three pairs two agree and one is tied: 2 / sqrt(2 * 3).
        ([1, 2, 2], [1, 2, 3], HALF, HALF, 2 / math.sqrt(6)),  # a tie lowers tau-b
        ([0, 0, 1, 1], [0, 0, 1, 1], 1, 1, 1),  # the same ties on both sides do not
        ([0, 1], [5, 3], -1, -1, -1),  # two are enough
    ],
)
def test_the_three_coefficients_are_those_worked_out_by_hand(x, y, pearson, spearman, kendall):
    result = correlations(x, y)
    assert result.n == len(x)
    assert result[1:] == pytest.approx((pearson, spearman, kendall), abs=1e-12)


@every(
    ("x", "y"),
    [
        ([], []),  # nothing
        ([0.5], [1]),  # one pair
        ([0.5, 0.5, 0.5], [0, 1, 2]),  # x is constant
        ([0.1, 0.2, 0.3], [2, 2, 2]),  # y is constant
    ],
)
def test_what_is_not_defined_is_nan_and_warns_of_nothing(x, y):
    result = correlations(x, y)
    assert result.n == len(x)
    assert np.isnan(result[1:]).all()


@every(
    ("x", "y", "message"),
    [
        ([1, 2], [1, 2, 3], "x has 2 numbers and y has 3"),  # lengths
        ([1, math.nan], [1, 2], "x contains nan at position 1"),  # nan in x
        ([1, 2, 3], [1, 2, math.inf], "y contains inf at position 2"),  # infinity in y
        ([[1, 2], [3, 4]], [1, 2], r"x has the shape \(2, 2\)"),  # two dimensions
    ],
)
def test_columns_that_cannot_be_correlated_are_refused_by_name(x, y, message):
    with pytest.raises(ValueError, match=message):
        correlations(x, y)


def test_the_arguments_are_not_written_into():
    x, y = np.array([3.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0])
    correlations(x, y)
    assert x.tolist() == [3, 1, 2]
    assert y.tolist() == [0, 1, 2]


def test_a_coefficient_ignores_the_order_of_the_pairs():
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=50), rng.integers(3, size=50)
    order = rng.permutation(50)
    assert correlations(x[order], y[order]) == pytest.approx(correlations(x, y), abs=1e-12)
