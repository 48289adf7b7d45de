"""Error rates of a verifier from few labels: by hand, against full labels, and the coverage of the intervals."""

from __future__ import annotations

import numpy as np
import pytest

from answersim.stats.error_rates import error_rates
from answersim.stats.proportion import jeffreys
from answersim.stats.stratified import stratified

N, LABELS = 1000, 100


def population(
    rng: np.random.Generator, right: float, positive: float, negative: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and verdicts with these shares of right answers, false positives and false negatives."""
    truth = rng.random(N) < right
    return truth.astype(float), np.where(truth, rng.random(N) >= negative, rng.random(N) < positive)


def labeled(rng: np.random.Generator, truth: np.ndarray, strata: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    drawn = stratified(strata, LABELS, "equal", rng)
    labels = np.full(N, np.nan)
    labels[drawn.rows] = truth[drawn.rows]
    return labels, 1 / drawn.inclusion


def test_with_all_labels_rates_are_those_of_the_table() -> None:
    truth, called = population(np.random.default_rng(0), 0.6, 0.1, 0.2)
    rates = error_rates(called, truth)
    assert rates.false_positive.value == pytest.approx(called[truth == 0].mean())
    assert rates.false_negative.value == pytest.approx((~called[truth == 1]).mean())
    assert rates.accuracy.value == pytest.approx((called == truth).mean())
    assert rates.right.value == pytest.approx(truth.mean())
    assert rates.mcc.value == pytest.approx(np.corrcoef(called, truth)[0, 1])
    assert all(estimate.low <= estimate.value <= estimate.high for estimate in rates)


def test_if_everything_is_accepted_the_share_of_right_answers_has_the_interval_of_jeffreys() -> None:
    labels = np.repeat([1.0, 0.0, np.nan], [40, 10, 50])
    rates = error_rates(np.ones(100, dtype=bool), labels)
    assert rates.false_positive[0] == 1.0
    assert rates.right.value == pytest.approx(0.8)
    assert [rates.right.low, rates.right.high] == pytest.approx(list(jeffreys(0.8, 50, 0.95)), abs=0.005)


@pytest.mark.parametrize(
    ("right", "positive", "negative", "samples", "least"),
    [
        (0.8, 0.02, 0.87, 100, 0.9),  # .95 less 2.3 standard errors
        *(
            pytest.param(*rates, 1000, 0.94, marks=pytest.mark.slow)
            for rates in ((0.7, 0.05, 0.1), (0.5, 0.02, 0.3), (0.85, 0.2, 0.02), (0.8, 0.02, 0.87))
        ),
    ],
)
def test_intervals_of_100_labels_contain_the_rates_of_all_answers(
    right: float, positive: float, negative: float, samples: int, least: float
) -> None:
    rng = np.random.default_rng(5)
    covered = np.zeros(3)
    for _ in range(samples):
        truth, called = population(rng, right, positive, negative)
        labels, weights = labeled(rng, truth, called.astype(np.int64))
        rates = error_rates(called, labels, weights=weights)
        values = called[truth == 0].mean(), (~called[truth == 1]).mean(), (called == truth).mean()
        covered += [one.low <= value <= one.high for one, value in zip(rates, values, strict=False)]
    assert (covered / samples >= least).all(), covered / samples


def test_labels_that_were_drawn_by_other_strata_need_their_weights() -> None:
    rng = np.random.default_rng(6)
    covered, naive = [], []
    for _ in range(80):
        truth, called = population(rng, 0.6, 0.2, 0.2)
        hard = (rng.random(N) < np.where(called == truth, 0.1, 0.8)).astype(np.int64)  # where the verifier errs
        labels, weights = labeled(rng, truth, hard)
        value = called[truth == 0].mean()
        for hits, given in ((covered, weights), (naive, None)):
            estimate = error_rates(called, labels, weights=given).false_positive
            hits.append(estimate.low <= value <= estimate.high)
    assert np.mean(covered) >= 0.9
    assert np.mean(naive) < 0.5


def test_rows_of_one_cluster_count_less() -> None:
    called, labels = np.repeat([True, False], 100), np.tile(np.repeat([1.0, 0.0], 10), 10)
    alone = error_rates(called, labels)
    together = error_rates(called, labels, groups=np.arange(200) // 10)
    assert together.accuracy.value == alone.accuracy.value
    assert together.accuracy.high - together.accuracy.low > 2 * (alone.accuracy.high - alone.accuracy.low)


def test_a_cluster_of_equal_labels_counts_as_one_row() -> None:
    called, labels = np.ones(100, dtype=bool), np.ones(100)
    together = error_rates(called, labels, groups=np.arange(100) // 10)
    assert together.right.low == pytest.approx(jeffreys(1.0, 10, 0.95).low, abs=0.01)
    assert together.right.low < error_rates(called, labels).right.low


def test_without_labels_of_one_kind_nothing_is_known() -> None:
    with pytest.raises(ValueError, match="none of the 2 answers that are not accepted has a label"):
        error_rates([True, True, False, False], [1.0, 0.0, np.nan, np.nan])
