"""Tokens of formulas, and what looks like LaTeX."""

import pytest

from answersim.answers.typed.math.notation import (
    LONGEST_FORMULA,
    Token,
    has_latex,
    has_operator,
    notation,
    plain_text,
    split,
    without_wrappers,
)
from tests.cases import cases_of, every

CASES = cases_of(__file__)


def words(text: str) -> list[str]:
    result = notation(text)
    return [] if result is None else [token.text for token in result.tokens]


@every("text", [r"\frac12", "$x$", r"\text{Paris}", "x^{2}", "a_{1}", r"5\%", r"\$5", "1{,}000", r"1,\!000", r"\(x\)"])
def test_latex_is_found(text):
    assert has_latex(text)


@every(
    "text", ["$5", "$5 and $10", "$5-$10", r"C:\temp\new", r"\newline", "{a}", "x^2", "foo_bar", "", "\\", "$", "$$"]
)
def test_money_and_paths_are_no_latex(text):
    assert not has_latex(text)


@every(("text", "inner"), CASES["delimiters_are_removed"])
def test_delimiters_are_removed(text, inner):
    assert without_wrappers(text) == inner


@every(("text", "tokens"), CASES["spellings_have_one_form"])
def test_spellings_have_one_form(text, tokens):
    assert words(text) == tokens


def test_a_long_text_is_no_formula():
    assert notation("x" * (LONGEST_FORMULA + 1)) is None
    assert plain_text("5" * (LONGEST_FORMULA + 1)) is None
    assert notation("") is None


def test_what_only_words_surround_is_plain_text():
    assert plain_text(r"$\text{June } 20$") == "June  20"
    assert plain_text(r"\$5") == "$5"
    assert plain_text(r"90^\circ") == "90°"
    assert plain_text("x^2") is None


def test_commas_in_numbers_can_separate_items():
    assert [token.text for token in split([Token("n", "10,100"), Token("w", "a,b")])] == ["10", ",", "100", "a,b"]


@pytest.mark.parametrize(
    ("text", "found"), [("x+1", True), ("C++", True), ("(1, 2)", True), ("5-3", False), ("a", False)]
)
def test_operators_are_only_a_first_sieve(text, found):
    assert has_operator(text) == found
