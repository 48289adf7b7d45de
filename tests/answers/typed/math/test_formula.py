"""Formulas: spellings of one value are equal, other values differ, and ordinary answers are no formulas."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.answers.typed import compare, compare_math, parse, reading
from answersim.answers.typed.math.formula import Options, compare_formulas, is_mathematical, of_number, read_formula
from answersim.answers.typed.math.grammar import Scalar
from answersim.answers.typed.math.values import degree
from benchmarks.math_pairs import MathPair, by_hand, constructed
from tests.cases import every

PIECES = (
    r"\frac12 \frac{1}{2} \sqrt{12} \sqrt 2 3 x y + - * / ^ ( ) [ ] \{ \} , = < \le \pm \pi i | ! \text{cm} % \% 0.5 "
    r"\infty \cup $ 1,000 {2} or \sin e 10,100 _2 ° \begin{pmatrix} & \\ \end{pmatrix} \boxed{ }"
).split(" ")
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map("".join)
MADE = constructed(seed=7)

UNDECIDED = r"""
5^5^5^5 = 2; \frac{1}{3} = 0.33; \pi = 3.14; \frac13 = 33\%; 10\% = 10; (1,2) = \{1,2\};
\begin{pmatrix} 1 \\ 2 \end{pmatrix} = (1,2); (1,-2) = 1,-2; 5 \text{ cm} = 5 \text{ apples}; \ln(x^2) = 2\ln x;
x^2 = f(x^2); 10,100 = \{10,100\} \cup x; y=5 = x=5; \sum x = x; f(x) = x+1 = g(x) = x+1; \frac{1}{0} = \infty;
(x-2)^2 = 0 = x = 2; \{5\} = 5; \frac{1}{2} = The answer is 1/2; \text{Paris} = \text{Rome};
1.2 \times 10^5 = 123456; x \ne 0 = (0, \infty)
"""
ORDINARY = (
    "C++|AC/DC|and/or|5-3|1984|10-12|a|I|x|B-52|7-Eleven|T-shirt|cat|M*A*S*H|Canal+|A+|K+S|9/11|24/7|n/a|km/h|"
    r"$5 million|$5 and $10|C:\temp\new|H2O|E=mc2|e-mail|Q&A|AT&T|(555) 123-4567|3-1|3 - 1|Paris (France)|(a) Paris|"
    "[1]|(1)|GPT-4|covid-19|x-ray|U2|4x4|R2-D2|5'11\"|12a|3D|pi|e|-5|0.5|1/2|1,000|[Verse 1]|{}|<br>|x_1|snake_case|"
    "f(x)|(A, B)|Henry (1491-1547)|A = B|2x|x-5|a-b|A - B|Na+|Fe3+|No. 5 = five|x = Paris|(5)|1, 2, 3|x, y|100 x 50|"
    r"5 km|May 5, 1984|Order 66 - the end|1 + 1 friends are here|\text{Paris}|\text{(B)}|\boxed{Paris}|$B$|**Paris**|"
    "18+|300+|2 × 4|km²|1920s (1931).|i - 11|1980s - 1990s|80s - 90s"
).split("|")
MATHEMATICAL = (
    r"\frac12|x^2 + 1|(1, 2)|3x-5|a+b|[0, 5]|x = 5|x > 3|$5$|2π|\sqrt{2}|sqrt(2)|5\text{ cm}|1{,}000|2516_8|1,2,3|"
    r"\int_0^1 x|\pm 2|(0,1]|\{1, 2\}|{1, 2}|a - b|y=2x+1|3 + 4i|[-1, 2)|\boxed{72}|90^\circ|2(x+1)"
).split("|")


def listed(table: str, sign: str) -> list[tuple[str, str]]:
    return [(pair[0], pair[1]) for entry in " ".join(table.split()).split("; ") if (pair := entry.rsplit(sign, 1))]


def relations(gold: str, pred: str) -> set[str]:
    return {compare(gold, pred).relation, compare(pred, gold).relation}


@every("pair", [*MADE, *by_hand()])
def test_pairs_with_a_known_relation(pair):
    strict = compare_math(pair.gold, pair.pred), compare_math(pair.pred, pair.gold)
    outcome = {result.opinion for result in strict} | {compare(pair.gold, pair.pred).opinion}
    assert float(not pair.equal) not in outcome


def test_nearly_all_pairs_with_a_known_relation_are_decided():
    right = [compare(pair.gold, pair.pred).opinion == float(pair.equal) for pair in MADE]
    assert len(MADE) == 384
    assert sum(right) >= 0.98 * len(right)
    assert all(compare(pair.gold, pair.pred).opinion == float(pair.equal) for pair in by_hand())


@every(("gold", "pred"), listed(UNDECIDED, " = "))
def test_what_cannot_be_decided_gets_no_opinion(gold, pred):
    assert relations(gold, pred) <= {"none", "near"}


@every("text", ORDINARY)
def test_ordinary_answers_are_no_mathematics(text):
    assert not is_mathematical(text)


@every("text", MATHEMATICAL)
def test_mathematics_is_recognized(text):
    assert is_mathematical(text)
    assert relations(text, text) == {"equal"}


@pytest.mark.parametrize("pair", [("cat", "act"), ("ab", "ba"), ("AC/DC", "DC/AC"), ("and/or", "or/and"), ("C++", "C")])
def test_words_are_never_products(pair):
    assert relations(*pair) == {"none"}


@given(TEXTS, TEXTS)
def test_a_comparison_is_symmetric(one, other):
    assert compare_math(one, other).relation == compare_math(other, one).relation
    assert (compare(one, one).relation == "equal") == (parse(one) is not None)


HOSTILE = {
    "tower": "$" + "^".join("5" * 100) + "$",
    "braces": "{" * 10_000 + "1" + "}" * 10_000,
    "parentheses": "$" + "(" * 400 + "1" + ")" * 400 + "$",
    "a megabyte": r"\frac{1}{2}+" * 90_000,
    "roots": r"\sqrt{" * 130 + "2" + "}" * 130,
    "root signs": "√" * 900,
    "names": "a=" * 450 + "1",
    "functions": r"\sin " * 180 + "x",
    "exponents": "$" + "x^" * 400 + "x$",
    "fractions": r"\frac" * 180 + "1",
    "factorials": "$5" + "!" * 900 + "$",
    "digits": "$" + "9" * 900 + "$",
    "large roots": "+".join(rf"\sqrt{{9999999{n}}}" for n in range(50)),
    "nested sets": r"\{" * 20 + "1,2" + r"\}" * 20,
    "doubled sets": r"\{1," * 20 + "2" + r"\}" * 20,
    "items": r"\{" + ",".join(f"x+{n}" for n in range(150)) + r"\}",
    "signs": "$" + "-" * 900 + "1$",
    "plus-minus": "$" + r"(1\pm 2)" * 80 + "$",
    "bars": "$" + "|" * 900 + "$",
    "a large power": "x^{99999999999}",
    "matrix": r"\begin{pmatrix}" + "1&" * 200 + r"1\end{pmatrix}",
}


@every("name", HOSTILE)
def test_a_hostile_text_costs_few_steps(name):
    from tests.fuzz.typed import calls

    text = HOSTILE[name]
    for gold, pred in ((text, "5"), ("$x$", text), (text, f"{text} ")):
        assert calls(lambda gold=gold, pred=pred: compare(gold, pred)) < 150_000


def test_many_items_are_compared_in_any_order():
    items = [str(n) for n in range(100, 240)]
    first, second = rf"\{{{','.join(items)}\}}", rf"\{{{','.join(reversed(items))}\}}"
    assert relations(first, second) == {"equal"}
    assert relations(first, second.replace("239", "240")) == {"different"}


def test_limits_give_no_opinion_and_no_error():
    for name in ("tower", "braces", "parentheses", "a megabyte", "roots", "factorials", "digits", "bars"):
        assert compare(HOSTILE[name], "5").relation == "none"


def test_threads_give_the_results_of_one_thread():
    def run(pair: MathPair) -> str:
        return compare(pair.gold, pair.pred).relation

    alone = [run(pair) for pair in MADE]
    reading.forget()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, MADE)) == alone


def test_a_formula_survives_pickle():
    formula = read_formula(r"\frac{x}{2}")
    assert pickle.loads(pickle.dumps(formula)) == formula
    assert (formula.kind, str(formula)) == ("math", r"\frac{x}{2}")


@every(
    ("gold", "pred", "options", "relation"),
    [
        ("0.33", r"\frac13", Options("last-digit"), "equal"),
        ("0.34", r"\frac13", Options("last-digit"), "different"),
        (r"\frac13", "0.33", Options("last-digit"), "none"),
        (r"\frac13", "0.33", Options(0.02), "equal"),
        (r"\frac13", "0.30", Options(0.02), "different"),
        ("3.14", r"\pi", Options("last-digit"), "equal"),
        ("(3.14, 1)", r"(\pi, 1)", Options("last-digit"), "equal"),
        (r"5\text{ cm}", "5", Options(), "equal"),
        (r"5\text{ cm}", "5", Options(units="required"), "different"),
        (r"5\text{ cm}", r"5\text{ m}", Options(units="ignored"), "equal"),
        (r"10\%", "10", Options(units="ignored"), "equal"),
        (r"\frac13", r"\frac{2}{6}", Options("last-digit"), "equal"),
        *((gold, "0.0301", Options(near=True), "near") for gold in (r"3 \times 10^{-2}", r"10^{-2} \times 3")),
        (r"\{0.3333, 2\}", r"\{2, 1/3\}", Options(near=True), "near"),
        (r"\{0.3333, 1/3\}", r"\{1/3, 0.3333\}", Options(near=True), "equal"),
        (r"\{0.3333, 2\}", r"\{1/3, 3\}", Options(near=True), "different"),
        (r"\{0.3333, 2\}", r"\{1/3, 2, 4\}", Options(near=True), "different"),
        (r"(0.3333, \{1\}, 2)", "(1/3, 1, 2)", Options(near=True), "none"),
        (r"\{0.3333, 2\}", "(1/3, 2)", Options(near=True), "none"),
        ("(0.3333, 2, 3)", "[1/3, 2, 3]", Options(near=True), "none"),
    ],
)
def test_options_decide_about_tolerance_and_units(gold, pred, options, relation):
    first, second = read_formula(gold), read_formula(pred)
    assert compare_formulas(first, second, options).relation == relation


def test_the_degree_of_a_polynomial():
    for text, expected in (
        ("x^2y+x", 3),
        ("5", 0),
        (r"\pi^2", 0),
        (r"\frac{x}{2}", 1),
        (r"\frac{2}{x}", None),
        (r"\sin x", None),
    ):
        formula = read_formula(text)
        (part,) = formula.parts
        assert isinstance(part, Scalar)
        assert degree(part.node) == expected


def test_numbers_in_words_and_other_languages_are_compared_with_formulas():
    assert compare(r"\frac{3}{4}", "three quarters").relation == "equal"
    assert compare(r"\frac{3}{4}", "0,75", lang="de").relation == "equal"
    assert compare(r"\frac{3}{4}", "two thirds").relation == "different"
    assert of_number((value := 3) * parse("1/4").value.value).parts[0].node == ("n", value * parse("1/4").value.value)  # type: ignore


def test_a_sentence_with_a_formula_is_never_different_by_the_numbers_in_it():
    long = "We look at the figure again. " * 40
    for pred in (r"The answer is $\frac{10}{2}$", r"It is \sqrt{36}", rf"{long}It is \sqrt{{25}}."):
        assert compare("5", pred).relation != "different"
