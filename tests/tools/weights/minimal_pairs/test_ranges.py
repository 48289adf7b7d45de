"""Ranges: what a limit includes, and both ends."""

import re

import pytest

from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs.ranges import CLOSED, OPEN, _tolerance, _years


@pytest.mark.parametrize("language", ["en", "de", "zh", "ja"])
def test_the_ways_to_state_a_limit_belong_to_one_relation_only(language: str) -> None:
    forms = [form for ways in OPEN[language].values() for form in ways]
    assert len(forms) == len(set(forms))
    assert all("{a}" in form or "{aw}" in form for form in forms)
    assert all("{a" in form and "{b" in form and "{n}" in form for form in CLOSED[language])


def test_a_tolerance_has_the_ends_of_its_range() -> None:
    for family in families(_tolerance, "en"):
        gold, same, different = map(ends, family[1:])
        assert gold == same != different, family


def ends(text: str) -> tuple[int, int]:
    first, second = map(int, re.findall(r"\d+", text))
    return (first - second, first + second) if "±" in text or "plus" in text else (first, second)


def test_years_with_two_digits_are_of_the_same_century() -> None:
    for family in families(_years, "en"):
        for text in family[1:]:
            first, second = re.findall(r"\d+", text)[:2]
            assert len(second) != 2 or int(first) % 100 < int(second), family
