"""Units: names, symbols, powers, quotients, and factors against scipy.constants."""

import pytest
from scipy import constants

from answersim.typed.units import Unit, scan_unit
from tests.cases import every
from tests.typed.whole_texts import whole

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


def read(text: str) -> Unit | None:
    return whole(scan_unit, text)


@every("name", FACTORS)
def test_a_factor_is_that_of_scipy(name):
    assert float(read(name).factor) == pytest.approx(FACTORS[name], rel=1e-12)


@every(
    ("text", "same"),
    [
        *(("km²", "square kilometers"), ("m/s", "meters per second"), ("sq. ft", "square feet"), ("km^2", "km2")),
        *(("°C", "degrees Celsius"), ("C", "Grad Celsius"), ("Quadratkilometer", "km²"), ("US pints", "pints")),
        *(("%", "per cent"), ("%", "Prozent"), ("Jahre", "years"), ("meters squared", "m²")),
    ],
)
def test_names_of_one_unit_are_equal(text, same):
    one, other = read(text), read(same)
    assert (one.dimension, one.factor, one.offset) == (other.dimension, other.factor, other.offset)


@pytest.mark.parametrize("text", ["", "people", "per", "m/s/s", "MW/h/h", "square people", "us"])
def test_what_is_no_unit_or_nested_is_not_read(text):
    assert (read(text) if text else None) is None


def test_the_case_of_a_symbol_counts():
    assert read("MW").factor == 10**9 * read("mW").factor


@pytest.mark.parametrize(("text", "kind"), [("hours", "duration"), ("%", "percentage"), ("km", "quantity")])
def test_a_unit_decides_the_kind(text, kind):
    assert read(text).kind == kind
