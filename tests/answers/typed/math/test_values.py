"""Values of expressions: equal expressions have one value, and other ones have others."""

import pytest

from answersim.answers.typed.math.grammar import Scalar, structures
from answersim.answers.typed.math.notation import notation
from answersim.answers.typed.math.values import Node, UndefinedError, degree, exact, is_constant, proportional, same
from tests.cases import cases_of, every

CASES = cases_of(__file__)


def node(text: str) -> Node:
    tokens = notation(text)
    assert tokens is not None
    (part,) = structures(tokens)
    assert isinstance(part, Scalar)
    return part.node


@every(("one", "other"), CASES["equal_expressions_have_one_value"])
def test_equal_expressions_have_one_value(one, other):
    assert same(node(one), node(other)) is True


@every(("one", "other"), CASES["other_expressions_have_other_values"])
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
