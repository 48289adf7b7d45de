"""Quantities and money: units against scipy.constants, read with their unit, compared after conversion."""

from fractions import Fraction

import pytest
from scipy import constants

from answersim.answers.typed import compare
from answersim.answers.typed.amounts import compare_amounts
from answersim.answers.typed.quantity import Quantity, Unit, scan_quantity, scan_unit
from answersim.answers.typed.tokens import tokens
from tests.answers.typed.whole_texts import whole
from tests.cases import cases_of, every

CASES = cases_of(__file__)


def read(text: str, lang: str = "en") -> Quantity | None:
    return whole(scan_quantity, text, lang)


@every(("gold", "pred", "relation"), CASES["quantities_are_compared_after_conversion"])
def test_quantities_are_compared_after_conversion(gold, pred, relation):
    first, second = read(gold.removeprefix("a ")), read(pred)
    assert compare_amounts(first, second).relation == relation
    assert compare_amounts(second, first).relation == relation


def test_german_units_are_read():
    assert compare_amounts(read("1,5 Kilometer", "de"), read("1500 m", "de")).relation == "equal"


def test_the_decade_is_no_duration():
    assert scan_quantity(tokens("1890s"), 0, "en") is None


@every(
    ("quantity", "number", "relation"),
    [
        *(("5 years", "5", "near"), ("5 years", "6", "different"), ("50 %", "1/2", "equal"), ("20 %", "0.2", "equal")),
        *(("66.7 %", "2/3", "near"), ("50 %", "2/3", "different"), ("20 %", "20", "none"), ("150 %", "1.5", "equal")),
        *(("3 years", "3 people", "none"), ("5 km", "5000", "none")),
    ],
)
def test_a_number_without_unit_is_near_or_different(quantity, number, relation):
    assert compare(quantity, number).relation == compare(number, quantity).relation == relation


@every(("text", "lang", "amount", "currency"), CASES["an_amount_of_money_is_read"])
def test_an_amount_of_money_is_read(text, lang, amount, currency):
    money = read(text, lang)
    assert (money.number.value, money.unit.dimension) == (Fraction(amount), f"money {currency}")


@every("text", ["$", "dollars", "5", "$ dollars", "5 people", "USD"])
def test_what_is_no_amount_is_not_read(text):
    assert read(text) is None


@every(
    ("gold", "pred", "relation"),
    [
        *(("$5", "5 dollars", "equal"), ("$5", "$6", "different"), ("$5", "€5", "different"), ("$5", "€6", "none")),
        *(("$5", "C$5", "none"), ("$24,900", "$24,901", "near"), ("$0.50", "50 cents", "equal"), ("$5", "5", "near")),
        *(("£2.99", "299 cents", "none"), ("£9.50", "nine pounds and fifty pence", "equal"), ("$5", "6", "different")),
        *(("$5", "6 people", "none"), ("16 pounds", "7.26 kg", "equal"), ("16 pounds", "£16", "equal")),
    ],
)
def test_amounts_are_compared_within_one_currency(gold, pred, relation):
    assert compare(gold, pred).relation == relation


# The names of scipy.constants are those of CODATA and the SI brochure.
FACTORS = {
    "inches": constants.inch, "feet": constants.foot, "yards": constants.yard, "miles": constants.mile,
    "nautical miles": constants.nautical_mile, "light years": constants.c * constants.Julian_year,
    "astronomical units": constants.au, "pounds": constants.pound, "ounces": constants.oz, "stone": constants.stone,
    "short tons": constants.short_ton, "long tons": constants.long_ton, "gallons": constants.gallon,
    "imperial gallons": constants.gallon_imp, "fluid ounces": constants.fluid_ounce, "barrels": constants.barrel,
    "acres": constants.acre, "hectares": constants.hectare, "mph": constants.mph, "knots": constants.knot,
    "horsepower": constants.hp, "atmospheres": constants.atm, "psi": constants.psi, "calorie": constants.calorie,
    "days": constants.day, "weeks": constants.week, "km/h": constants.kmh, "square miles": constants.mile**2,
    "hl": 100 * constants.liter, "cubic feet": constants.foot**3, "Zoll": constants.inch,
}  # fmt: skip


def read_unit(text: str) -> Unit | None:
    return whole(scan_unit, text)


@every("name", FACTORS)
def test_a_factor_is_that_of_scipy(name):
    assert float(read_unit(name).factor) == pytest.approx(FACTORS[name], rel=1e-12)


@every(
    ("text", "same"),
    [
        *(("km²", "square kilometers"), ("m/s", "meters per second"), ("sq. ft", "square feet"), ("km^2", "km2")),
        *(("°C", "degrees Celsius"), ("C", "Grad Celsius"), ("Quadratkilometer", "km²"), ("US pints", "pints")),
        *(("%", "per cent"), ("%", "Prozent"), ("Jahre", "years"), ("meters squared", "m²")),
    ],
)
def test_names_of_one_unit_are_equal(text, same):
    first, second = read_unit(text), read_unit(same)
    assert (first.dimension, first.factor, first.offset) == (second.dimension, second.factor, second.offset)


@pytest.mark.parametrize("text", ["", "people", "per", "m/s/s", "MW/h/h", "square people", "us"])
def test_what_is_no_unit_or_nested_is_not_read(text):
    assert (read_unit(text) if text else None) is None


def test_the_case_of_a_symbol_counts():
    assert read_unit("MW").factor == 10**9 * read_unit("mW").factor


@pytest.mark.parametrize(("text", "kind"), [("hours", "duration"), ("%", "percentage"), ("km", "quantity")])
def test_a_unit_decides_the_kind(text, kind):
    assert read_unit(text).kind == kind
