"""Wilson's interval against statsmodels, and quantiles against printed tables."""

import math

import pytest

from answersim.stats.proportion import t_quantile, wilson
from tests.cases import every


# statsmodels 0.15.0, proportion_confint(count, n, method="wilson")
@every(
    ("count", "n", "low", "high"),
    [(45, 50, 0.786398, 0.956524), (0, 20, 0.0, 0.161125), (20, 20, 0.838875, 1.0), (300, 1000, 0.272407, 0.329124)],
)
def test_the_interval_is_that_of_statsmodels(count, n, low, high):
    assert wilson(count / n, n, t_quantile(0.95, math.inf)) == pytest.approx((low, high), abs=1e-6)


# Any printed table of Student's t, two-sided 95 %.
@every(("freedom", "quantile"), [(1, 12.706), (5, 2.571), (30, 2.042), (math.inf, 1.960)])
def test_the_quantile_is_that_of_printed_tables(freedom, quantile):
    assert t_quantile(0.95, freedom) == pytest.approx(quantile, abs=5e-4)


def test_less_than_one_degree_of_freedom_counts_as_one():
    assert t_quantile(0.95, 0) == t_quantile(0.95, 1)
