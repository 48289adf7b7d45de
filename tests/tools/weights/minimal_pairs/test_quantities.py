"""Conversions agree with published factors, and close misses are far enough away."""

import re
from fractions import Fraction

import pytest

from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs.quantities import DIMENSIONS, _both, _temperature, family

UNITS = {unit.en[0]: (dimension, unit) for dimension, units in DIMENSIONS.items() for unit in units}


@pytest.mark.parametrize(
    ("amount", "unit", "other", "forms"),
    [
        (5, "km", "m", ["5 km", "five kilometers", "5,000 m", "5,000 meters"]),
        (5, "mi", "km", ["5 mi", "five miles", "about 8.05 km", "about 8.05 kilometers"]),  # 8.04672
        (150, "lb", "kg", ["150 lb", "150 pounds", "about 68 kg", "about 68 kilograms"]),  # 68.0388555
        (90, "min", "h", ["90 min", "ninety minutes", "1.5 h", "1.5 hours"]),
        (12, "ft", "in", ["12 ft", "twelve feet", "144 in", "144 inches"]),
        (36, "km/h", "m/s", ["36 km/h", "thirty-six kilometers per hour", "10 m/s", "ten meters per second"]),
        (100, "kcal", "kJ", ["100 kcal", "100 kilocalories", "418.4 kJ", "418.4 kilojoules"]),
        (3, "gal", "qt", ["3 gal", "three US gallons", "12 qt", "twelve US quarts"]),
        (14, "st", "lb", ["14 st", "fourteen stone", "196 lb", "196 pounds"]),
    ],
)
def test_conversions_by_hand(amount: int, unit: str, other: str, forms: list[str]) -> None:
    assert _both(Fraction(amount), UNITS[unit][1], UNITS[other][1], "en") == forms


def test_a_conversion_to_one_or_to_an_awkward_number_is_not_used() -> None:
    assert _both(Fraction(1000), UNITS["m"][1], UNITS["km"][1], "en") is None
    assert _both(Fraction(3), UNITS["mg"][1], UNITS["t"][1], "en") is None


def value(text: str) -> tuple[str, Fraction] | None:
    """Read a quantity in English digits and symbols, in the first unit of its dimension."""
    match = re.fullmatch(r"(?:about )?([\d,]+(?:\.\d+)?) (\S+)", text)
    if match is None or match[2] not in UNITS:
        return None
    dimension, unit = UNITS[match[2]]
    return dimension, Fraction(match[1].replace(",", "")) * unit.size


def test_a_rewrite_is_within_half_a_percent_and_a_miss_is_not_within_a_seventh() -> None:
    compared = 0
    for drawn in families(family, "en", 1500, 5):
        values = [value(text) for text in drawn[1:]]
        if None not in values:
            (_, gold), (_, same), (_, different) = values
            assert abs(same - gold) <= gold / 200, drawn
            assert abs(different - gold) >= gold / 7, drawn
            compared += 1
    assert compared > 40


def test_temperatures_agree() -> None:
    for drawn in families(_temperature, "en", seed=2):
        gold, same, different = map(in_kelvin, drawn[1:])
        assert gold == same, drawn
        assert abs(gold - different) >= 10, drawn


def in_kelvin(text: str) -> Fraction:
    number = Fraction(re.findall(r"[-−]?[\d.]+", text)[0].replace("−", "-"))
    if text.endswith("K"):
        return number
    celsius = number if text.endswith(("°C", "Celsius")) else (number - 32) * 5 / 9
    return celsius + Fraction(27315, 100)
