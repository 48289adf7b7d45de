"""The value of an expression: a fraction if it is one, else its values at points, where variables are random numbers.

Two expressions are equal if both are the same fraction, or agree at all points to twelve digits: three points at least,
unless they have no variable. Variables are positive at half of the points and negative at the others, so that the
square root of x^2 is no x.
"""

from __future__ import annotations

import cmath
import math
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeAlias

Node: TypeAlias = "tuple[Any, ...]"

MINUS_ONE: Node = ("n", Fraction(-1))
CONSTANTS = {r"\pi": math.pi, "e": math.e, "i": 1j}
LARGEST_FACTORIAL = 500
_POINTS, _PROOF = 6, 3
_DIGITS = 1e-12  # of two values that are the same, as a share of the larger one
_MOST_BITS = 4096
_NAMES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "ln": "log", "log": "log10", "lg": "log10"}
_INVERSES = {"cot": "tan", "sec": "cos", "csc": "sin"}


class UndefinedError(ArithmeticError):
    """The expression has no value: a division by zero, or numbers beyond the limits."""


def exact(node: Node) -> Fraction | None:
    """Return the value as a fraction, or None if it is none (or one that this function does not find).

    Raise UndefinedError if there is a division by zero, or a number has more than 4,096 bits.
    """
    kind = node[0]
    if kind in "nv":
        return node[1] if kind == "n" else None
    parts = [exact(part) for part in children(node)]
    if None in parts:
        return None
    value = _exact_value(node[1] if kind == "f" else kind, parts)  # type: ignore[arg-type]
    if value is not None and max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise UndefinedError("a number is too large")
    return value


def children(node: Node) -> tuple[Node, ...]:
    """Return the expressions of which an expression is made."""
    return () if node[0] in "nv" else node[1] if node[0] == "+" else node[1 + (node[0] == "f") :]


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


@lru_cache(maxsize=1 << 11)
def points(node: Node) -> tuple[complex | None, ...]:
    """Return the values of an expression at the points; None where it has none."""
    if (value := exact(node)) is not None:
        return (complex(value) if abs(value) < 10**300 else None,) * _POINTS
    return tuple(_at(node, point) for point in range(_POINTS))


def _at(node: Node, point: int) -> complex | None:
    try:
        value = _value(node, point)
    except (ValueError, ArithmeticError):
        return None
    return value if cmath.isfinite(value) else None


def _value(node: Node, point: int) -> complex:
    kind = node[0]
    if kind == "n":
        return complex(node[1])
    if kind == "v":
        return CONSTANTS[node[1]] if node[1] in CONSTANTS else _variable(node[1], point)
    parts = [_value(part, point) for part in children(node)]
    if kind == "+":
        return sum(parts)
    if kind in "*/":
        return parts[0] * parts[1] if kind == "*" else parts[0] / parts[1]
    return _function(node[1], parts[0]) if kind == "f" else _power(parts[0], parts[1], exact(node[2]))


def _power(base: complex, exponent: complex, share: Fraction | None) -> complex:
    """Return a power; a root with an odd index of a negative number is the real one."""
    if base.imag == 0 and base.real < 0 and share is not None and share.denominator > 1 and share.denominator % 2:
        return abs(base.real) ** exponent * (-1 if share.numerator % 2 else 1)
    return complex(base**exponent)


def _function(name: str, value: complex) -> complex:
    if name == "abs":
        return complex(abs(value))
    if value.imag:
        raise ValueError
    if name == "!":
        return complex(math.gamma(value.real + 1))
    plain = str(_INVERSES.get(name, name))
    result: float = getattr(math, _NAMES.get(plain, plain))(value.real)
    return complex(1 / result if name in _INVERSES else result)


@lru_cache(maxsize=1 << 10)
def _variable(name: str, point: int) -> complex:
    digest = blake2b(f"answersim.answers.typed.math.2 {point} {name}".encode(), digest_size=8).digest()
    return complex((0.6 + 2 * int.from_bytes(digest, "big") / 2**64) * (1 if point % 2 == 0 else -1))


def real(node: Node) -> Fraction | None:
    """Return a real constant as a fraction, maybe rounded; None if there is none."""
    try:
        value = exact(node)
    except UndefinedError:
        return None
    if value is not None or not is_constant(node):
        return value
    at = points(node)[0]
    return None if at is None or at.imag else Fraction(at.real)


def same(one: Node, other: Node) -> bool | str:
    """Return whether two expressions have the same value, or the reason why this is open."""
    try:
        fractions = exact(one), exact(other)
        if None not in fractions:
            return fractions[0] == fractions[1]
        pairs = list(zip(points(one), points(other), strict=True))
    except UndefinedError:
        return "it has no value, or one beyond the limits"
    defined = [(a, b) for a, b in pairs if a is not None and b is not None]
    if any(abs(a - b) > _DIGITS * max(1.0, abs(a), abs(b)) * 100 for a, b in defined):
        return False
    is_proof = len(defined) >= (1 if is_constant(one) and is_constant(other) else _PROOF)
    if not is_proof or any((a is None) != (b is None) for a, b in pairs):
        return "they agree at some points, which is no proof"
    return True


def proportional(one: Node, other: Node, same_sign: bool) -> bool:
    """Return whether two expressions are multiples of each other, by a number that is positive if ``same_sign``."""
    try:
        pairs = [(a, b) for a, b in zip(points(one), points(other), strict=True) if a is not None and b is not None]
    except UndefinedError:
        return False
    if len(pairs) < _PROOF or any(abs(a) < _DIGITS or abs(b) < _DIGITS for a, b in pairs):
        return False
    ratios = [a / b for a, b in pairs]
    constant = all(abs(ratio - ratios[0]) <= _DIGITS * 1000 * abs(ratios[0]) for ratio in ratios)
    return constant and (not same_sign or ratios[0].real > 0)


def is_constant(node: Node) -> bool:
    """Return whether an expression has no variable."""
    return all(map(is_constant, children(node))) if node[0] not in "nv" else node[0] == "n" or node[1] in CONSTANTS


def degree(node: Node) -> int | None:
    """Return the degree of a polynomial in all its variables; None if it is no polynomial."""
    name = node[0]
    if name in "nv":
        return int(not is_constant(node))
    degrees = [degree(part) for part in children(node)]
    known = [value for value in degrees if value is not None]
    if len(known) < len(degrees) or not any(known):
        return 0 if len(known) == len(degrees) else None
    if name in "+*":
        return max(known) if name == "+" else sum(known)
    if name == "/":
        return None if known[1] else known[0]
    power = node[2][1] if name == "^" and node[2][0] == "n" else Fraction(-1)
    return known[0] * int(power) if power.denominator == 1 and power >= 0 else None
