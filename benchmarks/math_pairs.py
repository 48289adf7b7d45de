"""Pairs of mathematical answers with a known relation: spellings of one value are equal, changed values are not.

Two draws from 16 families (seeds 39 and 7, 24 pairs each, half of them equal), and pairs written by hand. The draws
are kept as data; ``git show f618c67c:benchmarks/math_pairs.py`` has the program that made them.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

SEED, EACH = 39, 24  # of the draw, and pairs of each family
FILE = Path(__file__).with_suffix(".csv")


class MathPair(NamedTuple):
    """Two answers, whether they mean the same, and the family of the pair."""

    gold: str
    pred: str
    equal: bool
    family: str


def constructed(seed: int = SEED, each: int = EACH) -> list[MathPair]:
    """Return this many pairs of each family, half of them equal."""
    return [pair for i, pair in enumerate(_drawn(f"seed {seed}")) if i % EACH < each]


def by_hand() -> list[MathPair]:
    """Return the pairs that were written by hand."""
    return _drawn("by hand")


def _drawn(how: str) -> list[MathPair]:
    with FILE.open(newline="", encoding="utf-8") as lines:
        return [
            MathPair(row["gold"], row["pred"], row["equal"] == "1", row["family"])
            for row in csv.DictReader(lines)
            if row["drawn"] == how
        ]
