"""Decades, centuries and eras."""

import re
from random import Random

from tools.weights.minimal_pairs import periods


def test_years_of_japanese_eras() -> None:
    """Taisho 1 is 1912, Showa 1 is 1926, Heisei 1 is 1989, Reiwa 1 is 2019."""
    starts = {"明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019}
    rng, compared = Random(0), 0
    for _ in range(300):
        drawn = periods.japanese_era(rng, "ja")
        for gold, same in [(drawn.gold, drawn.same)] if drawn else []:
            era = re.fullmatch(r"(明治|大正|昭和|平成|令和)(\d+)年", gold)
            year = re.search(r"\d{4}", same)
            if era and year:
                assert int(year[0]) == starts[era[1]] + int(era[2]) - 1, drawn
                compared += 1
    assert compared > 20


def test_a_century_begins_one_hundred_years_before_its_number() -> None:
    rng = Random(0)
    found = [periods.century(rng, "de") for _ in range(100)]
    texts = [text for drawn in found if drawn for text in drawn[1:3] if text.startswith("von ")]
    assert texts
    for text in texts:
        first, last = map(int, re.findall(r"\d+", text))
        assert (first % 100, last % 100, last - first) == (1, 0, 99)


def test_every_period_can_be_drawn() -> None:
    for draw in (periods.year, periods.decade, periods.century, periods.era, periods.quarter):
        assert any(draw(Random(seed), "en") for seed in range(20))
    assert any(periods.century_east(Random(seed), "zh") for seed in range(5))
