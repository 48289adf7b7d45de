"""Quantities: read with their unit, compared after conversion."""

from fractions import Fraction

import pytest

from answersim.typed.number import Number
from answersim.typed.quantity import Quantity, compare_quantities, compare_with_number, measured_step, scan_quantity
from answersim.typed.tokens import tokens
from tests.cases import every
from tests.typed.whole_texts import whole


def read(text: str, lang: str = "en") -> Quantity | None:
    return whole(scan_quantity, text, lang)


@every(
    ("gold", "pred", "relation"),
    [
        *(("12 liters", "12 gallons", "different"), ("12 liters", "12 l", "equal"), ("1 year", "12 months", "equal")),
        *(
            ("90 minutes", "1.5 hours", "equal"),
            ("5 ft 11 in", "5'11\"", "equal"),
            ("5 ft 11 in", "71 inches", "equal"),
        ),
        *(("32 °F", "0 °C", "equal"), ("38 C", "100 F", "equal"), ("38 C", "90 F", "different")),
        *(("5 miles", "8 km", "equal"), ("5 miles", "5 km", "different"), ("2 miles", "3 km", "none")),
        *(
            ("24,900 miles", "24,901 miles", "near"),
            ("365 days", "1 year", "equal"),
            ("366 days", "1 year", "near"),
        ),
        *(("50 %", "fifty percent", "equal"), ("50 %", "51 %", "different"), ("5 kg", "5 km", "none")),
        *(("38 degrees", "38 °C", "near"), ("38 degrees", "40 °C", "none")),
        *(("100 square miles", "259 km²", "equal"), ("60 miles per hour", "60 mph", "equal")),
        *(("2 hours and 30 minutes", "150 minutes", "equal"), ("a 90-minute", "90 min", "equal")),
    ],
)
def test_quantities_are_compared_after_conversion(gold, pred, relation):
    one, other = read(gold.removeprefix("a ")), read(pred)
    assert compare_quantities(one, other).relation == relation
    assert compare_quantities(other, one).relation == relation


def test_german_units_are_read():
    assert compare_quantities(read("1,5 Kilometer", "de"), read("1500 m", "de")).relation == "equal"


def test_the_decade_is_no_duration():
    assert scan_quantity(tokens("1890s"), 0, "en") is None


@pytest.mark.parametrize(
    ("quantity", "number", "relation"),
    [
        *(("5 years", "5", "near"), ("5 years", "6", "different"), ("50 %", "1/2", "near")),
        *(("66.7 %", "2/3", "near"), ("50 %", "2/3", "different")),
    ],
)
def test_a_number_without_unit_is_compatible_or_different(quantity, number, relation):
    assert compare_with_number(read(quantity), Number(Fraction(number)), "quantity").relation == relation


def test_what_is_counted_is_no_quantity():
    people = Number(Fraction(3), noun="people")
    assert compare_with_number(read("3 years"), people, "duration").relation == "none"


@pytest.mark.parametrize(("value", "step"), [(500, 100), (120, 10), (50, 1), (123, 1)])
def test_zeros_at_the_end_of_a_measured_value_may_come_from_rounding(value, step):
    assert measured_step(Number(Fraction(value))) == step
