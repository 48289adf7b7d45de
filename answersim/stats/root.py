"""The roots of a function of one variable, without the third of a second that scipy takes to be imported."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from answersim._base.arrays import FloatArray

_MOST_STEPS = 200
_EPSILON = 2.0**-52


def brentq(
    function: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray, xtol: FloatArray
) -> FloatArray:
    """Return where each of several continuous functions is 0, to within ``xtol``, shape (n,).

    ``function``: returns the values of all functions, each at its own point. ``low``, ``high``, ``xtol``: shape (n,).
    The signs of each function at both ends must differ.

    >>> low, high = np.zeros(2), np.full(2, 2.0)
    >>> brentq(lambda x: x ** np.array([2, 3]) - 2, low, high, np.full(2, 1e-12)).round(9).tolist()
    [1.414213562, 1.25992105]

    Source: Brent 1973, "Algorithms for minimization without derivatives", chapter 4; as ``scipy.optimize.brentq``.
    """
    a, b, c = low, high, low
    of_a, of_b = function(a), function(b)
    of_c = of_a
    step = before = b - a
    for _ in range(_MOST_STEPS):
        same = (of_b > 0) == (of_c > 0)
        c, of_c = np.where(same, a, c), np.where(same, of_a, of_c)
        step, before = np.where(same, b - a, step), np.where(same, b - a, before)
        swap = np.abs(of_c) < np.abs(of_b)
        a, b, c = np.where(swap, b, a), np.where(swap, c, b), np.where(swap, b, c)
        of_a, of_b, of_c = np.where(swap, of_b, of_a), np.where(swap, of_c, of_b), np.where(swap, of_b, of_c)
        tolerance, half = 2 * _EPSILON * np.abs(b) + xtol / 2, (c - b) / 2
        open_ = (np.abs(half) > tolerance) & (of_b != 0)  # a root that was found does not move again
        if not open_.any():
            break
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            over, under = _interpolated(a, b, c, of_a, of_b, of_c)
            fits = 2 * over < np.minimum(3 * half * under - np.abs(tolerance * under), np.abs(before * under))
            fits &= (np.abs(before) >= tolerance) & (np.abs(of_a) > np.abs(of_b))
            before, step = np.where(fits, step, half), np.where(fits, over / under, half)
        a, of_a = np.where(open_, b, a), np.where(open_, of_b, of_a)
        moved = b + np.where(np.abs(step) > tolerance, step, np.copysign(tolerance, half))
        b = np.where(open_, moved, b)
        of_b = np.where(open_, function(b), of_b)
    return b


def _interpolated(
    a: FloatArray, b: FloatArray, c: FloatArray, of_a: FloatArray, of_b: FloatArray, of_c: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the steps from b as fractions, by the secant or by the inverse parabola through three points."""
    s, q, r = of_b / of_a, of_a / of_c, of_b / of_c
    secant = a == c
    over = s * np.where(secant, c - b, (c - b) * q * (q - r) - (b - a) * (r - 1))
    under = np.where(secant, 1 - s, (q - 1) * (r - 1) * (s - 1))
    return np.abs(over), np.where(over > 0, -under, under)
