"""Values in the finite field: equal expressions have one value, and other ones have others."""

from fractions import Fraction
from itertools import pairwise
from math import isqrt

import pytest

from answersim.typed.math.field import ORDER, Node, P, UndefinedError, approximate, exact, image, root, times
from answersim.typed.math.grammar import Scalar, structures
from answersim.typed.math.notation import notation
from tests.cases import every


def node(text: str) -> Node:
    found = notation(text)
    (part,) = structures(found)
    assert isinstance(part, Scalar)
    return part.node


def test_the_modulus_has_the_properties_that_the_roots_need():
    primes = [n for n in range(2, 100) if all(n % d for d in range(2, isqrt(n) + 1))]
    assert P.bit_length() == 167
    assert pow(3, P - 1, P) == 1
    assert P % 4 == 3
    assert all(pow(prime, ORDER, P) == 1 for prime in primes)
    assert all(ORDER % prime for prime in primes)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_roots_are_multiplicative(k):
    for a in (*range(1, 40), 101, 103, 127, 101 * 103):
        for b in (2, 3, 8, 97, 101, 103):
            product = times(root(Fraction(a), k), root(Fraction(b), k))
            assert product == root(Fraction(a * b), k)
    assert root(Fraction(-8), 3) == (P - 2, 0)
    assert times(root(Fraction(-5), 2), root(Fraction(-5), 2)) == (P - 5, 0)


@every(
    ("one", "other"),
    [
        (r"\sqrt{12}", r"2\sqrt3"),
        (r"(\sqrt2+\sqrt3)^2", r"5+2\sqrt6"),
        (r"\frac{1}{\sqrt5-1}", r"\frac{\sqrt5+1}{4}"),
        ("i^2", "-1"),
        (r"\frac{1}{1+i}", r"\frac{1-i}{2}"),
        ("(x+y)^3", "x^3+3x^2y+3xy^2+y^3"),
        (r"\frac{x^2-1}{x-1}", "x+1"),
        ("4^{3/2}", "8"),
        ("(2^{1/24})^{24}", "2"),
        (r"\sqrt{10403}", r"\sqrt{101}\sqrt{103}"),
        (r"\pi(r+1)", r"\pi r+\pi"),
        ("10^{400}", r"10^{200} \cdot 10^{200}"),
    ],
)
def test_equal_expressions_have_one_value(one, other):
    assert image(node(one)) == image(node(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"\sqrt2", "2^{31}"),
        (r"\pi", "e"),
        ("x", "y"),
        ("x^2", "x^3"),
        ("i", "-i"),
        (r"\sqrt2", r"-\sqrt2"),
        ("x", "2"),
    ],
)
def test_other_expressions_have_other_values(one, other):
    values = image(node(one)), image(node(other))
    assert values[0].values != values[1].values


@pytest.mark.parametrize(
    "text",
    [
        "5^{5^{5^5}}",
        "2^{99999999}",
        r"\frac{1}{0}",
        "0^{-1}",
        "x^{2^{30}}",
        "900!",
        r"\sqrt{999999999999}",
        "2^{1/25}",
    ],
)
def test_what_is_too_large_or_undefined_has_no_value(text):
    assert image(node(text)) is None


def test_functions_are_uncertain_and_numbers_are_not():
    certain = {text: image(node(text)) for text in ("x+1", r"\sqrt2", r"\sin x", r"\sqrt{x}", "2^x", r"\sin^2(1)")}
    assert None not in certain.values()
    assert {text for text, found in certain.items() if found is not None and found.certain} == {"x+1", r"\sqrt2"}


def test_exact_values_are_fractions():
    assert exact(node(r"\frac{3}{4} - 2^{-1}")) == Fraction(1, 4)
    assert exact(node("|2-5|!")) == 6
    assert exact(node("x")) is None
    assert exact(node("1^{99999999}")) in (1, None)
    with pytest.raises(UndefinedError):
        exact(node("9^{9999}"))


def test_approximations_agree_with_known_values():
    known = {
        r"\sqrt{2}": 2**0.5,
        r"\tan 1": 1.5574077246549023,
        "(-8)^{1/3}": -2,
        "4!": 24,
        r"\sec 0": 1,
        r"\log 100": 2,
    }
    for text, value in known.items():
        assert approximate(node(text)) == pytest.approx(value, rel=1e-12)
    for text in (r"\sqrt{-2}", r"\ln(-1)", r"\frac{1}{0}", r"\infty", "i", "9^{9999}"):
        assert approximate(node(text)) is None


def test_variables_have_positive_and_negative_values():
    values = [approximate(node("x"), point) for point in range(4)]
    assert all(one is not None and other is not None and one * other < 0 for one, other in pairwise(values))
