"""Ranges: what a limit includes, and both ends."""

import re
from random import Random

import pytest

from tools.weights.minimal_pairs.ranges import CLOSED, OPEN, _tolerance, _years, family


@pytest.mark.parametrize("language", ["en", "de", "zh", "ja"])
def test_the_ways_to_state_a_limit_belong_to_one_relation_only(language: str) -> None:
    forms = [form for ways in OPEN[language].values() for form in ways]
    assert len(forms) == len(set(forms))
    assert all("{a}" in form or "{aw}" in form for form in forms)
    assert all("{a" in form and "{b" in form and "{n}" in form for form in CLOSED[language])


@pytest.mark.parametrize("language", ["en", "de", "zh", "ja"])
def test_many_draws_give_families(language: str) -> None:
    rng = Random(language)
    drawn = [found for found in (family(rng, language) for _ in range(300)) if found]
    assert len(drawn) > 150
    assert all("{" not in "".join(found) for found in drawn)


def test_a_tolerance_has_the_ends_of_its_range() -> None:
    rng = Random(3)
    for _ in range(200):
        drawn = _tolerance(rng, "en")
        if drawn is None:
            continue
        gold, same, different = (ends(text) for text in drawn[1:])
        assert gold == same, drawn
        assert gold != different, drawn


def ends(text: str) -> tuple[int, int]:
    first, second = map(int, re.findall(r"\d+", text))
    return (first - second, first + second) if "±" in text or "plus" in text else (first, second)


def test_years_with_two_digits_are_of_the_same_century() -> None:
    rng = Random(4)
    for _ in range(300):
        drawn = _years(rng, "en")
        for text in drawn[1:] if drawn else ():
            numbers = re.findall(r"\d+", text)
            if len(numbers[1]) == 2:
                assert int(numbers[0]) % 100 < int(numbers[1]), drawn
