"""The root of a function: that of scipy, with as few evaluations."""

import math

import numpy as np
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

    def counted(x: np.ndarray) -> np.ndarray:
        calls.append(float(x[0]))
        return np.array([function(calls[-1])])

    found = float(brentq(counted, np.array([low]), np.array([high]), np.array([1e-9]))[0])
    expected, how = of_scipy(function, low, high, xtol=1e-9, full_output=True)
    assert abs(function(found)) <= abs(function(expected)) or found == pytest.approx(expected, abs=1e-9)
    assert len(calls) <= 2 * how.function_calls + 5
    assert all(low <= x <= high for x in calls)


def test_a_root_does_not_depend_on_the_roots_beside_it():
    wanted, low, high, xtol = np.arange(1.0, 9.0), np.zeros(8), np.full(8, 3.0), np.geomspace(1e-3, 1e-12, 8)
    together = brentq(lambda x: x * x - wanted, low, high, xtol)
    alone = [
        float(brentq(lambda x, i=i: x * x - wanted[i], *(each[i : i + 1] for each in (low, high, xtol)))[0])
        for i in range(8)
    ]
    assert together.tolist() == alone
