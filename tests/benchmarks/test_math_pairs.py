"""The pairs of mathematical answers are made from a seed, and half of them are equal."""

from __future__ import annotations

import random

from benchmarks.math_pairs import FAMILIES, by_hand, constructed, decimal, fractions, polynomial
from tests.cases import every


def test_a_seed_gives_the_same_pairs() -> None:
    assert constructed(3, 4) == constructed(3, 4)
    assert constructed(3, 4) != constructed(4, 4)


def test_there_are_at_least_300_pairs_and_half_are_equal() -> None:
    pairs = constructed()
    assert len(pairs) >= 300
    assert sum(pair.equal for pair in pairs) * 2 == len(pairs)
    assert {pair.family for pair in pairs} == {family.__name__ for family in FAMILIES}
    assert not any(pair.gold == pair.pred for pair in pairs)


def test_the_pairs_by_hand_are_of_both_kinds() -> None:
    pairs = by_hand()
    assert len(pairs) >= 60
    assert 0.4 < sum(pair.equal for pair in pairs) / len(pairs) < 0.6


@every("family", FAMILIES)
def test_no_spelling_belongs_to_another_value(family) -> None:  # type: ignore[no-untyped-def]
    for seed in range(30):
        same, other = family(random.Random(seed))
        assert set(same).isdisjoint(other)
        assert len(set(same)) > 1


def test_spellings() -> None:
    from fractions import Fraction

    assert decimal(Fraction(3, 8)) == "0.375"
    assert decimal(Fraction(1, 3)) is None
    assert polynomial([-6, 1, 1], "x", [2, 1, 0]) == "x^2 + x - 6"
    assert polynomial([-6, 0, 2], "x", [0, 1, 2]) == "-6 + 2x^2"
    assert any(r"\frac" in text for text in fractions(random.Random(1))[0])
