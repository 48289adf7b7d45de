"""The root of a function of one variable, without the third of a second that scipy takes to be imported."""

from __future__ import annotations

import math
from collections.abc import Callable

_MOST_STEPS = 200
_EPSILON = 2.0**-52


def brentq(function: Callable[[float], float], low: float, high: float, xtol: float) -> float:
    """Return where a continuous function is 0, to within ``xtol``. Its signs at both ends must differ.

    >>> round(brentq(lambda x: x**2 - 2, 0.0, 2.0, 1e-12), 9)
    1.414213562

    Source: Brent 1973, "Algorithms for minimization without derivatives", chapter 4; as ``scipy.optimize.brentq``.
    """
    a, b, c = low, high, low
    of_a, of_b = function(a), function(b)
    of_c = of_a
    step = before = b - a
    for _ in range(_MOST_STEPS):
        if (of_b > 0) == (of_c > 0):
            c, of_c = a, of_a
            step = before = b - a
        if abs(of_c) < abs(of_b):
            a, b, c = b, c, b
            of_a, of_b, of_c = of_b, of_c, of_b
        tolerance, half = 2 * _EPSILON * abs(b) + xtol / 2, (c - b) / 2
        if abs(half) <= tolerance or of_b == 0:
            break
        before, step = step, half
        if abs(before) >= tolerance and abs(of_a) > abs(of_b):
            over, under = _interpolated(a, b, c, of_a, of_b, of_c)
            if 2 * over < min(3 * half * under - abs(tolerance * under), abs(before * under)):
                step = over / under
            else:
                before = half
        else:
            before = half
        a, of_a = b, of_b
        b += step if abs(step) > tolerance else math.copysign(tolerance, half)
        of_b = function(b)
    return b


def _interpolated(a: float, b: float, c: float, of_a: float, of_b: float, of_c: float) -> tuple[float, float]:
    """Return the step from b as a fraction, by the secant or by the inverse parabola through three points."""
    s = of_b / of_a
    if a == c:
        over, under = (c - b) * s, 1 - s
    else:
        q, r = of_a / of_c, of_b / of_c
        over, under = s * ((c - b) * q * (q - r) - (b - a) * (r - 1)), (q - 1) * (r - 1) * (s - 1)
    return abs(over), -under if over > 0 else under
