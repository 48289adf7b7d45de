"""The ceiling of a coefficient: no order of the same scores lies above it, and some order reaches it."""

from functools import partial
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.stats.auc import auc
from answersim.stats.ceiling import ceiling, share, tied_share
from answersim.stats.kendall import kendall, tau_c
from answersim.stats.weighted import pearson, spearman
from tests.cases import every

COEFFICIENTS = {
    "pearson": pearson,
    "spearman": spearman,
    "tau-b": kendall,
    "tau-c": tau_c,
    "auc": lambda x, y: auc(x, y, 1),
}


@pytest.mark.parametrize("name", COEFFICIENTS)
@given(st.lists(st.integers(0, 3), min_size=6, max_size=6), st.lists(st.integers(0, 2), min_size=6, max_size=6))
@settings(max_examples=15, deadline=None)
def test_it_is_the_highest_value_of_all_orders_of_the_same_scores(name, x, y):
    coefficient = COEFFICIENTS[name]
    orders = np.array(sorted(set(permutations(x))), dtype=float) ** 2  # unevenly spaced, for pearson
    values = coefficient(orders, np.array(y, dtype=float))[:, 0]
    result = ceiling(coefficient, np.array(x, dtype=float) ** 2, y)
    if np.isnan(values).all():
        assert np.isnan(result)
    else:
        assert result == pytest.approx(np.nanmax(values), abs=1e-12)


@every(("counts", "highest"), [((2413, 459, 158), 0.583), ((139, 133, 257), 0.796)])
def test_a_perfect_ranking_of_nq_opens_labels_has_the_tau_that_was_measured(counts, highest):
    labels = np.repeat([0.0, 1.0, 2.0], counts)
    assert ceiling(kendall, np.arange(len(labels)), labels) == pytest.approx(highest, abs=5e-4)


def test_a_share_is_counted_from_chance_and_undefined_where_nothing_can_be_won():
    assert share(0.75, 1.0, chance=0.5) == 0.5
    assert share(-0.2, 0.8) == pytest.approx(-0.25)
    assert np.isnan(share(0.5, 0.5, chance=0.5))
    assert np.isnan(share(0.5, float("nan")))


def test_tied_pairs_are_counted_pair_by_pair():
    column = np.random.default_rng(0).integers(4, size=30)
    pairs = [column[i] == column[j] for i in range(30) for j in range(i)]
    assert tied_share(column) == pytest.approx(np.mean(pairs))
    assert np.isnan(tied_share([1.0]))


def test_partial_coefficients_have_ceilings_too():
    assert ceiling(partial(auc, cut=2), [3, 1, 2, 0], [0, 1, 2, 2]) == 1.0
