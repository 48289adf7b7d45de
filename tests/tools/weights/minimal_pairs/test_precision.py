"""Rewrites are roundings of the gold answer, and close misses are not."""

import re
from fractions import Fraction
from random import Random

import pytest

from tools.weights.minimal_pairs.precision import CONSTANTS, _bound, _count, _decimals, _vague_year, family


def number(text: str) -> Fraction:
    return Fraction(re.findall(r"\d[\d,]*(?:\.\d+)?", text)[0].replace(",", ""))


def test_counts_are_rounded_and_misses_are_far() -> None:
    rng = Random(0)
    found = [drawn for drawn in (_count(rng, "en") for _ in range(300)) if drawn]
    assert len(found) > 200
    for drawn in found:
        gold, same, different = map(number, drawn[1:])
        assert abs(same - gold) <= gold / 20
        assert abs(different - gold) > abs(same - gold)
        assert abs(different - gold) > gold / 25, drawn


def test_bounds_are_tight() -> None:
    rng = Random(0)
    for _ in range(200):
        drawn = _bound(rng, "en")
        if drawn:
            gold, same = number(drawn.gold), number(drawn.same)
            assert (same < gold) is ("over" in drawn.same)
            assert abs(same - gold) < same / 20, drawn


def test_decimals_are_rounded_half_away_from_zero() -> None:
    rng = Random(0)
    for _ in range(200):
        drawn = _decimals(rng, "en")
        if drawn:
            gold, same, different = map(number, drawn[1:])
            places = len(drawn.same.partition(".")[2])
            assert abs(gold - same) <= Fraction(1, 2 * 10**places), drawn
            assert abs(gold - different) > Fraction(1, 2 * 10**places), drawn


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


@pytest.mark.parametrize("language", ["en", "de", "zh", "ja"])
def test_every_language_draws_without_an_error(language: str) -> None:
    rng = Random(language)
    assert sum(family(rng, language) is not None for _ in range(600)) > 200
