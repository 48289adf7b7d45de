"""Numbers in digits, by language; their precision; and how two of them are compared."""

from fractions import Fraction

import pytest

from answersim.answers.typed import compare
from answersim.answers.typed.amounts import compare_amounts
from answersim.answers.typed.number import Number, plain, scan_number
from tests.answers.typed.whole_texts import whole
from tests.cases import cases_of, every

CASES = cases_of(__file__)


def read(text: str, lang: str) -> Number | None:
    return whole(scan_number, text, lang)


@every(("text", "lang", "value"), CASES["digits_are_read_by_language"])
def test_digits_are_read_by_language(text, lang, value):
    number = read(text, lang)
    assert number.value == Fraction(value)
    assert not number.ordinal


@pytest.mark.parametrize("text", ["1.2.3", "1,2,3", "9" * 31, "1/0", "1e99", "2^999", "1.2.3.4"])
def test_what_is_no_number_or_too_large_is_not_read(text):
    assert read(text, "en") is None


def test_an_ordinal_in_digits_is_read():
    assert read("21st", "en") == Number(Fraction(21), ordinal=True)


@pytest.mark.parametrize(
    ("text", "step"), [("24,900", "100"), ("1987", "1"), ("240", "1"), ("3.14", ".01"), ("0.50", ".01")]
)
def test_the_last_place_that_may_be_exact(text, step):
    assert read(text, "en").step == Fraction(step)


@every(("gold", "pred", "relation"), CASES["numbers_are_compared_by_value_and_precision"])
def test_numbers_are_compared_by_value_and_precision(gold, pred, relation):
    first, second = read(gold, "en"), read(pred, "en")
    assert compare_amounts(first, second).relation == relation
    assert compare_amounts(second, first).relation == relation


def test_what_is_counted_decides_only_if_both_state_it():
    dogs, cats, bare = (Number(Fraction(3), noun=noun) for noun in ("dog", "cat", ""))
    assert compare_amounts(dogs, cats).relation == "none"
    assert compare_amounts(dogs, bare).relation == "equal"


def test_an_approximate_number_is_near_to_near_numbers_only():
    about = Number(Fraction(100), hedge="~")
    relations = [compare_amounts(about, Number(Fraction(value))).relation for value in (100, 110, 200)]
    assert relations == ["near", "none", "different"]


@pytest.mark.parametrize(("value", "text"), [("1/3", "1/3"), ("0.25", "0.25"), ("10000", "10,000"), ("-2", "-2")])
def test_a_number_is_shown(value, text):
    assert plain(Fraction(value)) == text


@every(("gold", "pred", "question", "relation", "rule"), CASES["what_is_rounded_lacks_a_unit_or_is_no_value"])
def test_what_is_rounded_lacks_a_unit_or_is_no_value(gold, pred, question, relation, rule):
    result = compare(gold, pred, question=question)
    assert (result.relation, result.rule) == (relation, rule), result.reason


def test_near_numbers_have_their_relative_error():
    assert compare("200.5", "201").error == pytest.approx(0.5 / 200.5)
    assert compare("5 kg", "5").error == 0
