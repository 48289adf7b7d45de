"""Forgetting: the accuracy of a network on the examples of every epoch so far, by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankers.inputs.scoring import Encoded
from rankers.training.forgetting import Forgetting, Remembered, accuracy
from rankers.training.objective import Epoch
from rankers.training.sampling import Indices, TrainingSet
from tests.cases import every
from tests.rankers.training.small_runs import Liking

# Two questions with one positive each (rows 0 and 1), and a negative each (rows 2 and 3).
DATA = TrainingSet(
    ["q", "p"],
    ["a", "b", "c", "d"],
    np.array([[0, 0], [1, 1]]),
    [np.array([2]), np.array([3])],
    [np.array([0]), np.array([1])],
)
TEXTS = Encoded([[1], [1]], [[1], [2], [3], [4]])


def test_a_network_that_turns_to_new_examples_loses_the_old_ones(tmp_path: Path) -> None:
    drawn: list[Indices] = []
    hook = Forgetting(tmp_path / "f.safetensors", DATA, TEXTS, lambda: drawn[-1], 2, 0)
    hook(Epoch(0, float("nan"), 0.5, 0.0), Liking(0, 1, 1, 0, 0))  # the ordinary negatives are rows 2 and 3
    drawn.append(np.array([[3], [2]]))
    hook(Epoch(1, 0.1, 0.5, 0.0), Liking(0, 1, 1, 0, 2))
    drawn.append(np.array([[1], [0]]))  # each positive beside the other one
    hook(Epoch(2, 0.1, 0.5, 0.0), Liking(0, 1, 1, 0, 0))
    assert hook.statistics == [
        Remembered(0, 0, 1.0),
        Remembered(1, 0, 0.5),
        Remembered(1, 1, 0.5),
        Remembered(2, 0, 1.0),
        Remembered(2, 1, 1.0),
        Remembered(2, 2, 0.5),
    ]
    again = Forgetting(tmp_path / "f.safetensors", DATA, TEXTS, lambda: drawn[-1], 2, 0)
    again(Epoch(2, 0.1, 0.5, 0.0), Liking(0, 0, 0, 1, 1))  # the last epoch is read anew
    assert again.statistics == [
        *hook.statistics[:3],
        Remembered(2, 0, 0.0),
        Remembered(2, 1, 0.0),
        Remembered(2, 2, 0.5),
    ]


def test_the_limit_chooses_positives_by_the_seed() -> None:
    chosen = {tuple(Forgetting(Path("none"), DATA, TEXTS, lambda: DATA.pairs, 1, seed).pairs[0]) for seed in range(8)}
    assert chosen == {(0, 0), (1, 1)}


@every(("positives", "negatives", "expected"), [([1, 1], [0, 2], 0.5), ([1, 1], [1, 1], 0.5), ([2, 2], [1, 1], 1.0)])
def test_accuracy_by_hand(positives: list[float], negatives: list[float], expected: float) -> None:
    assert accuracy(np.array(positives, dtype=float), np.array(negatives, dtype=float)) == expected
