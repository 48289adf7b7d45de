"""The root of a function: that of scipy, with as few evaluations."""

import math

import pytest
from scipy.optimize import brentq as of_scipy

from answersim.stats.root import brentq
from tests.cases import every


@every(
    ("function", "low", "high"),
    [
        (lambda x: x**2 - 2, 0.0, 2.0),
        (lambda x: math.cos(x) - x, 0.0, 1.0),
        (lambda x: math.erfc(x) - 0.025, 0.0, 8.0),
        (lambda x: (x - 1) ** 9, 0.0, 3.0),
        (lambda x: math.atan(100 * (x - 0.9)), 0.0, 1.0),
        (lambda x: math.copysign(1, x - 0.3), 0.0, 1.0),
        (lambda x: x, 0.0, 1.0),
        (lambda x: 1e-300 * (x - 0.5), 0.0, 1.0),
    ],
)
def test_the_root_is_that_of_scipy(function, low, high):
    calls = []

    def counted(x: float) -> float:
        calls.append(x)
        return function(x)

    found = brentq(counted, low, high, 1e-9)
    expected, how = of_scipy(function, low, high, xtol=1e-9, full_output=True)
    assert abs(function(found)) <= abs(function(expected)) or found == pytest.approx(expected, abs=1e-9)
    assert len(calls) <= 2 * how.function_calls + 5
    assert all(low <= x <= high for x in calls)
