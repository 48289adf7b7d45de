"""Which answers are the same formula: a table that can be checked by hand, and changes of one character."""

from hypothesis import given
from hypothesis import strategies as st

from answersim.answers import typed
from answersim.answers.formulas import same_formula
from answersim.metrics.composite.ensemble import FLOOR, AnswerSimilarity, named
from answersim.types import Pair
from tests.cases import every
from tests.table_metric import Table

DIFFERENT = [
    ("3x+5", "3x-5"),
    ("10 - 4", "10 + 4"),
    ("a+b", "a-b"),
    ("[0,1]", "[0,1)"),
    ("(0,1]", "The interval is [0,1]."),
    ("x^2+2x-1", "x^2+2x+1"),
    ("-3", "3"),
    ("C++", "C"),
    ("C++", "C#"),
    ("C#", "C"),
    ("A+", "A"),
    ("(4,3)", "(3,4)"),
    ("4/3", r"\frac{3}{4}"),
    (r"3\sqrt{2}", r"2\sqrt{3}"),
    ("f(x)=2x", "f(x)=3x"),
    ("x^2-1", "The result is x^2+1."),
    ("3x+5", "So the answer is y = 3x - 5."),
    ("6-4, 6-3", "6-3, 6-4"),
    ("1939-1945", "1939-1946"),
    ("x>5", "x<5"),
    ("x>5", r"x \ge 5"),
    ("2^3", "23"),
    ("x²", "x2"),
]
SAME = [
    (r"\frac{3}{4}", "3/4"),
    (r"\frac{a+b}{2}", "(a+b)/2"),
    ("3x+5", "3x + 5"),
    ("x^2", "x²"),
    ("x^{2}", "x^2"),
    ("x**2", "x^2"),
    ("7", "x = 7"),
    ("3x+5", "y = 3x+5"),
    ("C++", "c++"),
    (r"3\sqrt{2}", "3√2"),
    ("sqrt(2)", "√2"),
    ("x^2-1", "The result is x^2 - 1."),
    ("3x+5", "So we get y = 3x + 5."),
    ("2*3", r"2 \times 3"),
    ("10-4", "10 – 4"),
    (r"\pi/2", "π/2"),
    ("[0,1)", r"The interval is \left[0, 1\right)."),
    ("-3", "−3"),
    ("1,000+5", "1000+5"),
    ("$x+1$", "x+1"),
]
NO_FORMULA = [
    ("AC/DC", "AC DC"),
    ("1939-1945", "from 1939 to 1945"),
    ("Paris", "(Paris)"),
    ("9/11", "September 11"),
    ("well-known", "wellknown"),
    ("3", "three"),
    ("5", "five (5)"),
    ("R&B", "RB"),
    ("$5", "5"),
    ("50%", "50"),
    ("A", "the letter A (first)"),
    ("1984", "1985"),
    ("3-2", "they won 3-2"),
    ("Catch-22", "Catch 22"),
    ("F-16", "F16"),
    ("(C)", "C"),
    ("C", "c)"),
    ("-5", "minus five"),
    ("12", "12 (twelve)"),
    ("", ""),
]


@every(
    ("gold", "pred", "expected"),
    [
        *((*pair, False) for pair in DIFFERENT),
        *((*pair, True) for pair in SAME),
        *((*pair, None) for pair in NO_FORMULA),
    ],
)
def test_formulas_are_compared_sign_by_sign(gold, pred, expected):
    assert same_formula(gold, pred) is expected


SIGNS = "+-*/^=<>()[]0123456789"
FORMULAS = st.from_regex(r"\A-?[1-9][xyn]?([+\-*/^=<>][xyn1-9]){2,5}\Z")


@given(FORMULAS, st.data())
def test_a_changed_sign_operator_bracket_or_digit_never_has_the_floor(formula, data):
    place = data.draw(st.sampled_from([i for i, character in enumerate(formula) if character in SIGNS]))
    other = data.draw(st.sampled_from([sign for sign in [*SIGNS, ""] if sign != formula[place]]))
    changed = formula[:place] + other + formula[place + 1 :]
    metric = AnswerSimilarity((Table("certain", 1.0),), named(("certain",), {"certain": 1.0}, 2.0))
    assert same_formula(formula, changed) is False
    if typed.compare(formula, changed).relation != "equal":  # such as 1n and +1n, which the rules of formulas prove
        assert metric([Pair(formula, changed)])[0] < FLOOR


@given(st.integers(0, 9), st.integers(0, 9), st.sampled_from("[("), st.sampled_from("])"))
def test_an_interval_with_another_bracket_or_order_is_another_one(a, b, left, right):
    interval = f"{left}{a}, {b}{right}"
    for other in (f"{left}{a},{b}{'])'[right == ']']}", f"{'[('[left == '[']}{a},{b}{right}"):
        assert same_formula(interval, other) is False
    assert same_formula(interval, f"{left}{b},{a}{right}") is (a == b)
