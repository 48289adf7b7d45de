"""Which minimal pairs become examples."""

from __future__ import annotations

import numpy as np

from answersim.data.minimal_pairs import MinimalPair
from tools.site.examples import examples


def family(kind: str, number: int) -> MinimalPair:
    return MinimalPair("en", kind, f"en-{kind}-{number:03}", "dev", "", "gold", "same", "different")


def test_the_worst_family_of_the_weakest_kinds_comes_first() -> None:
    families = [family("date", 1), family("date", 2), family("money", 1), family("time", 1), family("unit", 1)]
    scores = np.array([[0.9, 0.1], [0.2, 0.7], [0.1, 0.9], [0.8, 0.3], [0.5, 0.5]])
    assert examples(families, scores) == [
        {"kind": "money", "family": "en-money-001", "same": 0.1, "different": 0.9},
        {"kind": "date", "family": "en-date-002", "same": 0.2, "different": 0.7},  # a half, as unit, and first by name
        {"kind": "unit", "family": "en-unit-001", "same": 0.5, "different": 0.5},
    ]
    assert [row["kind"] for row in examples(families, scores, shown=1)] == ["money"]
