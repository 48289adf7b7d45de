"""Conversions agree with published factors, and close misses are far enough away."""

import re
from fractions import Fraction

from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs.quantities import DIMENSIONS, _temperature, family

UNITS = {unit.en[0]: (dimension, unit) for dimension, units in DIMENSIONS.items() for unit in units}


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
