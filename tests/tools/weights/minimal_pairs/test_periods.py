"""Decades, centuries and eras."""

import re

from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs import periods


def test_years_of_japanese_eras() -> None:
    """Taisho 1 is 1912, Showa 1 is 1926, Heisei 1 is 1989, Reiwa 1 is 2019."""
    starts = {"明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019}
    compared = 0
    for family in families(periods.japanese_era, "ja"):
        era = re.fullmatch(r"(明治|大正|昭和|平成|令和)(\d+)年", family.gold)
        year = re.search(r"\d{4}", family.same)
        if era and year:
            assert int(year[0]) == starts[era[1]] + int(era[2]) - 1, family
            compared += 1
    assert compared > 20


def test_a_century_begins_one_hundred_years_before_its_number() -> None:
    texts = [text for family in families(periods.century, "de") for text in family[1:3] if text.startswith("von ")]
    assert texts
    for text in texts:
        first, last = map(int, re.findall(r"\d+", text))
        assert (first % 100, last % 100, last - first) == (1, 0, 99)
