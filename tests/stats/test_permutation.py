"""PERM-BOTH against all exchanges of scores written out."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import stats

from answersim.stats.auc import auc
from answersim.stats.kendall import kendall, tau_c
from answersim.stats.permutation import exchange_p
from answersim.stats.weighted import pearson, spearman
from tests.cases import every

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


def test_auc_can_be_tested_too():
    rng = np.random.default_rng(4)
    y = np.arange(60) % 2
    result = partial(exchange_p, lambda x, y, counts: auc(x, y, 1, counts), rng=rng, permutations=200)
    assert result(y + 0.1 * rng.normal(size=60), rng.normal(size=60), y) == pytest.approx(1 / 201)


def test_p_is_never_0_and_one_seed_gives_one_answer():
    y = np.arange(40.0) % 4
    result = [exchange_p(kendall, y, -y, y, rng=np.random.default_rng(6), permutations=50) for _ in range(2)]
    assert result == [1 / 51, 1 / 51]


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
    one, other = y + rng.integers(-2, 2, size=30), rng.integers(-2, 2, size=30)
    plain, close = (
        exchange_p(
            *(pearson, 0.0 + step * one, place + step * other, y),
            rng=np.random.default_rng(0),
            permutations=2000,
            scale="standard",
        )
        for place, step in ((0.0, 1.0), (0.5, 2.0**-52))
    )
    assert close == plain
