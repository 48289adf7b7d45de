"""Simulations of the promised risk: what is drawn, and what is counted."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import cascade_risk
from benchmarks.cascade_risk import RISK, TRAP, outcomes, sample, simulated


def test_answers_to_one_question_are_correlated_as_requested() -> None:
    rng = np.random.default_rng(0)
    for alike in (0.0, 0.8):
        drawn = sample(4000, 2, alike, 0.0, rng)
        errors = (drawn.last >= 0.5) != drawn.labels
        assert errors.mean() == pytest.approx(0.045, abs=0.01)
        first, second = np.log(drawn.cheap / (1 - drawn.cheap)).reshape(-1, 2).T
        assert np.corrcoef(first, second)[0, 1] == pytest.approx(alike, abs=0.05)
        assert drawn.groups.tolist()[:4] == [0, 0, 1, 1]


def test_all_answers_to_a_trap_question_are_wrong() -> None:
    drawn = sample(1000, 5, 0.5, 0.1, np.random.default_rng(0))
    trap = drawn.cheap == TRAP
    assert 0.07 < trap.mean() < 0.13
    assert not drawn.labels[trap].any()
    assert set(trap.reshape(-1, 5).sum(axis=1)) == {0, 5}


def test_added_errors_and_early_answers_grow_with_the_cuts() -> None:
    added, early = (rows.mean(axis=1) for rows in outcomes(sample(20_000, 1, 0.0, 0.022, np.random.default_rng(0))))
    assert added[0] == early[0] == 0.0
    assert early.tolist() == sorted(early)
    at = [low for low, _ in cascade_risk.CUTS].index(0.01)
    assert added[at - 1] < 0.005 < RISK < added[at] < 0.03  # the traps


def test_a_simulation_counts_broken_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascade_risk, "POPULATION", 20_000)
    monkeypatch.setattr(cascade_risk, "LABELS", (100, 1000))
    monkeypatch.setattr(cascade_risk, "SETTINGS", ((1, 0.0, 0.0), (5, 0.8, 0.022)))
    few, few_alike, some, some_alike = simulated(20)
    assert few.saved == few.saved_exact == few_alike.saved == few.broken == 0.0  # too few labels
    assert some.broken == some.exact == some.ignoring
    assert 0 < some.saved <= some.possible + 0.1
    assert (some_alike.labels, some_alike.size, some_alike.traps) == (1000, 5, 0.022)
    assert some_alike.ignoring >= some_alike.broken >= some_alike.exact
    assert some_alike.saved_exact <= some_alike.saved
