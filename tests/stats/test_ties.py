"""Pairwise accuracy with calibrated ties: what loops over all pairs, and over all possible epsilons, say."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.stats import ties
from answersim.stats.ties import calibrated, pairwise_accuracy
from tests.cases import every


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
    result = calibrated(x, y)
    assert result.accuracy == pytest.approx(max(accuracies), abs=1e-12)
    assert result.epsilon == pytest.approx(candidates[int(np.argmax(accuracies))], abs=1e-12)


def test_scores_equal_to_the_labels_are_correct_in_every_pair():
    y = np.array([0.0, 0.0, 1.0, 2.0, 2.0])
    assert calibrated(y, y) == (1.0, 0.0)
    assert calibrated(y + np.array([0.0, 0.01, 0.0, 0.0, 0.02]), y).accuracy == 1.0


def test_a_difference_of_exactly_epsilon_is_a_tie_however_it_is_rounded():
    x = np.array([0.1, 0.2, 0.3, 0.4, 0.7, 0.8])
    for i, j in combinations(range(6), 2):
        gap = x[j] - x[i]
        assert pairwise_accuracy(x, np.arange(6) % 2, gap)[0] == pytest.approx(loop(x, np.arange(6) % 2, gap))


def test_many_rows_are_thinned_only_to_find_epsilon(monkeypatch):
    rng = np.random.default_rng(9)
    y = rng.integers(3, size=900)
    x = y + rng.normal(size=900)
    exact = calibrated(x, y)
    monkeypatch.setattr(ties, "_EXACT", 450)
    thinned = calibrated(x, y)
    assert thinned.accuracy == pairwise_accuracy(x, y, thinned.epsilon)[0]
    assert exact.accuracy - 0.005 < thinned.accuracy <= exact.accuracy


def test_less_than_two_rows_have_no_accuracy():
    assert np.isnan(calibrated([1.0], [0.0])).all()
