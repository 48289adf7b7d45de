"""The value of an expression: an element of a finite field (exact), a fraction, and a float with a bound of its error.

The map into the field keeps every identity between integers, fractions, roots of positive integers, i and variables,
so that equal expressions never differ. Different ones agree at a random point with a probability below 2^-100: the
degree is at most 2^20, and the modulus has 167 bits. In the field, all primes below 100 are squares, -1 is none, and
each square has one k-th root that is a square, for all k below 100. So sqrt(12) is 2 sqrt(3) without a rule for it.
Pi, e and variables are random squares. Other functions are random values of their arguments, and make a value uncertain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

Node: TypeAlias = "tuple[Any, ...]"
Element: TypeAlias = "int | tuple[int, int]"  # a, or (a, b) for a + b i

P = 102026124333647180148035675463111818187304056366719
ORDER = (P - 1) // 2  # of the group of squares
SEED = "answersim.typed.math.1"
POINTS = 2
_LARGEST_DEGREE = 1 << 20
_MOST_BITS = 4096
_LARGEST_INDEX = 24
_LARGEST_RADICAND = 10**10
_LARGEST_FACTORIAL = 500
_EPSILON = 2.0**-50
_HALF = Fraction(1, 2)


class UndefinedError(Exception):
    """The expression has no value here: a division by zero, or numbers beyond the limits."""


class Image(NamedTuple):
    """The values of an expression at the points of the field, and whether different ones mean different expressions."""

    values: tuple[Element, ...]
    certain: bool


def image(node: Node) -> Image | None:
    """Return the values of an expression at the points; None if it has no value, or is beyond the limits."""
    points = [Evaluation(point) for point in range(POINTS)]
    try:
        return Image(tuple(point.of(node) for point in points), all(point.certain for point in points))
    except UndefinedError:
        return None


class Evaluation:
    """The value of an expression at one point of the field; ``certain`` is False if a function or odd root occurs."""

    def __init__(self, point: int) -> None:
        self.point = point
        self.certain = True

    def of(self, node: Node, degree: int = 1) -> Element:
        """Return the element that is the value of a node, which is raised to this power at most."""
        kind = node[0]
        if kind == "n":
            value: Fraction = node[1]
            if value.denominator == 1:
                return value.numerator % P
            return value.numerator * _inverse(value.denominator % P) % P
        if kind == "v":
            return (0, 1) if node[1] == "i" else variable(node[1], self.point)
        if kind == "+":
            total: Element = 0
            for part in node[1]:
                total = _add(total, self.of(part, degree))
            return total
        if kind == "*":
            return times(self.of(node[1], degree), self.of(node[2], degree))
        if kind == "/":
            return times(self.of(node[1], degree), _inverse_of(self.of(node[2], degree)))
        if kind == "^":
            return self._power(node, degree)
        return self._function(node, degree)

    def _power(self, node: Node, degree: int) -> Element:
        base, exponent = node[1], exact(node[2])
        if exponent is None:
            return self._random("^", self.of(base, degree), self.of(node[2], degree))
        n, k = exponent.numerator, exponent.denominator
        if abs(n) * degree > _LARGEST_DEGREE or k > _LARGEST_INDEX:
            raise UndefinedError("an exponent is too large")
        value = exact(base) if k > 1 else None
        if value is not None:
            return _pow(root(value, k), n)
        result = self.of(base, degree * max(abs(n), 1))
        if k == 1:
            return _pow(result, n)
        self.certain = False
        if isinstance(result, tuple):
            return _pow(self._random("root", result, k), n)
        negative = k % 2 == 1 and pow(result, ORDER, P) != 1
        result = pow(-result if negative else result, pow(k, -1, ORDER), P)
        return _pow(-result % P if negative else result, n)

    def _function(self, node: Node, degree: int) -> Element:
        value = exact(node)
        if value is not None:
            return self.of(("n", value))
        return self._random(node[1], self.of(node[2], degree))

    def _random(self, name: str, *values: object) -> int:
        self.certain = False
        return _hashed(f"{name}{values}")


@lru_cache(maxsize=1 << 10)
def variable(name: str, point: int) -> int:
    """Return the element that a variable has at a point, a random square."""
    return pow(_hashed(f"{point} {name}"), 2, P)


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(f"{SEED} {text}".encode(), digest_size=32).digest(), "big") % P


@lru_cache(maxsize=1 << 10)
def root(value: Fraction, k: int) -> Element:
    """Return the real k-th root of a fraction, or i times that of its opposite if k is 2."""
    if value < 0:
        if k == 2:
            return times((0, 1), root(-value, 2))
        if k % 2 == 0:
            raise UndefinedError("an even root of a negative number")
        return times(P - 1, root(-value, k))
    if value == 0:
        return 0
    return times(_integer_root(value.numerator, k), _inverse_of(_integer_root(value.denominator, k)))


def _integer_root(n: int, k: int) -> Element:
    inverse = pow(k, -1, ORDER)
    result: Element = 1
    for prime, power in _factors(n):
        if power % k == 0:
            result = times(result, pow(prime, power // k, P))
        elif pow(prime, ORDER, P) == 1:
            result = times(result, pow(prime, power * inverse, P))
        elif k % 2:
            result = times(result, _pow(P - pow(P - prime, inverse, P), power))
        elif k == 2:
            result = times(result, _pow((0, pow(P - prime, inverse, P)), power))
        else:
            raise UndefinedError("an even root of a large prime")
    return result


def _factors(n: int) -> list[tuple[int, int]]:
    if n > _LARGEST_RADICAND:
        whole = math.isqrt(n)
        if whole * whole != n or whole > _LARGEST_RADICAND:
            raise UndefinedError("a number below a root is too large")
        return [(prime, 2 * power) for prime, power in _factors(whole)]
    found, prime = [], 2
    while prime * prime <= n:
        power = 0
        while n % prime == 0:
            n //= prime
            power += 1
        if power:
            found.append((prime, power))
        prime += 1 + (prime > 2)
    return [*found, (n, 1)] if n > 1 else found


def _add(one: Element, other: Element) -> Element:
    if isinstance(one, int) and isinstance(other, int):
        return (one + other) % P
    (a, b), (c, d) = _pair(one), _pair(other)
    return _reduced((a + c) % P, (b + d) % P)


def times(one: Element, other: Element) -> Element:
    """Return the product of two elements."""
    if isinstance(one, int) and isinstance(other, int):
        return one * other % P
    (a, b), (c, d) = _pair(one), _pair(other)
    return _reduced((a * c - b * d) % P, (a * d + b * c) % P)


def _pair(value: Element) -> tuple[int, int]:
    return (value, 0) if isinstance(value, int) else value


def _reduced(a: int, b: int) -> Element:
    return (a, b) if b else a


def _inverse(value: int) -> int:
    if value == 0:
        raise UndefinedError("a division by zero")
    return pow(value, -1, P)


def _inverse_of(value: Element) -> Element:
    if isinstance(value, int):
        return _inverse(value)
    a, b = value
    scale = _inverse((a * a + b * b) % P)
    return _reduced(a * scale % P, -b * scale % P)


def _pow(value: Element, n: int) -> Element:
    if n < 0:
        return _pow(_inverse_of(value), -n)
    if isinstance(value, int):
        return pow(value, n, P)
    result: Element = 1
    while n:
        if n & 1:
            result = times(result, value)
        value, n = times(value, value), n >> 1
    return result


def exact(node: Node) -> Fraction | None:
    """Return the value as a fraction, or None if it is none (or one that this function does not find).

    Raises:
        UndefinedError: If there is a division by zero, or a number has more than 4,096 bits.
    """
    kind = node[0]
    if kind == "n":
        return node[1]
    if kind == "+":
        total = Fraction(0)
        for part in node[1]:
            value = exact(part)
            if value is None:
                return None
            total += value
        return _limited(total)
    if kind in "*/":
        one, other = exact(node[1]), exact(node[2])
        if one is None or other is None:
            return None
        if kind == "/" and other == 0:
            raise UndefinedError("a division by zero")
        return _limited(one * other if kind == "*" else one / other)
    if kind == "^":
        return _exact_power(exact(node[1]), exact(node[2]))
    if kind == "f" and node[1] in ("abs", "!"):
        value = exact(node[2])
        if value is None or node[1] == "abs":
            return value if value is None else abs(value)
        if value.denominator == 1 and 0 <= value <= _LARGEST_FACTORIAL:
            return Fraction(math.factorial(int(value)))
        raise UndefinedError("a factorial of no small natural number")
    return None


def _exact_power(base: Fraction | None, exponent: Fraction | None) -> Fraction | None:
    if base is None or exponent is None:
        return None
    n, k = exponent.numerator, exponent.denominator
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(n) * bits > _MOST_BITS and base not in (0, 1, -1):
        raise UndefinedError("a power is too large")
    if base == 0 and n < 0:
        raise UndefinedError("a division by zero")
    if k > 1:
        if k > _LARGEST_INDEX or base < 0:
            return None
        roots = [round(part ** (1 / k)) if part < 1 << 1000 else 0 for part in (base.numerator, base.denominator)]
        if roots[0] ** k != base.numerator or roots[1] ** k != base.denominator:
            return None
        base = Fraction(*roots)
    return Fraction(base**n)


def _limited(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise UndefinedError("a number is too large")
    return value


_ANGLES = {"cot": "tan", "sec": "cos", "csc": "sin"}
_REAL: dict[str, Callable[[float], float]] = {
    name: getattr(math, {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "ln": "log", "lg": "log10"}.get(name, name))
    for name in "sin cos tan arcsin arccos arctan sinh cosh tanh ln exp".split()
} | {"log": math.log10, "lg": math.log10}


def approximate(node: Node, point: int = 0) -> tuple[float, float] | None:
    """Return a real value and a bound of its error, with a real number for each variable; None if there is none."""
    try:
        value, error = _approximate(node, point)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return (value, error) if math.isfinite(value) and math.isfinite(error) else None


def _approximate(node: Node, point: int) -> tuple[float, float]:
    kind = node[0]
    if kind == "n":
        value = float(node[1])
        return value, abs(value) * _EPSILON
    if kind == "v":
        value = _real(node[1], point)
        return value, abs(value) * _EPSILON
    if kind == "+":
        parts = [_approximate(part, point) for part in node[1]]
        return sum(v for v, _ in parts), sum(e + abs(v) * _EPSILON for v, e in parts)
    if kind == "f":
        return _approximate_function(node[1], *_approximate(node[2], point))
    (a, da), (b, db) = _approximate(node[1], point), _approximate(node[2], point)
    if kind == "*":
        return a * b, abs(a) * db + abs(b) * da + da * db + abs(a * b) * _EPSILON
    if kind == "/":
        if abs(b) <= 2 * db:
            raise ZeroDivisionError
        return a / b, (da + abs(a / b) * db) / (abs(b) - db) + abs(a / b) * _EPSILON
    if a < 0 and db < 1e-9 and (exponent := exact(node[2])) is not None and exponent.denominator % 2:
        sign = -1.0 if exponent.numerator % 2 else 1.0
    elif a - da < 0 and b != int(b):
        raise ValueError
    else:
        sign = 1.0 if a >= 0 or b % 2 == 0 else -1.0
    if abs(a) <= 2 * da:
        raise ValueError
    value = sign * abs(a) ** b
    relative = abs(b) * da / (abs(a) - da) + abs(math.log(abs(a))) * db
    return value, abs(value) * (math.expm1(min(relative, 1.0)) + 4 * _EPSILON)


def _approximate_function(name: str, value: float, error: float) -> tuple[float, float]:
    if name == "abs":
        return abs(value), error
    if name == "!":
        result = math.gamma(value + 1)
        return result, abs(result) * (8 * _EPSILON + 10 * error)
    function = _REAL[_ANGLES.get(name, name)]
    result, ends = function(value), (function(value - error), function(value + error))
    wide = 2 * max(abs(result - end) for end in ends) + 4 * _EPSILON * max(abs(result), 1e-300)
    if name in _ANGLES:
        if abs(result) <= 2 * wide:
            raise ZeroDivisionError
        return 1 / result, wide / (abs(result) - wide) ** 2 * 2
    return result, wide


@lru_cache(maxsize=1 << 10)
def _real(name: str, point: int) -> float:
    if name == r"\pi":
        return math.pi
    if name == "e":
        return math.e
    if name in ("i", r"\infty"):
        raise ValueError
    part = _hashed(f"real {point} {name}") % 9973 / 9973
    return (0.6 + 2 * part) * (1.0 if point % 2 == 0 else -1.0)
