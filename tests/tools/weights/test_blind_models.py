"""Blind models: they find what one side reveals, and nothing where sides reveal nothing."""

from __future__ import annotations

import numpy as np
import pytest

from answersim.training.data.pairs import TrainingPair
from tools.weights.blind_models import area_under_curve

WORDS = ("oslo", "rome", "bern", "lima", "cairo")


def pairs(n: int, seed: int) -> list[TrainingPair]:
    """Right answers repeat the gold answer, and wrong ones contain the word "perhaps"."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(n):
        gold, other = (WORDS[j] for j in rng.choice(len(WORDS), 2, replace=False))
        made.append(TrainingPair(gold, gold if i % 2 else f"perhaps {other}", float(i % 2), "train", "s", "which city"))
    return made


@pytest.mark.parametrize(
    ("sides", "low", "high"), [(("first",), 0.35, 0.65), (("second",), 0.99, 1.0), (("first", "second"), 0.99, 1.0)]
)
def test_what_a_side_reveals(sides: tuple[str, ...], low: float, high: float) -> None:
    pytest.importorskip("sklearn")
    assert low <= area_under_curve(pairs(200, 0), pairs(200, 1), sides) <= high
