"""The comparison of two adapters: paired differences by source and by kind of text."""

from __future__ import annotations

import numpy as np
import pytest

from answersim.training.data.pairs import TrainingPair
from tools.weights.cross_encoder.compare import LEAST, changes, table


def pairs(n: int, *kinds: str, question: str = "q{}") -> list[TrainingPair]:
    """Two pairs for each question, one right and one wrong."""
    return [
        TrainingPair("a", "b", float(i % 2), "dev", kinds[i % len(kinds)], question.format(i // 2)) for i in range(n)
    ]


def test_a_better_adapter_has_a_positive_difference_and_a_small_p() -> None:
    made = pairs(200, "s")
    labels = np.array([pair.label for pair in made])
    rng = np.random.default_rng(0)
    scores = np.stack([rng.random(200), labels + rng.random(200)])
    (row,) = changes(made, scores, "s")
    assert (row.name, row.pairs, row.after) == ("s", 200, 1.0)
    assert row.difference.value == pytest.approx(row.after - row.before)
    assert row.difference.low > 0.3
    assert row.difference.p < 0.01
    same = next(changes(made, np.stack([scores[0], scores[0]]), "s"))
    assert (same.difference.value, same.difference.p) == (0.0, 1.0)


def test_kinds_with_enough_pairs_have_a_row() -> None:
    made = [*pairs(4 * LEAST, "s:a", "s:a", "s:b", "s:b"), *pairs(4, "s:few")]
    scores = np.random.default_rng(0).random((2, len(made)))
    names = [row.name for row in changes(made, scores, "s")]
    assert names == ["s", "s:a", "s:b"]
    assert [row[0] for row in table(list(changes(made, scores, "s"))).rows] == names
    unasked = pairs(4 * LEAST, "s:a", "s:a", "s:b", "s:b", question="")
    assert [row.name for row in changes(unasked, scores[:, : len(unasked)], "s")] == ["s"]
