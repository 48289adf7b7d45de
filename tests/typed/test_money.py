"""Amounts of money: symbols, codes, words and scales; currencies are never converted."""

from fractions import Fraction

import pytest

from answersim.typed.money import Money, compare_money, compare_with_number, scan_money
from answersim.typed.number import Number
from tests.cases import every
from tests.typed.whole_texts import whole


def read(text: str, lang: str = "en") -> Money | None:
    return whole(scan_money, text, lang)


@every(
    ("text", "lang", "amount", "currency"),
    [
        *(("$5 million", "en", 5_000_000, "USD"), ("5,000,000 dollars", "en", 5_000_000, "USD")),
        *(("US$5", "en", 5, "USD"), ("USD 5", "en", 5, "USD"), ("€5", "en", 5, "EUR"), ("5 €", "de", 5, "EUR")),
        *(("5 Mio. Euro", "de", 5_000_000, "EUR"), ("£20", "en", 20, "GBP"), ("20 pounds sterling", "en", 20, "GBP")),
        *(("five dollars", "en", 5, "USD"), ("50 cents", "en", "1/2", "USD"), ("50 Cent", "de", "1/2", "EUR")),
        *(("$1.5bn", "en", 1_500_000_000, "USD"), ("¥500", "en", 500, "JPY"), ("£5m", "en", 5_000_000, "GBP")),
    ],
)
def test_an_amount_is_read(text, lang, amount, currency):
    money = read(text, lang)
    assert (money.number.value, money.currency) == (Fraction(amount), currency)


@pytest.mark.parametrize("text", ["$", "dollars", "5", "$ dollars", "5 people", "USD"])
def test_what_is_no_amount_is_not_read(text):
    assert read(text) is None


@pytest.mark.parametrize(
    ("gold", "pred", "relation"),
    [
        ("$5", "5 dollars", "equal"),
        ("$5", "$6", "different"),
        ("$5", "€5", "different"),
        ("$5", "€6", "none"),
        ("$5", "C$5", "none"),
        ("$24,900", "$24,901", "near"),
    ],
)
def test_amounts_are_compared_within_one_currency(gold, pred, relation):
    assert compare_money(read(gold), read(pred)).relation == relation


@pytest.mark.parametrize(("number", "relation"), [(5, "near"), (6, "different")])
def test_a_number_without_currency_is_compatible_or_different(number, relation):
    assert compare_with_number(Money(Number(Fraction(5)), "USD"), Number(Fraction(number))).relation == relation


def test_a_counted_number_is_no_amount():
    people = Number(Fraction(6), noun="people")
    assert compare_with_number(Money(Number(Fraction(5)), "USD"), people).relation == "none"
