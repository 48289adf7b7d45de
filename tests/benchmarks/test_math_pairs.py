"""The pairs of mathematical answers are made from a seed, and half of them are equal."""

from __future__ import annotations

import random

from benchmarks.math_pairs import FAMILIES, decimal, fractions, polynomial
from tests.cases import every


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
