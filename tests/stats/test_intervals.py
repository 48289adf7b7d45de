"""Means and differences: interval and p agree, cover as often as they promise, and are those of known tests."""

from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from scipy.optimize import brentq as brentq_of_scipy
from scipy.stats import binomtest, norm

from answersim.metrics.official.judged import simpleqa_table
from answersim.stats.attempts import attempt_differences, attempt_rates
from answersim.stats.coefficients.kendall import kendall, tau_c
from answersim.stats.coefficients.weighted import pearson, spearman
from answersim.stats.few_labels.design_effect import design_effect
from answersim.stats.intervals.bounded_mean import bounded_mean, bounded_means, brentq, sums_of, tails
from answersim.stats.intervals.clustered_means import ClusteredMeans
from answersim.stats.intervals.paired import PairedDifference, paired_all
from answersim.stats.intervals.permutation import exchange_p
from answersim.stats.intervals.proportion import t_quantile, wilson
from answersim.stats.intervals.resampling import bootstrap_counts
from answersim.stats.intervals.score_mean import mean_interval
from rankers.evaluation.randomization import randomization
from tests.cases import before, every

NUMBERS = st.lists(st.sampled_from([0.0, 1.0, 0.5, 0.97, 1e-9]) | st.floats(0, 1), min_size=1, max_size=40)


@every(("hits", "n"), [(0, 10), (1, 1), (1, 2), (5, 10), (29, 30), (98, 100), (500, 1000)])
def test_shares_have_the_interval_of_clopper_and_pearson(hits, n):
    expected = binomtest(hits, n).proportion_ci(method="exact")
    mean = bounded_mean(np.repeat([1.0, 0.0], [hits, n - hits]))
    assert mean.value == hits / n
    assert (mean.low, mean.high) == pytest.approx((expected.low, expected.high), abs=2e-4)


@every("part", [-1.0, 2.0])
def test_the_tail_is_that_of_simulated_divisions(part):
    rng = np.random.default_rng(0)
    values = rng.normal(0.2, 0.5, 25)
    drawn = rng.dirichlet(np.ones(26), 40_000) @ np.append(values, -3.0)
    mean = values.mean() + part * values.std() / 5
    assert tails([(sums_of(values), -3.0, mean)])[0] == pytest.approx((drawn <= mean).mean(), abs=0.008)


def tail_by_scipy(values, sizes, mean, bound):
    """The probability that a sum of exponential variables is at most 0, by one root and one formula per sample."""
    parts = np.append(values - mean * sizes, (bound - mean) * np.square(sizes).sum() / sizes.sum())
    parts = parts[parts != 0] / np.abs(parts).max()
    if not (parts < 0).any():
        return 0.0
    for sign in (1, -1):
        if (sign * parts < 0).sum() == 1:
            others = np.prod(1 - parts[sign * parts > 0] / parts[sign * parts < 0])
            return 1 / others if sign == 1 else 1 - 1 / others
    ends = (1 - 1e-12) / parts.min(), (1 - 1e-12) / parts.max()
    slope = brentq_of_scipy(lambda s: (parts / (1 - s * parts)).sum(), *ends, xtol=1e-15, rtol=1e-14)
    distance = np.sign(slope) * np.sqrt(2 * np.log(1 - slope * parts).sum())
    scaled = slope * np.sqrt(parts / (1 - slope * parts) @ (parts / (1 - slope * parts)))
    return norm.cdf(distance) + norm.pdf(distance) * (1 / distance - 1 / scaled)


@every("kind", ["shares", "scores", "rare", "clusters"])
def test_the_ends_of_many_samples_are_those_of_one_sample_by_scipy(kind):
    rng = np.random.default_rng(5)
    samples, expected = [], []
    for n in (5, 8, 13, 40, 41, 200):
        values = {"shares": rng.random(n) < 0.6, "rare": np.where(rng.random(n) < 0.9, 0.97, 0.05)}.get(kind)
        values = rng.random(n) if values is None else values.astype(float)
        groups = np.arange(n) // 3 if kind == "clusters" else np.arange(n)
        samples.append(sums_of(values, groups))
        totals, sizes = np.bincount(groups, values), np.bincount(groups).astype(float)
        mean = values.mean()
        low, high = (
            brentq_of_scipy(lambda x, t=t, b=b: tail_by_scipy(t, sizes, x, b) - 0.025, b, m - 1e-6, xtol=1e-14)  # noqa: B023
            for t, b, m in ((totals, 0.0, mean), (-totals, -1.0, -mean))
        )
        expected.append((mean, low, -high))
    result = bounded_means(samples, [(0.0, 1.0)] * len(samples))
    assert np.array(result) == pytest.approx(np.array(expected), abs=2e-9)


@given(st.lists(NUMBERS, min_size=2, max_size=6))
def test_an_interval_does_not_depend_on_the_samples_beside_it(samples):
    together = bounded_means([*map(sums_of, samples)], [(0.0, 1.0)] * len(samples))
    assert together == [*map(bounded_mean, samples)]


def test_the_true_mean_is_in_the_interval_although_errors_are_rare():
    """The percentile bootstrap covers .61 here. ``benchmarks.interval_coverage`` measures other populations."""
    values = np.where(np.random.default_rng(1).random((200, 30)) < 0.97, 0.97, 0.05)
    truth = 0.05 + 0.92 * 0.97
    assert np.mean([value.low <= truth <= value.high for value in map(bounded_mean, values)]) > 0.94


def test_equal_clusters_count_once_and_numbers_of_clusters_may_have_gaps():
    values = np.random.default_rng(3).random(200)
    once = bounded_mean(values)
    assert bounded_mean(np.repeat(values, 4), groups=np.repeat(np.arange(200) * 3, 4)) == pytest.approx(once)


@given(NUMBERS, st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_an_interval_contains_its_mean_and_stays_within_the_bounds(values, level):
    mean = bounded_mean(values, level=level)
    assert 0 <= mean.low <= mean.value + 1e-12
    assert mean.value - 1e-12 <= mean.high <= 1
    wider = bounded_mean(values, level=(1 + level) / 2)
    assert wider.low <= mean.low + 1e-9
    assert wider.high >= mean.high - 1e-9


def world(clusters, rng, size=5):
    """0 and 1, alike within clusters: each cluster has a share of its own."""
    own = rng.beta(1.4, 0.6, clusters)
    return (rng.random((clusters, size)) < own[:, None]).astype(float).ravel(), np.repeat(np.arange(clusters), size)


def test_a_part_has_the_interval_of_its_rows():
    values, clusters = world(50, np.random.default_rng(2))
    part = np.random.default_rng(3).random(len(values)) < 0.3
    result = ClusteredMeans([f"q{i}" for i in clusters], 0.9).of(values, part)
    assert result == pytest.approx(bounded_mean(values[part], groups=clusters[part], level=0.9))


def test_scores_beyond_0_and_1_widen_the_bounds():
    values = np.random.default_rng(4).normal(size=500)
    estimate = ClusteredMeans(range(500), 0.95).of(values, np.ones(500))
    half = 1.959964 * values.std(ddof=1) / np.sqrt(500)
    assert estimate == pytest.approx((values.mean(), values.mean() - half, values.mean() + half), abs=0.01)


def test_clusters_of_a_part_are_counted():
    means = ClusteredMeans(["a", "a", "b"], 0.95)
    assert (means.clusters([True, True, False]), means.clusters([True, False, True])) == (1, 2)
    assert np.isnan(means.of([0.2, 0.2, 0.2], [False] * 3)).all()


# statsmodels 0.15.0, proportion_confint(count, n, method="wilson")
@every(
    ("count", "n", "low", "high"),
    [(45, 50, 0.786398, 0.956524), (0, 20, 0.0, 0.161125), (20, 20, 0.838875, 1.0), (300, 1000, 0.272407, 0.329124)],
)
def test_the_interval_is_that_of_statsmodels(count, n, low, high):
    assert wilson(count / n, n, t_quantile(0.95, math.inf)) == pytest.approx((low, high), abs=1e-6)


@before("scipy", "1.14", "has fewer digits")
@every("level", [0.5, 0.8, 0.95, 0.99])
def test_the_quantile_has_twelve_digits_of_that_of_scipy(level):
    freedoms = (1, 1.2, 1.5, 2, 2.3, 3, 4.7, 16, 99, 199.9, 200, 201, 1e3, 12345.6, 1e6, 1e8)
    quantiles = [t_quantile(level, freedom) for freedom in freedoms]
    assert quantiles == pytest.approx(special.stdtrit(freedoms, (1 + level) / 2), rel=1e-12, abs=0)
    assert t_quantile(level, math.inf) == pytest.approx(special.ndtri((1 + level) / 2), rel=1e-12, abs=0)


@before("scipy", "1.14", "has fewer digits")
def test_the_quantile_of_a_high_coverage_has_nine_digits():
    quantiles = [t_quantile(0.9999, freedom) for freedom in (1, 1.2, 2, 30, 1e4)]
    assert quantiles == pytest.approx(special.stdtrit((1, 1.2, 2, 30, 1e4), 0.99995), rel=1e-9, abs=0)


def test_less_than_one_degree_of_freedom_counts_as_one():
    assert t_quantile(0.95, 0) == t_quantile(0.95, 1)


@every("mean", [0.4, 3.0])  # from 0 to 1, and of any scale
@every("n", [2000, 20_000])
def test_the_interval_of_a_mean_is_the_normal_one_where_that_holds(mean, n):
    values = np.random.default_rng(1).normal(mean, 0.05, size=n)
    interval = mean_interval(values, 0.95)
    half = 1.96 * values.std() / math.sqrt(len(values))
    assert interval.low == pytest.approx(values.mean() - half, abs=2 / n)
    assert interval.high == pytest.approx(values.mean() + half, abs=2 / n)


def test_the_interval_of_a_share_is_that_of_clopper_and_pearson():
    assert mean_interval([1.0] * 29 + [0.0], 0.95) == pytest.approx((0.8278, 0.9992), abs=2e-4)
    assert mean_interval([1.0] * 30, 0.95) == pytest.approx((0.8843, 1.0), abs=1e-4)  # 1 - .025 ** (1 / 30)
    assert mean_interval([1.0] * 19_999 + [0.0], 0.95) == pytest.approx((1 - 2.786e-4, 1 - 1.266e-6), abs=1e-6)


def test_scores_without_bounds_have_no_interval_if_there_is_one():
    assert all(map(math.isnan, mean_interval([2.0], 0.95)))
    assert mean_interval([0.0, 2.0], 0.95) == pytest.approx((1 - 12.706, 1 + 12.706), abs=1e-3)


@every(
    ("function", "low", "high"),
    [
        (lambda x: x**2 - 2, 0.0, 2.0),
        (lambda x: math.cos(x) - x, 0.0, 1.0),
        (lambda x: math.erfc(x) - 0.025, 0.0, 8.0),
        (lambda x: (x - 1) ** 9, 0.0, 3.0),
        (lambda x: math.atan(100 * (x - 0.9)), 0.0, 1.0),
        (lambda x: math.copysign(1, x - 0.3), 0.0, 1.0),
        (lambda x: x, 0.0, 1.0),
        (lambda x: 1e-300 * (x - 0.5), 0.0, 1.0),
    ],
)
def test_the_root_is_that_of_scipy(function, low, high):
    calls = []

    def counted(x: np.ndarray) -> np.ndarray:
        calls.append(float(x[0]))
        return np.array([function(calls[-1])])

    result = float(brentq(counted, np.array([low]), np.array([high]), np.array([1e-9]))[0])
    expected, settings = brentq_of_scipy(function, low, high, xtol=1e-9, full_output=True)
    assert abs(function(result)) <= abs(function(expected)) or result == pytest.approx(expected, abs=1e-9)
    assert len(calls) <= 2 * settings.function_calls + 5
    assert all(low <= x <= high for x in calls)


def test_a_root_does_not_depend_on_the_roots_beside_it():
    wanted, low, high, xtol = np.arange(1.0, 9.0), np.zeros(8), np.full(8, 3.0), np.geomspace(1e-3, 1e-12, 8)
    together = brentq(lambda x: x * x - wanted, low, high, xtol)
    alone = [
        float(brentq(lambda x, i=i: x * x - wanted[i], *(entry[i : i + 1] for entry in (low, high, xtol)))[0])
        for i in range(8)
    ]
    assert together.tolist() == alone


@every(
    ("errors", "groups", "effect"),
    [
        ([1, 1, -1, -1], [0, 0, 1, 1], 2),  # 8 / 4
        ([1, -1, 1, -1], [0, 0, 1, 1], 1),  # 0 / 4, and at least 1
        ([3, 3, -6], [0, 0, 2], 72 / 54),
    ],
)
def test_by_hand(errors, groups, effect):
    assert design_effect(np.array(errors, dtype=float), np.array(groups)) == effect


def test_without_errors_the_similarity_is_unknown():
    assert design_effect(np.zeros(4), [0, 0, 1, 1]) == 1
    assert design_effect(np.zeros(4), [0, 0, 1, 1], 2.0) == 2


def paired(gaps, bounds=(-1.0, 1.0), **settings) -> PairedDifference:
    return paired_all([gaps], bounds=[bounds], **settings)[0]


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


def test_the_interval_covers_as_often_as_it_promises():
    """``benchmarks.interval_coverage`` measures other populations."""
    drawn = np.random.default_rng(2).choice([0.0, -1.0], p=[0.98, 0.02], size=(150, 30))
    assert np.mean([entry.low <= -0.02 <= entry.high for entry in map(paired, drawn)]) > 0.94


def test_the_least_difference_is_found_with_its_power():
    rng = np.random.default_rng(4)
    least = float(np.mean([paired(gaps).least for gaps in rng.normal(0, 0.1, (20, 40))]))
    assert 0.75 < np.mean([paired(gaps).p < 0.05 for gaps in rng.normal(least, 0.1, (100, 40))]) < 0.96


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
