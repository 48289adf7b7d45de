"""Krippendorff's alpha against its author's worked values and a slow loop; raters against the mean of the others."""

import numpy as np
import pytest
from scipy import stats

from answersim.stats.kendall import kendall
from answersim.stats.raters import DISTANCES, against_the_others, krippendorff_alpha

NAN = np.nan
# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", example D: four observers, twelve units.
EXAMPLE = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


def loop(ratings, distance="ordinal"):
    """Alpha from every pair of ratings, one by one."""
    units = [column[~np.isnan(column)] for column in np.array(ratings).T]
    units = [unit for unit in units if len(unit) > 1]
    everything = np.concatenate(units)

    def apart(a, b):
        if distance != "ordinal":
            return float(a != b) if distance == "nominal" else (a - b) ** 2
        low, high = min(a, b), max(a, b)
        between = ((everything >= low) & (everything <= high)).sum()
        return (between - ((everything == low).sum() + (everything == high).sum()) / 2) ** 2

    def mean(values):
        pairs = [apart(a, b) for i, a in enumerate(values) for j, b in enumerate(values) if i != j]
        return np.mean(pairs)

    observed = sum(mean(unit) * len(unit) for unit in units) / len(everything)
    return 1 - observed / mean(everything)


def test_it_is_krippendorffs_worked_example():
    # Section D of the paper: nominal .743, ordinal .815, interval .849.
    for distance, alpha in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        assert krippendorff_alpha(EXAMPLE, distance) == pytest.approx(alpha, abs=6e-4)
    with pytest.raises(LookupError, match="no distance is called 'ratio'"):
        krippendorff_alpha(EXAMPLE, "ratio")


@pytest.mark.parametrize("distance", DISTANCES)
def test_it_is_a_slow_loop_over_all_pairs_of_ratings(distance):
    rng = np.random.default_rng(0)
    ratings = rng.integers(4, size=(3, 30)) / 2
    ratings[rng.random(ratings.shape) < 0.3] = NAN
    assert krippendorff_alpha(ratings, distance) == pytest.approx(loop(ratings, distance), abs=1e-12)


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
