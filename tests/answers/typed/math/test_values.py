"""Values of expressions: equal expressions have one value, and other ones have others."""

import pytest

from answersim.answers.typed.math.grammar import Scalar, structures
from answersim.answers.typed.math.notation import notation
from answersim.answers.typed.math.values import Node, UndefinedError, degree, exact, is_constant, proportional, same
from tests.cases import every


def node(text: str) -> Node:
    tokens = notation(text)
    assert tokens is not None
    (part,) = structures(tokens)
    assert isinstance(part, Scalar)
    return part.node


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
        (r"\sec^2 y", r"\tan^2 y + 1"),
        (r"\sin 30°", r"\frac12"),
        (r"\sqrt[3]{-8}", "-2"),
        ("2^{n+1}", r"2 \cdot 2^n"),
    ],
)
def test_equal_expressions_have_one_value(one, other):
    assert same(node(one), node(other)) is True


@every(
    ("one", "other"),
    [
        (r"\sqrt2", "2^{31}"),
        (r"\pi", "e"),
        ("x", "y"),
        ("x^2", "x^3"),
        ("i", "-i"),
        (r"\sqrt2", r"-\sqrt2"),
        ("x", "2"),
        (r"\sqrt{x^2}", "x"),
        ("10^{30}", "10^{30}+1"),
        (r"\frac13", "0.333333333333"),
    ],
)
def test_other_expressions_have_other_values(one, other):
    assert same(node(one), node(other)) is False


@every(("one", "other"), [(r"\ln(x^2)", r"2\ln x"), (r"\frac{1}{0}", "1"), (r"\frac{x}{0}", "x"), ("9^{9^{9^9}}", "1")])
def test_what_is_no_proof_is_open(one, other):
    assert isinstance(same(node(one), node(other)), str)


def test_a_division_by_zero_and_a_large_power_have_no_value():
    for text in (r"\frac{1}{0}", "0^{-1}", "9^{9999}", "501!"):
        with pytest.raises(UndefinedError):
            exact(node(text))


def test_multiples_and_degrees():
    assert proportional(node("2x - 4"), node("x - 2"), same_sign=True)
    assert not proportional(node("2x - 4"), node("2 - x"), same_sign=True)
    assert proportional(node("2x - 4"), node("2 - x"), same_sign=False)
    assert [degree(node(text)) for text in ("5", "x y^2", "x^2 + x", r"\frac{1}{x}", r"\sin x")] == [
        0,
        3,
        2,
        None,
        None,
    ]
    assert is_constant(node(r"2\pi + i"))
