"""Rates of attempts: by hand, against SimpleQA's table, and the paired differences of two systems."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from answersim.metrics.official.judged import simpleqa_table
from answersim.stats.attempts import attempt_differences, attempt_rates
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.paired import paired
from answersim.stats.resampling import bootstrap_counts
from tests.cases import every

SYSTEMS = [(0.5, 0.3, 0), (0.9, 0.05, 1), (0.2, 0.8, 2), (0.0, 0.5, 3)]  # shares right and wrong, seed


def drawn(right: float, wrong: float, seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each answer is right, and whether it was attempted."""
    place = np.random.default_rng(seed).random(n)
    return place < right, place < right + wrong


@every("system", SYSTEMS)
def test_the_rates_are_those_of_the_table_of_simpleqa(system: tuple[float, float, int]) -> None:
    right, tried = drawn(*system)
    grades = [
        {"is_correct": bool(r), "is_incorrect": bool(t and not r), "is_not_attempted": bool(not t)}
        for r, t in zip(right, tried, strict=True)
    ]
    table = simpleqa_table([{}] * len(grades), grades)
    rates = attempt_rates(right, tried, ClusteredMeans(range(400), 0.95), np.ones(400, dtype=bool))
    values = [rate.value for rate in rates]
    assert values == pytest.approx([table["is_given_attempted"], table["accuracy_given_attempted"], table["f1"]])
    assert all(rate.low <= rate.value <= rate.high for rate in rates)


def test_without_an_attempt_there_is_no_accuracy() -> None:
    none = np.zeros(20, dtype=bool)
    rates = attempt_rates(none, none, ClusteredMeans(range(20), 0.95), ~none)
    assert (rates.attempted.value, rates.f1.value) == (0, 0)
    assert np.isnan(rates.accuracy.value)
    differences = attempt_differences((none, none), (~none, ~none))
    assert differences[0].value == differences[2].value == 1
    assert np.isnan(differences[1].p)


def test_differences_are_second_minus_first_and_agree_with_their_p() -> None:
    for first, second in pairwise(SYSTEMS):
        one, two = drawn(*first), drawn(*second)
        means = ClusteredMeans(range(400), 0.95)
        before, after = (attempt_rates(*system, means, np.ones(400, dtype=bool)) for system in (one, two))
        for difference, low, high in zip(attempt_differences(one, two), before, after, strict=True):
            assert difference.value == pytest.approx(high.value - low.value)
            assert (difference.p < 0.05) == (difference.low > 0 or difference.high < 0)


def test_the_interval_of_an_accuracy_is_as_wide_as_that_of_resamples() -> None:
    (one, tried), (two, tried_then) = drawn(0.3, 0.1, 0), drawn(0.2, 0.2, 1)
    counts = bootstrap_counts(400, 2000, np.random.default_rng(0)).astype(float)
    gaps = counts @ two / (counts @ tried_then) - counts @ one / (counts @ tried)
    found = attempt_differences((one, tried), (two, tried_then))[1]
    assert found.high - found.low == pytest.approx(2 * 1.96 * gaps.std(), rel=0.1)


def test_if_all_answers_are_attempted_accuracy_and_f1_differ_as_the_shares_right() -> None:
    (one, _), (two, _) = drawn(*SYSTEMS[0]), drawn(*SYSTEMS[1])
    tried = np.ones(400, dtype=bool)
    attempted, *others = attempt_differences((one, tried), (two, tried), groups=np.arange(400) // 2)
    assert (attempted.value, attempted.p) == (0, 1)
    expected = paired(two.astype(float) - one, groups=np.arange(400) // 2)[:4]
    assert others == [pytest.approx(expected), pytest.approx(expected)]


def test_equal_systems_do_not_differ_and_the_interval_has_a_width() -> None:
    system = drawn(0.5, 0.3, 0, 100)
    for difference in attempt_differences(system, system):
        assert (difference.value, difference.p) == (0, 1)
        assert difference.low < 0 < difference.high


@pytest.mark.slow
def test_intervals_cover_the_true_difference() -> None:
    """Two systems that answer the same questions: 62 of 80 % of the attempts right, 55 of 90 %."""
    rng, n, times = np.random.default_rng(50), 50, 120
    covered = np.zeros(3)
    truth = (0.1, 0.55 / 0.9 - 0.62 / 0.8, 1.1 / 1.9 - 1.24 / 1.8)
    for _ in range(times):
        hard = rng.random(n)  # what both systems share
        systems = []
        for right, tried in ((0.62, 0.8), (0.55, 0.9)):
            mixed = np.where(rng.random(n) < 0.5, hard, rng.random(n))
            systems.append((mixed < right, mixed < tried))
        found = attempt_differences(*systems)
        covered += [rate.low <= true <= rate.high for rate, true in zip(found, truth, strict=True)]
    assert (covered / times >= 0.93).all(), covered / times
