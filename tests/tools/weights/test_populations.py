"""Expected right on other systems and sets: the held-out system and the sets, on made answers."""

from __future__ import annotations

import numpy as np
import pytest

import answersim
from answersim.types import Scores
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


def test_every_system_with_enough_answers_is_compared_with_its_labels() -> None:
    own, other = answers("own", ["a", "b", "c"], 400, 0), answers("other", ["d", "e"], 300, 1, gain=0.15)
    few = answers("few", ["f"], 20, 2)
    calibration = answersim.calibrate(
        own[1], own[0].right, groups=own[0].groups, bootstrap=answersim.Bootstrap(resamples=2)
    )
    found = {one.name: one for one in populations(calibration, [own, other, few])}
    assert list(found) == ["a", "b", "c", "d", "e"]
    assert all(abs(found[name].gap) < 0.07 for name in "abc")
    assert all(-0.24 < found[name].gap < -0.06 for name in "de")
    at = np.array(other[0].systems) == "d"
    assert found["d"].share == other[0].right[at].mean()
    assert found["d"].expected.value == pytest.approx(calibration.probability(other[1])[at].mean())
    assert found["d"].error == pytest.approx(0.026, abs=0.006)


def test_a_system_is_predicted_by_a_calibration_from_the_others() -> None:
    own, scores = answers("own", ["a", "b"], 400, 0)
    lucky = np.array(own.systems) == "b"
    right = np.where(lucky, True, own.right)
    own = own._replace(right=right)
    calibration = answersim.calibrate(scores, right, groups=own.groups, bootstrap=answersim.Bootstrap(resamples=2))
    found = {one.name: one for one in populations(calibration, [(own, scores)])}
    assert found["b"].gap < -0.45  # those of a are right by their score; the calibration from both has half of that
    assert abs(calibration.probability(scores)[lucky].mean() - 1) < 0.4


def test_the_interval_of_a_set_uses_the_other_sets_only() -> None:
    own, other = answers("own", ["a", "b"], 2000, 0), answers("other", ["d", "e"], 300, 1, gain=0.2)
    calibration = answersim.calibrate(
        own[1], own[0].right, groups=own[0].groups, bootstrap=answersim.Bootstrap(resamples=2)
    )
    found = populations(calibration, [own, other])
    assert without_set(found, "other").error < 0.03 < 0.12 < without_set(found, "own").error
    assert without_set(found, "own").populations == 2
    assert set(differences(found)) == {"own: a", "own: b", "other: d", "other: e"}
