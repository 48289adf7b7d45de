"""Simulations of the promised risk: what is drawn, and what is counted."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import cascade_risk
from benchmarks.cascade_risk import RISK, sample, simulated, true_rates


def test_answers_to_one_question_are_alike_if_they_should_be() -> None:
    rng = np.random.default_rng(0)
    for alike in (0.0, 0.8):
        drawn = sample(4000, 2, alike, rng)
        errors = (drawn.last >= 0.5) != drawn.labels
        assert errors.mean() == pytest.approx(0.045, abs=0.01)
        first, second = np.log(drawn.cheap / (1 - drawn.cheap)).reshape(-1, 2).T
        assert np.corrcoef(first, second)[0, 1] == pytest.approx(alike, abs=0.05)
        assert drawn.groups.tolist()[:4] == [0, 0, 1, 1]


def test_true_rates_rise_with_the_cuts() -> None:
    rates = list(true_rates(1, 0.0, np.random.default_rng(0)).values())
    assert rates[0] == (0.0, 0.0)
    assert [saved for _, saved in rates] == sorted(saved for _, saved in rates)
    assert rates[-1][0] > RISK


def test_a_simulation_counts_refusals_and_broken_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascade_risk, "POPULATION", 20_000)
    monkeypatch.setattr(cascade_risk, "LABELS", (100, 600))
    monkeypatch.setattr(cascade_risk, "SETTINGS", ((1, 0.0), (5, 0.8)))
    few, few_alike, some, some_alike = simulated(10)
    assert few.refused == few_alike.refused == 1.0
    assert np.isnan(few.broken)
    assert some.refused == 0.0
    assert some.broken == some.ignoring
    assert 0 < some.saved <= some.possible + 0.1
    assert (some_alike.labels, some_alike.size, some_alike.alike) == (600, 5, 0.8)
    assert some_alike.ignoring >= some_alike.broken
