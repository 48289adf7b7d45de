"""Rewrites are roundings of the gold answer, and close misses are not."""

import re
from fractions import Fraction

import pytest

from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs.precision import CONSTANTS, _bound, _count, _decimals, _vague_year


def number(text: str) -> Fraction:
    return Fraction(re.findall(r"\d[\d,]*(?:\.\d+)?", text)[0].replace(",", ""))


def test_counts_are_rounded_and_misses_are_far() -> None:
    found = list(families(_count, "en"))
    assert len(found) > 200
    for family in found:
        gold, same, different = map(number, family[1:])
        assert abs(same - gold) <= gold / 20
        assert abs(different - gold) > max(abs(same - gold), gold / 25), family


def test_bounds_are_tight() -> None:
    for family in families(_bound, "en"):
        gold, same = number(family.gold), number(family.same)
        assert (same < gold) is ("over" in family.same)
        assert abs(same - gold) < same / 20, family


def test_decimals_are_rounded_half_away_from_zero() -> None:
    for family in families(_decimals, "en"):
        gold, same, different = map(number, family[1:])
        half = Fraction(1, 2 * 10 ** len(family.same.partition(".")[2]))
        assert abs(gold - same) <= half < abs(gold - different), family


@pytest.mark.parametrize(
    ("year", "decade", "text"),
    [
        (1958, True, "in the late 1950s"),
        (1955, True, "in the mid-1950s"),
        (1951, True, "in the early 1950s"),
        (1950, False, "in the mid-20th century"),
        (1892, False, "in the late 19th century"),
        (1606, False, "in the early 17th century"),
    ],
)
def test_a_year_in_its_third(year: int, decade: bool, text: str) -> None:
    assert _vague_year(year, "en", decade) == [str(year), text]


@pytest.mark.parametrize(("year", "decade"), [(1954, True), (1900, False), (1935, False), (1902, True)])
def test_a_year_near_a_bound_is_not_used(year: int, decade: bool) -> None:
    assert _vague_year(year, "en", decade) == []


def test_constants() -> None:
    import math

    values = dict(CONSTANTS)
    assert float(values["π"]) == pytest.approx(math.pi, abs=1e-13)
    assert float(values["e"]) == pytest.approx(math.e, abs=1e-13)
    assert float(values["the golden ratio"]) == pytest.approx((1 + math.sqrt(5)) / 2, abs=1e-13)
    assert float(values["the natural logarithm of 2"]) == pytest.approx(math.log(2), abs=1e-13)
