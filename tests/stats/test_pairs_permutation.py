"""The pairs permutation test: numbers of the official algorithm on made data, and what can be counted by hand."""

import numpy as np
import pytest
from scipy.stats import binomtest

from answersim.stats.pairs_permutation import calibrated_by_item, correct_pairs, item_pairs, pairs_permutation
from answersim.stats.ties import calibrated
from tests.cases import every


def made(seed: int, items: int, systems: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Labels and two metrics of the answers of several systems to several items, and the item of each answer."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 4, (items, systems)).astype(float)
    first = np.round(gold / 4 + rng.normal(0, 0.9, gold.shape), 2)
    second = np.round(gold * 3 + rng.normal(0, 9.0, gold.shape), 1)
    return gold.ravel(), first.ravel(), second.ravel(), np.repeat(np.arange(items), systems)


# The algorithm of mt-metrics-eval (tau_optimization.py of commit 0b82d96b; PairwisePermutationSigDiff of stats.py with
# variant "acc23" and average_by "item"), run from a transcription with 3,000 permutations: the package on PyPI (0.0.1)
# has none of it. Columns: epsilon and accuracy of both metrics, the second less the first, and the one-sided p.
@every(
    ("data", "epsilons", "accuracies", "difference", "p"),
    [
        ((10, 30, 6), (0.13, 0.0), (0.42888889, 0.47555556), 0.04666667, 0.05167),
        ((11, 12, 4), (0.0, 0.0), (0.52777778, 0.51388889), -0.01388889, 0.65733),
        ((13, 1, 25), (1.71, 2.3), (0.51666667, 0.51333333), -0.00333333, 0.557),
    ],
)
def test_numbers_are_those_of_the_official_algorithm(data, epsilons, accuracies, difference, p):
    labels, *metrics, items = made(*data)
    pairs = item_pairs(items)
    found = [calibrated_by_item(scores, labels, pairs) for scores in metrics]
    assert [one.epsilon for one in found] == pytest.approx(epsilons, abs=1e-9)
    assert [one.accuracy for one in found] == pytest.approx(accuracies, abs=1e-8)
    first, second = (
        correct_pairs(scores, labels, pairs, one.epsilon) for scores, one in zip(metrics, found, strict=True)
    )
    rng = np.random.default_rng(0)
    tested = pairs_permutation(second, first, pairs, rng=rng, permutations=50_000)
    assert tested.difference == pytest.approx(difference, abs=1e-8)
    assert tested.p_greater == pytest.approx(p, abs=4 * (p * (1 - p) / 3000) ** 0.5)


def test_of_one_item_the_test_is_the_sign_test_of_the_deciding_pairs():
    pairs = item_pairs(np.zeros(8))  # 28 pairs
    first, second = np.zeros(28, dtype=bool), np.zeros(28, dtype=bool)
    first[:11], second[11:14] = True, True
    found = pairs_permutation(first, second, pairs, rng=np.random.default_rng(1), permutations=50_000)
    assert (found.deciding, found.difference) == (14, pytest.approx(8 / 28))
    assert found.p == pytest.approx(binomtest(11, 14).pvalue, abs=0.005)
    assert found.p_greater == pytest.approx(binomtest(11, 14, alternative="greater").pvalue, abs=0.005)


def test_of_one_item_epsilon_and_accuracy_are_those_of_all_pairs():
    labels, scores, _, _ = made(3, 1, 60)
    found = calibrated_by_item(scores, labels, item_pairs(np.zeros(60)))
    assert (found.accuracy, found.epsilon) == pytest.approx(calibrated(scores, labels), abs=1e-12)


def test_of_equally_good_epsilons_the_smallest_counts():
    labels, scores, _, items = made(12, 40, 5)  # the official code takes .17 here, by the rounding of its running sum
    pairs = item_pairs(items)
    found = calibrated_by_item(scores, labels, pairs)
    assert found.epsilon == pytest.approx(0.08)
    assert correct_pairs(scores, labels, pairs, 0.17 + 1e-9).mean() == pytest.approx(found.accuracy)


def test_pairs_are_within_items_in_any_order_of_the_rows():
    labels, first, _, items = made(5, 9, 4)
    order = np.random.default_rng(0).permutation(len(items))
    one = calibrated_by_item(first, labels, item_pairs(items))
    other = calibrated_by_item(first[order], labels[order], item_pairs(items[order] * 7 + 3))
    assert (one.accuracy, one.epsilon) == pytest.approx((other.accuracy, other.epsilon))
    assert item_pairs([4, 4, 2]).sizes.tolist() == [1]


def test_equal_metrics_do_not_differ():
    labels, first, _, items = made(5, 9, 4)
    pairs = item_pairs(items)
    right = correct_pairs(first, labels, pairs, 0.1)
    assert pairs_permutation(right, right, pairs, rng=np.random.default_rng(0)) == (0, 1, 1, 0)


def test_all_ties_and_no_pairs_are_results():
    pairs = item_pairs([0, 0, 1, 1])
    tied = calibrated_by_item([1, 1, 1, 1], [0, 0, 0, 1], pairs)
    assert (tied.accuracy, tied.epsilon) == (0.5, 0)
    nothing = item_pairs([0, 1, 2])
    assert np.isnan(calibrated_by_item([1, 2, 3], [1, 2, 3], nothing).accuracy)
    assert np.isnan(pairs_permutation([], [], nothing, rng=np.random.default_rng(0)).p)
