"""Resamples, samples of a question, and orders of systems: by formulas, all subsets and other programs."""

from __future__ import annotations

import inspect
import itertools
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from answersim.evaluation.agreement.coefficients.comparing import indistinguishable
from answersim.stats.coefficients import ties
from answersim.stats.coefficients.kendall import kendall
from answersim.stats.coefficients.raters import against_the_others, krippendorff_alpha
from answersim.stats.coefficients.soft_pairwise import better_p, exchanges, soft_pairwise_accuracy
from answersim.stats.coefficients.ties import calibrated, pairwise_accuracy
from answersim.stats.coefficients.weighted import pearson
from answersim.stats.intervals.cluster_bootstrap import Resamples, draw, numbered, sums
from answersim.stats.intervals.resampling import (
    Bootstrap,
    bca,
    bootstrap_counts,
    difference_of,
    holm,
    leave_one_out,
    percentile,
)
from answersim.stats.reducers import reduced
from answersim.stats.samples_at_k import majority_at_k, pass_at_k
from benchmarks.judged_quality import resampled_accuracy
from tests.cases import every


def test_each_resample_holds_n_rows_and_one_seed_gives_one_answer():
    counts = bootstrap_counts(7, 50, np.random.default_rng(1))
    assert counts.shape == (50, 7)
    assert counts.sum(axis=1).tolist() == [7] * 50
    assert (counts == bootstrap_counts(7, 50, np.random.default_rng(1))).all()
    assert (counts != bootstrap_counts(7, 50, np.random.default_rng(2))).any()


def _drawn_from(rng):
    """The argument of scipy's bootstrap for this generator, by the name that the installed version has for it."""
    return {"rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state": rng}


def test_bca_is_scipys_for_the_same_resamples():
    rng = np.random.default_rng(3)
    x = rng.exponential(size=25)
    y = x + rng.normal(size=25)
    theirs = stats.bootstrap(
        (x, y),
        lambda a, b: stats.pearsonr(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=500,
        method="BCa",
        **_drawn_from(np.random.default_rng(5)),
    )
    value, left_out = pearson(x, y)[0], pearson(x, y, leave_one_out(25))
    ours = bca(value, theirs.bootstrap_distribution, left_out)
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)
    plain = percentile(theirs.bootstrap_distribution)
    assert abs(ours.low - plain.low) > 0.005  # so that the correction is seen


def test_bca_of_what_does_not_vary_is_the_percentile_interval():
    assert bca(1.0, np.ones(9), np.ones(5)) == (1.0, 1.0)


@every(
    ("value", "samples", "p"),
    [
        (2.0, [1.5, 2.0, 2.5], 1 / 4),  # none is as far
        (2.0, [0.0, 2.0, 4.0], 3 / 4),  # as far counts, on both sides
        (-2.0, [-4.5, -2.0, np.nan], 2 / 3),  # nan is no resample
        (0.0, [0.0, 0.1], 1.0),
    ],
)
def test_p_counts_the_resamples_beyond_the_difference(value, samples, p):
    assert difference_of(value, np.array(samples)).p == pytest.approx(p)


@every(("value", "samples"), [(np.nan, [0.1]), (0.1, [np.nan, np.nan]), (0.1, [])])
def test_a_difference_that_is_not_defined_has_no_p(value, samples):
    assert np.isnan(difference_of(value, np.array(samples))[1:]).all()


@every(
    ("p", "raised"),
    [
        ([0.01, 0.02, 0.03], [0.03, 0.04, 0.04]),  # never falling
        ([0.03, 0.01], [0.03, 0.02]),  # in the order given
        ([0.4, 0.9, 0.5], [1, 1, 1]),
        ([0.02, np.nan], [0.02, np.nan]),  # nan is no member
        ([], []),
    ],
)
def test_holm(p, raised):
    np.testing.assert_allclose(holm(p), raised)


@every(
    ("values", "error", "rule"),
    [
        ({"level": 95}, ValueError, "level is 95, but the coverage of an interval is between 0 and 1"),
        ({"level": float("nan")}, ValueError, "level is nan"),
        ({"level": "0.9"}, TypeError, "level is '0.9'"),
        ({"resamples": 0}, ValueError, "0 resamples are too few"),
        ({"resamples": 1.5}, TypeError, "resamples is 1.5"),
        ({"rng": "x"}, TypeError, r"rng is 'x' .* a whole number or a numpy.random.Generator"),
    ],
)
def test_settings_of_a_bootstrap_that_cannot_be_used_are_refused(values, error, rule):
    with pytest.raises(error, match=rule):
        Bootstrap(**values)


def test_settings_of_a_bootstrap_are_compared_by_their_values():
    assert Bootstrap(np.float32(0.5), np.int64(5), np.int8(3)) == Bootstrap(0.5, 5, 3)
    assert Bootstrap(rng=1) != Bootstrap(rng=2)


CLUSTERS = ["q2", "q1", "q2", "q3", "q1", "q2"]


def test_clusters_are_numbered_in_the_order_of_their_first_rows():
    assert numbered(CLUSTERS).tolist() == [0, 1, 0, 2, 1, 0]
    assert numbered([]).tolist() == []


def test_a_resample_contains_all_rows_of_a_cluster_equally_often():
    drawn = draw(CLUSTERS, 50, np.random.default_rng(0))
    assert drawn.times.shape == (50, 3)
    assert (drawn.times.sum(axis=1) == 3).all()
    assert (drawn.counts[:, [0, 1, 3]] == drawn.times).all()
    assert (drawn.counts[:, [0, 0, 1]] == drawn.counts[:, [2, 5, 4]]).all()
    assert len(np.unique(drawn.times, axis=0)) > 5


def test_sums_are_those_of_the_rows_written_out():
    rng = np.random.default_rng(1)
    values, drawn = rng.normal(size=(3, 6)), draw(CLUSTERS, 20, rng)
    for i, counts in enumerate(drawn.counts):
        expected = np.repeat(values, counts, axis=1).sum(axis=1)
        np.testing.assert_allclose(sums(values, drawn)[:, i], expected, atol=1e-12)


def majority_of_all_subsets(sizes: list[int], right: list[bool], k: int) -> float:
    """Return the mean over all subsets, with ties that are broken at random."""
    samples = [group for group, size in enumerate(sizes) for _ in range(size)]
    won = []
    for subset in itertools.combinations(samples, k):
        counts = Counter(subset)
        top = [group for group, n in counts.items() if n == max(counts.values())]
        won.append(sum(right[group] for group in top) / len(top))
    return sum(won) / len(won)


@given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=5), st.data())
def test_the_majority_is_that_of_all_subsets(groups: list[tuple[int, bool]], data: st.DataObject) -> None:
    sizes, right = [size for size, _ in groups], [is_right for _, is_right in groups]
    if sum(sizes) > 12:
        sizes = [min(size, 2) for size in sizes]
    k = data.draw(st.integers(1, sum(sizes)))
    assert majority_at_k(sizes, right, k) == pytest.approx(majority_of_all_subsets(sizes, right, k), abs=1e-9)


@given(st.integers(1, 10), st.data())
def test_pass_at_k_is_that_of_all_subsets(n: int, data: st.DataObject) -> None:
    right, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    samples = [i < right for i in range(n)]
    subsets = [any(subset) for subset in itertools.combinations(samples, k)]
    assert pass_at_k(n, right, k) == pytest.approx(sum(subsets) / len(subsets))


def test_many_samples_neither_overflow_nor_lose_digits() -> None:
    assert majority_at_k([700, 500], [True, False], 601) == pytest.approx(1.0, abs=1e-6)
    assert majority_at_k([600, 600], [True, False], 600) == pytest.approx(0.5)
    assert pass_at_k(200, 1, 100) == pytest.approx(0.5)


@every("k", [0, 6])
def test_a_k_outside_the_samples_is_an_error(k: int) -> None:
    with pytest.raises(ValueError, match="from 1 to the number of samples, 5"):
        pass_at_k(5, 1, k)
    with pytest.raises(ValueError, match="from 1 to the number of samples, 5"):
        majority_at_k([3, 2], [True, False], k)


def test_an_unknown_reducer_is_named_with_the_nearest():
    with pytest.raises(LookupError, match="no reducer is called 'majorty'; did you mean 'majority'"):
        reduced([[1.0]], "majorty")


def right(a, b, epsilon):
    """Whether the metric orders these two (score, label) as annotators do, or ties where they do."""
    (x, u), (z, v) = a, b
    output = 0 if abs(x - z) <= epsilon else np.sign(x - z)
    return output == np.sign(u - v)


def loop(x, y, epsilon, times=None):
    rows = list(zip(x, y, strict=True))
    times = np.ones(len(rows), dtype=int) if times is None else times
    result = [(right(rows[i], rows[j], epsilon), times[i] * times[j]) for i, j in combinations(range(len(rows)), 2)]
    return sum(good * weight for good, weight in result) / sum(weight for _, weight in result)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_it_is_the_share_of_pairs_that_are_right_in_a_loop(data):
    n = data.draw(st.integers(2, 12))
    column = st.lists(st.integers(0, 4), min_size=n, max_size=n).map(np.array)
    x, y, times = data.draw(column) / 10, data.draw(column) % 3, data.draw(column)
    epsilon = data.draw(st.sampled_from([0.0, 0.1, 0.2, 0.25]))
    result = pairwise_accuracy(x, y, epsilon, times[None])[0]
    if not np.isnan(result):
        assert result == pytest.approx(loop(x, y, epsilon, times), abs=1e-12)
    else:  # a column that the resample makes constant
        held = times > 0
        assert not held.any() or np.ptp(x[held]) == 0 or np.ptp(y[held]) == 0


@every("seed", range(2))
def test_epsilon_is_the_best_of_all_differences(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=24)
    x = (y * 0.2 + rng.normal(size=24) * rng.choice([0.1, 0.5])).round(2 if seed % 2 else 12)
    candidates = sorted({0.0} | {abs(a - b) for a, b in combinations(x.tolist(), 2)})
    accuracies = [loop(x, y, candidate) for candidate in candidates]
    accuracy, epsilon = calibrated(x, y)
    assert accuracy == pytest.approx(max(accuracies), abs=1e-12)
    assert epsilon == pytest.approx(candidates[int(np.argmax(accuracies))], abs=1e-12)


def test_a_difference_of_exactly_epsilon_is_a_tie_however_it_is_rounded():
    x = np.array([0.1, 0.2, 0.3, 0.4, 0.7, 0.8])
    for i, j in combinations(range(6), 2):
        gap = x[j] - x[i]
        assert pairwise_accuracy(x, np.arange(6) % 2, gap)[0] == pytest.approx(loop(x, np.arange(6) % 2, gap))


def test_many_rows_are_thinned_only_to_find_epsilon(monkeypatch):
    rng = np.random.default_rng(9)
    y = rng.integers(3, size=900)
    x = y + rng.normal(size=900)
    exact, _ = calibrated(x, y)
    monkeypatch.setattr(ties, "_EXACT", 450)
    thinned, epsilon = calibrated(x, y)
    assert thinned == pairwise_accuracy(x, y, epsilon)[0]
    assert exact - 0.005 < thinned <= exact


def test_less_than_two_rows_have_no_accuracy():
    assert np.isnan(calibrated([1.0], [0.0])).all()


# The example in the released code (Thompson 2024): two systems, five segments and ten permutations. The difference is
# 3.0, and one permutation has the same. So p is 1 / 10 there, and (0 + 1 / 2 + 1 / 2) / (10 + 1) here.
SYSTEMS = [[0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]]
SIGNS = [
    *([1, 1, -1, -1, -1], [1, -1, 1, -1, 1], [1, -1, 1, 1, -1], [-1, 1, -1, -1, 1], [1, 1, 1, -1, 1]),
    *([-1, 1, -1, 1, -1], [1, 1, 1, 1, 1], [1, -1, 1, -1, 1], [1, -1, 1, -1, 1], [-1, 1, -1, -1, -1]),
]


def test_p_is_that_of_the_authors_example():
    assert better_p(SYSTEMS, np.array(SIGNS)) == pytest.approx([1 / 11])


def test_p_is_that_of_all_exchanges_written_out():
    rng = np.random.default_rng(0)
    scores = rng.integers(4, size=(3, 7)) / 4
    signs = np.array(list(product([1, -1], repeat=7)))
    result = iter(better_p(scores, signs))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        gaps = scores[i] - scores[j]
        drawn = [sum(sign * gap for sign, gap in zip(row, gaps, strict=True)) for row in signs]
        larger = sum(value > gaps.sum() + 1e-9 for value in drawn)
        same = sum(abs(value - gaps.sum()) <= 1e-9 for value in drawn)
        assert next(result) == pytest.approx((larger + same / 2 + 0.5) / (128 + 1))


def test_several_metrics_at_once_have_the_numbers_of_each_alone():
    rng = np.random.default_rng(2)
    human, metrics, signs = rng.integers(2, size=(4, 40)), rng.random((3, 4, 40)), exchanges(200, 40, rng)
    alone = [soft_pairwise_accuracy(human, metric[None], signs)[0] for metric in metrics]
    assert soft_pairwise_accuracy(human, metrics, signs) == pytest.approx(alone)


def test_accuracy_is_one_less_the_mean_distance_of_p():
    human = np.array([[1, 1, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1]])
    metric = np.array([[0.9, 0.2, 0.4, 0.1], [0.3, 0.8, 0.1, 0.2], [0.9, 0.5, 0.3, 0.8]])
    signs = exchanges(100, 4, np.random.default_rng(3))
    expected = 1 - np.mean(np.abs(better_p(human, signs) - better_p(metric, signs)))
    assert soft_pairwise_accuracy(human, metric[None], signs) == pytest.approx([expected])


def test_the_scale_of_a_metric_does_not_matter_and_a_reversed_one_is_near_zero():
    rng = np.random.default_rng(4)
    human, signs = rng.random((3, 200)) < np.array([[0.9], [0.6], [0.2]]), exchanges(1000, 200, rng)
    alike = rng.random((3, 200)) < 0.5
    same, reversed_ = soft_pairwise_accuracy(human, [human, ~human], signs)
    assert same == 1
    assert reversed_ < 0.01
    assert soft_pairwise_accuracy(alike, [alike, alike * 1e-6 - 5], signs).tolist() == [1, 1]


def test_a_resample_is_that_of_its_items_written_out():
    rng = np.random.default_rng(5)
    human, metrics, signs = rng.integers(2, size=(3, 6)), rng.random((2, 3, 6)), exchanges(64, 6, rng)
    times = np.array([[1, 1, 1, 1, 1, 1], [3, 0, 1, 0, 2, 0]], dtype=np.int32)
    result = resampled_accuracy(human, metrics, signs, Resamples(np.arange(6), times))
    items = [0, 0, 0, 2, 4, 4]
    expected = soft_pairwise_accuracy(human[:, items], metrics[:, :, items], signs)
    np.testing.assert_allclose(result, np.stack([soft_pairwise_accuracy(human, metrics, signs), expected], axis=1))


NAN = np.nan
# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", example D: four observers, twelve units.
EXAMPLE = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


def test_it_is_krippendorffs_worked_example():
    # Section D of the paper: nominal .743, ordinal .815, interval .849.
    for distance, alpha in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        assert krippendorff_alpha(EXAMPLE, distance) == pytest.approx(alpha, abs=6e-4)


def test_raters_who_agree_have_1_and_nothing_to_compare_has_none():
    assert krippendorff_alpha([[0, 1, 2], [0, 1, 2]]) == 1.0
    assert krippendorff_alpha([[1, 1], [1, 1]]) == 1.0
    assert np.isnan(krippendorff_alpha([[0, NAN], [NAN, 1]]))


def test_each_rater_is_compared_with_the_mean_of_the_others():
    ratings = np.array([[0, 1, 2, 2, 0], [0, 2, 2, 1, 0], [1, 1, 2, NAN, 0]], dtype=float)
    expected = np.mean(
        [
            stats.kendalltau(ratings[0], [0.5, 1.5, 2, 1, 0]).statistic,
            stats.kendalltau(ratings[1], [0.5, 1, 2, 2, 0]).statistic,
            stats.kendalltau([1, 1, 2, 0], [0, 1.5, 2, 0]).statistic,
        ]
    )
    assert against_the_others(ratings, kendall) == pytest.approx(expected, abs=1e-12)
    assert np.isnan(against_the_others([[1, 1, 1], [0, 1, 2]], kendall))


MEMBERS = list("abcdef")


def by_trying(members, differing):
    """Every set without a differing pair that is part of no larger one."""
    apart = {frozenset(pair) for pair in differing}
    alike = [
        set(chosen)
        for size in range(1, len(members) + 1)
        for chosen in combinations(members, size)
        if not any(frozenset(pair) in apart for pair in combinations(chosen, 2))
    ]
    return {frozenset(entry) for entry in alike if not any(entry < other for other in alike)}


@given(st.lists(st.sampled_from(list(combinations(MEMBERS, 2))), unique=True))
def test_they_are_the_largest_sets_in_which_no_two_differ(differing):
    result = indistinguishable(MEMBERS, differing)
    assert {frozenset(row) for row in result} == by_trying(MEMBERS, differing)
    assert len(result) == len(set(result))
    assert all(list(row) == sorted(row) for row in result)
    assert result == sorted(result)


def test_no_members_make_no_groups():
    assert indistinguishable([], []) == []
