"""The value of an expression: an element of a finite field (exact), a fraction, and a float.

The map into the field keeps every identity between integers, fractions, roots of positive integers, i and variables,
so that equal expressions never differ. Different ones agree at a random point with a probability below 2^-100: the
degree is at most 2^20, and the modulus has 167 bits. In the field, all primes below 100 are squares, -1 is none, and
each square has one k-th root that is a square, for all k below 100. So sqrt(12) is 2 sqrt(3) without a rule for it.
Pi, e and variables are random squares. Other functions are random values of their arguments and make a value uncertain.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

Node: TypeAlias = "tuple[Any, ...]"
Element: TypeAlias = "tuple[int, int]"  # (a, b) is a + b i

P = 102026124333647180148035675463111818187304056366719
ORDER = (P - 1) // 2  # of the group of squares
POINTS = 2
_LARGEST_DEGREE = 1 << 20
_MOST_BITS = 4096
_LARGEST_INDEX = 24
_LARGEST_RADICAND = 10**8
LARGEST_FACTORIAL = 500


class UndefinedError(ArithmeticError):
    """The expression has no value here: a division by zero, or numbers beyond the limits."""


class Image(NamedTuple):
    """The values of an expression at the points of the field, and whether different ones mean different expressions."""

    values: tuple[Element, ...]
    certain: bool


def image(node: Node) -> Image | None:
    """Return the values of an expression at the points; None if it has no value, or is beyond the limits."""
    first = Evaluation(0)
    try:
        values = [first.of(node)]
        values += [Evaluation(point).of(node) if first.varies else values[0] for point in range(1, POINTS)]
        return Image(tuple(values), first.certain)
    except UndefinedError:
        return None


class Evaluation:
    """The value of an expression at one point of the field; ``certain`` is False if it has a function or x^(1/2)."""

    def __init__(self, point: int) -> None:
        self.point = point
        self.certain, self.varies = True, False

    def of(self, node: Node, degree: int = 1) -> Element:
        """Return the element that is the value of a node, which is raised to this power at most."""
        kind = node[0]
        if kind == "n":
            number: Fraction = node[1]
            below = 1 if number.denominator == 1 else pow(number.denominator, -1, P)
            return number.numerator * below % P, 0
        if kind == "v":
            self.varies = True
            return (0, 1) if node[1] == "i" else (variable(node[1], self.point), 0)
        if kind == "+":
            parts = [self.of(part, degree) for part in node[1]]
            return sum(a for a, _ in parts) % P, sum(b for _, b in parts) % P
        if kind == "*":
            return times(self.of(node[1], degree), self.of(node[2], degree))
        if kind == "/":
            return times(self.of(node[1], degree), _power(self.of(node[2], degree), -1))
        if kind == "f":
            value = exact(node)
            return self._random(node[1], self.of(node[2], degree)) if value is None else self.of(("n", value))
        base, exponent = node[1], exact(node[2])
        if exponent is None:
            return self._random("^", self.of(base, degree), self.of(node[2], degree))
        n, k = exponent.numerator, exponent.denominator
        degree *= max(abs(n), 1)
        if degree > _LARGEST_DEGREE or k > _LARGEST_INDEX:
            raise UndefinedError("an exponent is too large")
        if k == 1:
            return _power(self.of(base, degree), n)
        value = exact(base)
        return _power(self._root(self.of(base, degree), k) if value is None else root(value, k), n)

    def _root(self, value: Element, k: int) -> Element:
        """Return a k-th root, which is the real one at positive points up to its sign."""
        self.certain = False
        if value[1]:
            return self._random("root", value, k)
        sign = -1 if k % 2 and pow(value[0], ORDER, P) != 1 else 1
        return sign * pow(sign * value[0], pow(k, -1, ORDER), P) % P, 0

    def _random(self, name: str, *values: object) -> Element:
        self.certain = False
        return _hashed(f"{name}{values}"), 0


@lru_cache(maxsize=1 << 10)
def variable(name: str, point: int) -> int:
    """Return the element that a variable has at a point, a random square."""
    return pow(_hashed(f"{point} {name}"), 2, P)


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(f"answersim.typed.math.1 {text}".encode(), digest_size=32).digest(), "big") % P


@lru_cache(maxsize=1 << 10)
def root(value: Fraction, k: int) -> Element:
    """Return the real k-th root of a fraction, or i times that of its opposite if k is 2."""
    if value < 0:
        if k % 2 == 0 and k > 2:
            raise UndefinedError("an even root of a negative number")
        return times((0, 1) if k == 2 else (P - 1, 0), root(-value, k))
    if value == 0:
        return 0, 0
    return times(_integer_root(value.numerator, k), _power(_integer_root(value.denominator, k), -1))


def _integer_root(n: int, k: int) -> Element:
    inverse, result = pow(k, -1, ORDER), (1, 0)
    for prime, power in _factors(n):
        if power % k == 0:
            part = (pow(prime, power // k, P), 0)
        elif pow(prime, ORDER, P) == 1:
            part = (pow(prime, power * inverse, P), 0)
        elif k % 2 or k == 2:  # the opposite of the prime is a square
            opposite = pow(P - prime, inverse, P)
            part = _power((-opposite % P, 0) if k % 2 else (0, opposite), power)
        else:
            raise UndefinedError("an even root of a large prime")
        result = times(result, part)
    return result


def _factors(n: int) -> list[tuple[int, int]]:
    if n > _LARGEST_RADICAND:
        raise UndefinedError("a number below a root is too large")
    found: list[tuple[int, int]] = []
    prime = 2
    while prime * prime <= n:
        power = 0
        while n % prime == 0:
            n //= prime
            power += 1
        found.append((prime, power))
        prime += 1 + (prime > 2)
    return [entry for entry in (*found, (n, 1)) if entry[1] and entry[0] > 1]


def times(one: Element, other: Element) -> Element:
    """Return the product of two elements."""
    (a, b), (c, d) = one, other
    return ((a * c - b * d) % P, (a * d + b * c) % P) if b or d else (a * c % P, 0)


def _power(value: Element, n: int) -> Element:
    a, b = value
    if n < 0:
        norm = (a * a + b * b) % P
        if norm == 0:
            raise UndefinedError("a division by zero")
        scale = pow(norm, -1, P)
        return _power((a * scale % P, -b * scale % P), -n)
    if not b:
        return pow(a, n, P), 0
    result = (1, 0)
    while n:
        result, value, n = times(result, value) if n & 1 else result, times(value, value), n >> 1
    return result


def exact(node: Node) -> Fraction | None:
    """Return the value as a fraction, or None if it is none (or one that this function does not find).

    Raise UndefinedError if there is a division by zero, or a number has more than 4,096 bits.
    """
    kind = node[0]
    if kind in "nv":
        return node[1] if kind == "n" else None
    parts = [exact(part) for part in (node[1] if kind == "+" else node[1 + (kind == "f") :])]
    if None in parts:
        return None
    value = _exact_value(node[1] if kind == "f" else kind, parts)  # type: ignore[arg-type]
    if value is not None and max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise UndefinedError("a number is too large")
    return value


def _exact_value(kind: str, parts: list[Fraction]) -> Fraction | None:
    one, other = parts[0], parts[-1]
    if kind in ("+", "*"):
        return sum(parts, Fraction(0)) if kind == "+" else one * other
    if kind == "/" or (kind == "^" and one == 0 and other < 0):
        if other == 0 or kind == "^":
            raise UndefinedError("a division by zero")
        return one / other
    if kind == "^":
        if max(one.numerator.bit_length(), one.denominator.bit_length()) * abs(other) > _MOST_BITS and abs(one) != 1:
            raise UndefinedError("a power is too large")
        return one ** int(other) if other.denominator == 1 and (abs(other) <= _MOST_BITS or abs(one) != 1) else None
    if kind == "!":
        if one.denominator > 1 or not 0 <= one <= LARGEST_FACTORIAL:
            raise UndefinedError("a factorial of no small natural number")
        return Fraction(math.factorial(int(one)))
    return abs(one) if kind == "abs" else None


_NAMES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "ln": "log", "log": "log10", "lg": "log10"}
_INVERSES = {"cot": "tan", "sec": "cos", "csc": "sin"}


def approximate(node: Node, point: int = 0) -> float | None:
    """Return a real value, with a real number for each variable; None if there is none."""
    try:
        value = _approximate(node, point)
    except (ValueError, ArithmeticError):
        return None
    return value if math.isfinite(value) else None


def _approximate(node: Node, point: int) -> float:
    kind = node[0]
    if kind == "n":
        return float(node[1])
    if kind == "v":
        return _real(node[1], point)
    if kind == "+":
        return sum(_approximate(part, point) for part in node[1])
    if kind == "f":
        value = _approximate(node[2], point)
        if node[1] in ("abs", "!"):
            return abs(value) if node[1] == "abs" else math.gamma(value + 1)
        name = str(_INVERSES.get(node[1], node[1]))
        result: float = getattr(math, _NAMES.get(name, name))(value)
        return 1 / result if node[1] in _INVERSES else result
    one, other = _approximate(node[1], point), _approximate(node[2], point)
    if kind in "*/":
        return one * other if kind == "*" else one / other
    exponent = exact(node[2])
    if one < 0 and exponent is not None and exponent.denominator > 1 and exponent.denominator % 2:
        return abs(one) ** other * (-1 if exponent.numerator % 2 else 1)
    return math.pow(one, other)


@lru_cache(maxsize=1 << 10)
def _real(name: str, point: int) -> float:
    if name in ("i", r"\infty"):
        raise ValueError
    if name in (r"\pi", "e"):
        return math.pi if name != "e" else math.e
    part = _hashed(f"real {point} {name}") % 9973 / 9973
    return (0.6 + 2 * part) * (1.0 if point % 2 == 0 else -1.0)
