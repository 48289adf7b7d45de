"""Williams' test against a published value and an independent implementation."""

import numpy as np
import pytest
from scipy import integrate, stats

from answersim.stats.williams import williams
from tests.cases import every


def independent(r12, r13, r23, n):
    """Steiger's T2 by the determinant of the matrix of correlations, and p by numerical integration of t's density."""
    matrix = np.array([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
    spread = 2 * (n - 1) / (n - 3) * np.linalg.det(matrix) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    t = (r12 - r13) * np.sqrt((n - 1) * (1 + r23) / spread)
    grid = np.linspace(abs(t), abs(t) + 200, 2_000_001)
    return t, 2 * integrate.trapezoid(stats.t.pdf(grid, n - 3), grid)


def test_it_is_steigers_published_example():
    # Steiger 1980, as computed by r.test(103, .4, .5, .1) of R's psych: t = -.89, p = .37.
    result = williams(0.4, 0.5, 0.1, 103)
    assert result.t == pytest.approx(-0.89, abs=0.005)
    assert result.p == pytest.approx(0.37, abs=0.006)


@every("seed", range(3))
def test_it_is_an_independent_computation(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 400))
    y = rng.normal(size=n)
    r12, r13, r23 = np.corrcoef([y, y + rng.normal(size=n), y + 2 * rng.normal(size=n)])[np.triu_indices(3, 1)]
    assert tuple(williams(r12, r13, r23, n)) == pytest.approx(independent(r12, r13, r23, n), abs=1e-6)


def test_exchanging_the_metrics_turns_the_sign_and_keeps_p():
    one, other = williams(0.4, 0.55, 0.3, 80), williams(0.55, 0.4, 0.3, 80)
    assert (one.t, one.p) == (-other.t, other.p)


def test_what_is_not_defined_is_nan_and_equal_correlations_do_not_differ():
    assert np.isnan(williams(0.5, float("nan"), 0.1, 50)).all()
    assert np.isnan(williams(0.5, 0.4, 0.1, 3)).all()
    assert np.isnan(williams(1.0, 0.0, 0.0, 50).p) or williams(1.0, 0.0, 0.0, 50).p < 1e-6
    assert williams(0.5, 0.5, 1.0, 50) == (0.0, 1.0)
