"""Differences of two columns: p and interval agree, and are those of known tests and of all exchanges."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from answersim.metrics.official.judged import simpleqa_table
from answersim.stats.attempts import attempt_differences, attempt_rates
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.kendall import kendall, tau_c
from answersim.stats.paired import paired
from answersim.stats.permutation import exchange_p
from answersim.stats.randomization import randomization
from answersim.stats.resampling import bootstrap_counts
from answersim.stats.weighted import pearson, spearman
from tests.cases import every

DIFFERENCES = st.lists(st.sampled_from([0.0, 1.0, -1.0, 0.03, 1e-9]) | st.floats(-1, 1), min_size=1, max_size=60)


@every(("better", "worse", "n"), [(15, 5, 100), (6, 0, 100), (3, 0, 500), (30, 10, 41), (0, 12, 30)])
def test_p_of_verdicts_is_that_of_mcnemar(better, worse, n):
    gaps = np.repeat([1.0, -1.0, 0.0], [better, worse, n - better - worse])
    assert paired(gaps).p == pytest.approx(stats.binomtest(better, better + worse).pvalue, rel=0.02)


@given(DIFFERENCES, st.integers(1, 4), st.sampled_from([0.8, 0.95, 0.99]), st.booleans())
def test_p_and_interval_never_contradict_each_other(gaps, size, level, clustered):
    clusters = np.arange(len(gaps)) // size if clustered else None
    difference = paired(gaps, groups=clusters, level=level)
    assert (difference.p < 1 - level) == (difference.low > 0 or difference.high < 0)
    assert -1 <= difference.low <= difference.value + 1e-9
    assert difference.value - 1e-9 <= difference.high <= 1
    assert 0 < difference.least <= 1
    mirrored = paired([-gap for gap in gaps], groups=clusters, level=level)
    assert (mirrored.p, -mirrored.high, -mirrored.low) == pytest.approx(
        (difference.p, difference.low, difference.high), abs=1e-6
    )


@every("noise", [0.03, 0.1])
def test_small_differences_of_all_questions_have_a_narrow_interval(noise):
    gaps = np.random.default_rng(0).normal(0.6 * noise, noise, 100)
    expected = stats.ttest_1samp(gaps, 0).confidence_interval()
    difference = paired(gaps)
    assert difference.low > 0
    assert difference.high - difference.low < 1.3 * (expected.high - expected.low)


def test_a_cluster_of_copies_counts_once():
    gaps = np.random.default_rng(1).integers(-1, 2, 300).astype(float)
    assert paired(np.repeat(gaps, 4), groups=np.repeat(np.arange(300), 4)) == pytest.approx(paired(gaps))


def test_the_interval_covers_as_often_as_it_promises():
    """``benchmarks.interval_coverage`` measures other populations."""
    drawn = np.random.default_rng(2).choice([0.0, -1.0], p=[0.98, 0.02], size=(300, 30))
    assert np.mean([entry.low <= -0.02 <= entry.high for entry in map(paired, drawn)]) > 0.94


def test_the_least_difference_is_found_with_its_power():
    rng = np.random.default_rng(4)
    least = float(np.mean([paired(gaps).least for gaps in rng.normal(0, 0.1, (20, 40))]))
    assert 0.75 < np.mean([paired(gaps).p < 0.05 for gaps in rng.normal(least, 0.1, (150, 40))]) < 0.96


def test_two_rows_have_an_interval_within_the_bounds():
    difference = paired([0.3, 0.4])
    assert -1 < difference.low < 0 < difference.high < 1
    assert paired([3.0, 4.0], bounds=(-10, 10)) == pytest.approx(
        [*(10 * np.array(difference[:3])), difference.p, 10 * difference.least]
    )


REFERENCES = {
    "pearson": (pearson, "standard", lambda x, y: stats.pearsonr(x, y).statistic),
    "spearman": (spearman, "ranks", lambda x, y: stats.spearmanr(x, y).statistic),
    "tau-b": (kendall, "ranks", lambda x, y: stats.kendalltau(x, y).statistic),
    "tau-c": (tau_c, "ranks", lambda x, y: stats.kendalltau(x, y, variant="c").statistic),
}


def comparable(column, scale):
    return stats.rankdata(column) if scale == "ranks" else stats.zscore(column)


def exhaustive(first, second, y, scale, reference):
    """The share of all 2 ** n exchanges that lie at least as far from 0 as what was observed."""
    one, other = comparable(first, scale), comparable(second, scale)
    observed = abs(reference(one, y) - reference(other, y))
    gaps = []
    for coins in product([False, True], repeat=len(y)):
        left, right = np.where(coins, one, other), np.where(coins, other, one)
        gaps.append(abs(reference(left, y) - reference(right, y)))
    return np.mean(np.array(gaps) >= observed - 1e-12)


@every("name", REFERENCES)
def test_it_comes_near_to_the_share_of_all_exchanges(name):
    coefficient, scale, reference = REFERENCES[name]
    rng = np.random.default_rng(2)
    y = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2], dtype=float)
    first, second = y + rng.normal(size=9).round(1), 10 * rng.normal(size=9).round(1)
    expected = exhaustive(first, second, y, scale, reference)
    result = exchange_p(coefficient, first, second, y, rng=np.random.default_rng(3), permutations=4000, scale=scale)
    assert 0.02 < expected < 0.9
    assert result == pytest.approx(expected, abs=0.03)


def test_a_metric_does_not_differ_from_itself_on_another_scale():
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=30), np.arange(30) % 3
    assert exchange_p(kendall, x, np.exp(x), y, rng=rng, permutations=50) == 1.0
    assert exchange_p(pearson, x, 3 * x + 1, y, rng=rng, permutations=50, scale="standard") == 1.0


def test_a_constant_column_has_no_p():
    y = np.arange(10.0)
    assert np.isnan(exchange_p(kendall, y, np.ones(10), y, rng=np.random.default_rng(0)))


def test_close_columns_are_exchanged_without_rounding_their_differences():
    rng = np.random.default_rng(8)
    y = np.arange(30) % 3
    first, second = y + rng.integers(-2, 2, size=30), rng.integers(-2, 2, size=30)
    plain, close = (
        exchange_p(
            *(pearson, 0.0 + step * first, place + step * second, y),
            rng=np.random.default_rng(0),
            permutations=2000,
            scale="standard",
        )
        for place, step in ((0.0, 1.0), (0.5, 2.0**-52))
    )
    assert close == plain


def test_few_questions_are_tested_exactly():
    differences = np.array([0.3, -0.1, 0.25, 0.4, 0.05])
    means = [abs(np.mean(differences * signs)) for signs in product((1, -1), repeat=5)]
    exact = np.mean([mean >= abs(differences.mean()) - 1e-12 for mean in means])
    assert randomization(differences, 10_000, np.random.default_rng(0)) == pytest.approx(exact)


def test_many_questions_are_tested_by_random_signs():
    rng = np.random.default_rng(1)
    differences = rng.normal(0.02, 0.3, 237)
    signs = np.where(rng.random((20_000, 237)) < 0.5, 1, -1)
    plain = np.mean(np.abs(signs @ differences) >= abs(differences.sum()))
    assert 0.05 < plain < 0.95
    assert randomization(differences, 10_000, np.random.default_rng(0)) == pytest.approx(plain, abs=0.02)


def test_p_is_c_plus_1_of_n_plus_1():
    assert randomization(np.full(100, 0.5), 999, np.random.default_rng(0)) == pytest.approx(1 / 1000)
    assert randomization(np.zeros(100), 999, np.random.default_rng(0)) == 1.0


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
    (first, tried), (two, tried_then) = drawn(0.3, 0.1, 0), drawn(0.2, 0.2, 1)
    counts = bootstrap_counts(400, 2000, np.random.default_rng(0)).astype(float)
    gaps = counts @ two / (counts @ tried_then) - counts @ first / (counts @ tried)
    result = attempt_differences((first, tried), (two, tried_then))[1]
    assert result.high - result.low == pytest.approx(2 * 1.96 * gaps.std(), rel=0.1)


def test_if_all_answers_are_attempted_accuracy_and_f1_differ_as_the_shares_right() -> None:
    (first, _), (two, _) = drawn(*SYSTEMS[0]), drawn(*SYSTEMS[1])
    tried = np.ones(400, dtype=bool)
    attempted, *others = attempt_differences((first, tried), (two, tried), groups=np.arange(400) // 2)
    assert (attempted.value, attempted.p) == (0, 1)
    expected = paired(two.astype(float) - first, groups=np.arange(400) // 2)[:4]
    assert others == [pytest.approx(expected), pytest.approx(expected)]


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
        result = attempt_differences(*systems)
        covered += [rate.low <= true <= rate.high for rate, true in zip(result, truth, strict=True)]
    assert (covered / times >= 0.93).all(), covered / times
