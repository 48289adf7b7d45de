"""Orders of systems: against scipy, resample by resample, and against slow loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from answersim.stats import resampling
from answersim.stats.randomization import randomization
from answersim.stats.resampling import Bootstrap
from benchmarks import orders

NAN = float("nan")


def values(systems: int = 6, questions: int = 30, seed: int = 0, step: float = 0.02) -> np.ndarray:
    """Values whose means rise from system to system; the first two questions count for nobody."""
    rng = np.random.default_rng(seed)
    made = rng.random((systems, questions)) + step * np.arange(systems)[:, None]
    made[:, :2] = NAN
    return made


@pytest.mark.parametrize("seed", range(5))
def test_tau_equals_scipy_with_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(4, size=(2, 3, 9)).astype(float)
    expected = [stats.kendalltau(*each).statistic for each in zip(first, second, strict=True)]
    np.testing.assert_allclose(orders.kendall(first, second), expected, atol=1e-12)


def test_tau_of_a_constant_row_or_of_nan_is_none() -> None:
    assert np.isnan(orders.kendall(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0])))
    assert np.isnan(orders.kendall(np.array([1.0, NAN, 3.0]), np.array([1.0, 2.0, 3.0])))


def test_means_that_differ_by_rounding_alone_are_tied() -> None:
    sums = np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 1.0])
    assert sums[0] != sums[1]
    assert orders.kendall(sums, np.array([1.0, 2.0, 3.0])) == pytest.approx(2 / np.sqrt(2 * 3))


def test_the_interval_is_that_of_a_loop_over_the_same_resamples() -> None:
    first, second = values(seed=1), values(seed=2)
    second[3, 5:9] = NAN  # where one system's top candidate is not judged
    result = orders.agreement(first, second, bootstrap=Bootstrap(resamples=200, rng=7))
    counts = resampling.bootstrap_counts(30, 200, np.random.default_rng(7))
    taus = []
    for often in counts:
        rows = np.repeat(np.arange(30), often)
        taus.append(stats.kendalltau(*(np.nanmean(each[:, rows], axis=1) for each in (first, second))).statistic)
    expected = stats.kendalltau(np.nanmean(first, axis=1), np.nanmean(second, axis=1)).statistic
    assert result.tau == pytest.approx(expected)
    assert (result.low, result.high) == pytest.approx(tuple(np.quantile(taus, [0.025, 0.975])))
    assert (result.n_systems, result.n_questions) == (6, 28)
    assert result.low < result.tau < result.high


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = values(seed=1), values(seed=2)
    whole = orders.agreement(first, second, bootstrap=Bootstrap(resamples=50, rng=0))
    tests = orders.pair_tests(first, rng=np.random.default_rng(0), resamples=50)
    monkeypatch.setattr(orders, "_BLOCK", 100)
    assert orders.agreement(first, second, bootstrap=Bootstrap(resamples=50, rng=0)) == whole
    np.testing.assert_array_equal(orders.pair_tests(first, rng=np.random.default_rng(0), resamples=50).p, tests.p)


def test_both_numbers_are_resampled_on_the_same_questions() -> None:
    first = values(step=0.0)
    result = orders.agreement(first, first, bootstrap=Bootstrap(resamples=100, rng=0))
    assert (result.tau, result.low, result.high) == (1.0, 1.0, 1.0)


def test_every_pair_is_tested_as_the_comparison_tests_it() -> None:
    made = values(4, step=0.1)
    made[1, 10] = NAN
    result = orders.pair_tests(made, rng=np.random.default_rng(0), resamples=20_000)
    for i, j in combinations(range(4), 2):
        apart = made[i] - made[j]
        apart = apart[~np.isnan(apart)]
        assert result.differences[i, j] == pytest.approx(apart.mean()) == -result.differences[j, i]
        expected = randomization(apart, 20_000, np.random.default_rng(1))
        assert result.p[i, j] == result.p[j, i] == pytest.approx(expected, abs=0.015)
    upper = np.triu_indices(4, k=1)
    np.testing.assert_array_equal(result.p_holm[upper], resampling.holm(result.p[upper]))
    assert (result.p.diagonal() == 1).all()


def test_equal_systems_are_no_different() -> None:
    made = values(2)
    made[1] = made[0]
    result = orders.pair_tests(made, rng=np.random.default_rng(0), resamples=100)
    assert result.p[0, 1] == 1.0
    assert result.differences[0, 1] == 0.0


def test_a_pair_without_a_common_question_has_no_p_and_changes_no_places() -> None:
    made = np.array([[0.1, NAN, 0.2], [NAN, 0.5, NAN], [0.9, 0.9, 0.9]])
    result = orders.pair_tests(made, rng=np.random.default_rng(0), resamples=100)
    assert np.isnan(result.p[0, 1])
    assert np.isnan(result.differences[0, 1])
    whole = orders.pair_tests(np.nan_to_num(made), rng=np.random.default_rng(0), resamples=100)
    for pair in ((result, result), (whole, result), (result, whole)):
        assert all(0 not in (disagreement.upper, disagreement.lower) for disagreement in orders.disagreements(*pair))


def test_systems_that_change_places_are_listed_with_both_differences() -> None:
    rng = np.random.default_rng(0)
    first = np.stack([rng.random(60), rng.random(60) + 2, rng.random(60) + 1])
    second = np.stack([rng.random(60), rng.random(60) + 1, rng.random(60) + 2])
    one, other = (orders.pair_tests(each, rng=np.random.default_rng(1), resamples=999) for each in (first, second))
    (result,) = orders.disagreements(one, other)
    assert (result.upper, result.lower) == (1, 2)
    assert result.by_first == pytest.approx(first[1].mean() - first[2].mean())
    assert result.by_second == pytest.approx(second[1].mean() - second[2].mean())
    assert result.by_first > 0 > result.by_second
    assert result.is_sure()
    assert not result.is_sure(0.001)
    (back,) = orders.disagreements(other, one)
    assert (back.upper, back.lower) == (2, 1)


def test_disagreements_are_sorted_by_p() -> None:
    rng = np.random.default_rng(3)
    first = rng.random((5, 40)) + 0.3 * np.arange(5)[:, None]
    second = rng.random((5, 40)) - 0.05 * np.arange(5)[:, None] ** 2
    tests = [orders.pair_tests(each, rng=np.random.default_rng(1), resamples=999) for each in (first, second)]
    result = orders.disagreements(*tests)
    worst = [max(each.p_first, each.p_second) for each in result]
    assert len(result) > 2
    assert worst == sorted(worst)


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        (np.ones((2, 3)), np.ones((2, 4)), r"\(2, 3\) and \(2, 4\)"),
        (np.ones((1, 3)), np.ones((1, 3)), "1 systems have no order"),
    ],
)
def test_what_has_no_order_is_refused(first: np.ndarray, second: np.ndarray, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        orders.agreement(first, second)
