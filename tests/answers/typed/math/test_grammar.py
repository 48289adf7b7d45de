"""Structures of formulas: what is read, and what is refused."""

from fractions import Fraction

import pytest

from answersim.answers.typed.math.grammar import Group, Labeled, Part, Scalar, Statement, UnreadableError, structures
from answersim.answers.typed.math.notation import notation
from tests.cases import every


def read(text: str) -> tuple[Part, ...]:
    result = notation(text)
    return structures(result)


def number(value: str) -> tuple[str, Fraction]:
    return ("n", Fraction(value))


@every(
    ("text", "part"),
    [
        ("0.25", Scalar(number("1/4"), "", Fraction(1, 100))),
        ("-1.5", Scalar(("*", number("-1"), number("3/2")), "", Fraction(1, 10))),
        (r"1.2 \times 10^{5}", Scalar(("*", number("1.2"), ("^", number("10"), number("5"))), "", Fraction(10_000))),
        ("1.5e3", Scalar(number("1500"), "", Fraction(100))),
        (r"\frac12", Scalar(("/", number("1"), number("2")))),
        (r"\frac1{72}", Scalar(("/", number("1"), number("72")))),
        (r"\sqrt3", Scalar(("^", number("3"), number("1/2")))),
        (r"\sqrt[3]{8}", Scalar(("^", number("8"), number("1/3")))),
        (r"5\text{ cm}^2", Scalar(number("5"), "cm^2")),
        ("75 %", Scalar(number("75"), "%")),
        (r"\$5", Scalar(number("5"), "$")),
        (r"-\$5", Scalar(("*", number("-1"), number("5")), "$")),
        (r"1011_2", Scalar(number("1011"), "_2")),
        ("5 = x", Labeled("x", Scalar(number("5")))),
        (r"\angle ABC = 60^\circ", Labeled(r"\angleABC", Scalar(number("60"), "°"))),
        (r"x \in (1, 2]", Labeled("x", Group("(]", (Scalar(number("1")), Scalar(number("2")))))),
        ("(x, y) = (1, 2)", Labeled("x,y", Group("()", (Scalar(number("1")), Scalar(number("2")))))),
        ("1 < x", Statement(("<",), (number("1"), ("v", "x")))),
        ("1 or 2", Group("list", (Scalar(number("1")), Scalar(number("2"))))),
        (r"\{\}", Group("set", ())),
        ("2^{3}^4", Scalar(("^", number("2"), ("^", number("3"), number("4"))))),
        (r"\sin 2x", Scalar(("f", "sin", ("*", number("2"), ("v", "x"))))),
        (r"\sin^{-1} x", Scalar(("f", "arcsin", ("v", "x")))),
        (r"\binom{5}{2}", Scalar(number("10"))),
    ],
)
def test_a_formula_has_one_structure(text, part):
    assert read(text) == (part,)


def test_what_may_mean_two_things_has_two_readings():
    x = ("v", "x")
    half = ("/", number("1"), number("2"))
    assert read("1/2x") == (Scalar(("*", half, x)), Scalar(("/", number("1"), ("*", number("2"), x))))
    assert read("10,100") == (Scalar(number("10100")), Group("list", (Scalar(number("10")), Scalar(number("100")))))


def test_plus_minus_is_a_list_of_two():
    (part,) = read(r"\pm 2")
    assert part == Group("list", (Scalar(number("2")), Scalar(("*", number("-1"), number("2")))))


@every(
    "text",
    [
        *"cat|AB|xyz|2 3|x2|f(x)|P(A)|C++|AC/DC|1:2|(1, 2|(1, 2}|()|[1, 2, 3)|1 +|+|x = |x = y = 3|5 is".split("|"),
        *r"\frac{1}|\frac{1}{}|\frac123|\sqrt12|\sqrt[n]{2}|\sum x|2\frac{5}{3}|5\text{ million}".split("|"),
        *(r"\begin{pmatrix} 1 & 2 \\ 3 \end{pmatrix}", r"\begin{pmatrix} 1", r"\binom{n}{2}", "x + (1, 2)", "1e99999"),
        *("1" * 300, "(" * 30 + "1" + ")" * 30, "-" * 30 + "1", "x(x+1)" * 100, "5" + "!" * 200),
    ],
)
def test_other_notation_is_refused(text):
    with pytest.raises(UnreadableError):
        read(text)
