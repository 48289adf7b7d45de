"""Expected right on other systems and sets: the held-out system and the sets, on made answers."""

from __future__ import annotations

import numpy as np
import pytest

import answersim
from answersim.calibration.model import Calibration
from answersim.calibration.scores import Scores
from tools.weights.calibrations import Set
from tools.weights.populations import differences, populations, without_set


def answers(name: str, systems: list[str], n: int, seed: int, gain: float = 0.0) -> tuple[Set, Scores]:
    """Scores whose share of right answers is the score plus the gain, n answers per system."""
    rng = np.random.default_rng(seed)
    scores = rng.random(n * len(systems)) * 0.8
    right = rng.random(len(scores)) < scores + gain
    questions = [f"q{i // len(systems)}" for i in range(len(scores))]
    of = Set(name, [("", "")] * len(scores), right, questions, questions, systems * n)
    return of, Scores(scores, "made|v:1")


def made_from(judged: Set, scores: Scores) -> Calibration:
    return answersim.calibrate(scores, judged.right, groups=judged.groups, bootstrap=answersim.Bootstrap(resamples=2))


def test_every_system_with_enough_answers_is_compared_with_its_labels() -> None:
    own, other = answers("own", ["a", "b", "c"], 400, 0), answers("other", ["d", "e"], 300, 1, gain=0.15)
    calibration = made_from(*own)
    found = {one.name: one for one in populations(*other, calibration)}
    assert list(found) == ["d", "e"]
    assert all(-0.24 < found[name].gap < -0.06 for name in "de")
    at = np.array(other[0].systems) == "d"
    assert found["d"].share == other[0].right[at].mean()
    assert found["d"].expected.value == pytest.approx(calibration.probability(other[1])[at].mean())
    assert found["d"].error == pytest.approx(0.026, abs=0.006)
    assert list(populations(*answers("few", ["f"], 20, 2), calibration)) == []


def test_the_interval_of_a_set_uses_the_other_sets_only() -> None:
    own, other = answers("own", ["a", "b"], 2000, 0), answers("other", ["d", "e"], 300, 1, gain=0.2)
    calibration = made_from(*own)
    found = [one for judged in (own, other) for one in populations(*judged, calibration)]
    assert without_set(found, "other").error < 0.03 < 0.12 < without_set(found, "own").error
    assert without_set(found, "own").populations == 2
    assert set(differences(found)) == {"own: a", "own: b", "other: d", "other: e"}
