"""Percentages and fractions have the same value."""

import re
from fractions import Fraction

import pytest

from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs.shares import FRACTIONS, _forms, _small


def test_forms_of_a_share() -> None:
    assert _forms(Fraction(1, 4), "en") == [
        *("25%", "25 percent", "25 per cent", "twenty-five percent", "0.25", "25 in every hundred")
    ]
    assert _forms(Fraction(1, 4), "zh") == ["25%", "百分之二十五", "２５％", "0.25"]


@pytest.mark.parametrize(
    ("share", "language", "form"),
    [
        (Fraction(3, 4), "en", "three in four"),
        (Fraction(2, 5), "en", "two fifths"),
        (Fraction(3, 5), "de", "drei von fünf"),
        (Fraction(1, 5), "zh", "两成"),
        (Fraction(3, 10), "ja", "3割"),
        (Fraction(3, 4), "ja", "7割5分"),
    ],
)
def test_a_fraction_has_this_form(share: Fraction, language: str, form: str) -> None:
    assert form in FRACTIONS[language][share]


def test_digits_of_fractions_have_their_value() -> None:
    for fractions in FRACTIONS.values():
        for share, forms in fractions.items():
            for form in forms:
                if match := re.fullmatch(r"(\d+)/(\d+)", form):
                    assert Fraction(int(match[1]), int(match[2])) == share
                if match := re.fullmatch(r"(\d+)分の(\d+)", form):
                    assert Fraction(int(match[2]), int(match[1])) == share
                if match := re.fullmatch(r"(\d)割(?:(\d)分)?", form):
                    assert Fraction(int(match[1]), 10) + Fraction(int(match[2] or 0), 100) == share


def test_per_mille_and_basis_points() -> None:
    per_percent = {"%": 1, "percent": 1, "‰": 10, "thousand": 10, "points": 100}

    def share(text: str) -> Fraction:
        return Fraction(re.findall(r"[\d.]+", text)[0]) / per_percent[re.findall(r"%|‰|\w+$", text)[-1]]

    for family in families(_small, "en", 100):
        gold, same, different = map(share, family[1:])
        assert gold == same != different, family
