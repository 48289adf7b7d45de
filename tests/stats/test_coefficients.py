"""Coefficients of two columns: by hand, by scipy and in exact arithmetic, of resamples, and their ceilings."""

import math
import warnings
from fractions import Fraction
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from answersim.stats.coefficients.auc import auc, cuts
from answersim.stats.coefficients.ceiling import ceiling, share, tied_share
from answersim.stats.coefficients.kendall import kendall, tau_c
from answersim.stats.coefficients.weighted import pearson, spearman
from answersim.stats.intervals.resampling import COEFFICIENTS
from tests.cases import every

HALF = math.sqrt(3) / 2


@every(
    ("x", "y", "pearson", "spearman", "kendall"),
    [
        ([1, 2, 3], [2, 4, 6], 1, 1, 1),  # in step
        ([1, 2, 3], [3, 2, 1], -1, -1, -1),  # in reverse
        ([1, 2, 3, 4], [1, 3, 2, 4], 0.8, 0.8, 4 / 6),  # one pair of six exchanged
        # Ranks 1, 2.5, 2.5 against 1, 2, 3; of three pairs two agree and one is tied: 2 / sqrt(2 * 3).
        ([1, 2, 2], [1, 2, 3], HALF, HALF, 2 / math.sqrt(6)),  # a tie lowers tau-b
        ([0, 0, 1, 1], [0, 0, 1, 1], 1, 1, 1),  # the same ties on both sides do not
        ([0, 1], [5, 3], -1, -1, -1),  # two are enough
    ],
)
def test_the_three_coefficients_are_those_worked_out_by_hand(x, y, pearson, spearman, kendall):
    result = [coefficient(x, y, None)[0] for coefficient in COEFFICIENTS.values()]
    assert result == pytest.approx([pearson, spearman, kendall], abs=1e-12)


SPREADS = [1e-300, 1e-12, 1e12, 1e300]


def exact(x, y):
    """Pearson's r of these floats in exact arithmetic, rounded once."""
    xs, ys = ([Fraction(float(entry)) for entry in column] for column in (x, y))
    means = [sum(column) / len(column) for column in (xs, ys)]
    dx, dy = ([entry - mean for entry in column] for column, mean in zip((xs, ys), means, strict=True))
    cross = sum(a * b for a, b in zip(dx, dy, strict=True))
    square = cross * cross / (sum(a * a for a in dx) * sum(b * b for b in dy))
    return math.copysign(math.sqrt(square), cross)


@every("place", [0.0, 0.1, 0.5, -0.9, 1.0, 1e6])
@every("seed", range(5))
def test_pearson_of_scores_that_hardly_differ_has_all_its_digits(place, seed):
    rng = np.random.default_rng(seed)
    step = max(1e-12, 4 * np.spacing(abs(place)))
    x = place + step * rng.normal(size=40)
    y = rng.integers(3, size=40)
    assert pearson(x, y)[0] == pytest.approx(exact(x, y), abs=1e-14)
    assert pearson(y, x)[0] == pytest.approx(exact(x, y), abs=1e-14)


@every("scale", SPREADS)
def test_a_coefficient_does_not_depend_on_the_size_of_the_scores(scale):
    rng = np.random.default_rng(0)
    x, y = rng.integers(-20, 20, size=30).astype(float), rng.integers(4, size=30).astype(float)
    counts = rng.integers(4, size=(7, 30))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for coefficient in (pearson, spearman, kendall, tau_c):
            assert coefficient(scale * x, y, counts) == pytest.approx(coefficient(x, y, counts), abs=1e-12)
            assert coefficient(y, scale * x, counts) == pytest.approx(coefficient(x, y, counts), abs=1e-12)
        assert auc(scale * x, y, 2, counts) == pytest.approx(auc(x, y, 2, counts), abs=1e-12)


def test_the_largest_numbers_of_all_have_coefficients():
    top = np.finfo(float).max
    x, y = [-top, top, top, 0.0], [0, 1, 2, 0]
    assert pearson(x, y) == pytest.approx(pearson([-1, 1, 1, 0], y))


columns = st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=12)


@given(rows=columns, place=st.sampled_from([0.0, 0.5, -1.0]), step=st.sampled_from([1e-12, 2.0**-50, 0.25, 1e300]))
def test_all_coefficients_are_those_of_scipy_for_repeated_rows(rows, place, step):
    from scipy import stats

    values, labels, times = (np.array(entry) for entry in zip(*rows, strict=True))
    x, y = place + step * values, labels.astype(float)
    ours, message = np.repeat(x, times), np.repeat(y, times)
    result = {entry: entry(x, y, times[None])[0] for entry in (pearson, spearman, kendall, tau_c)}
    if len(ours) < 2 or ours.min() == ours.max() or message.min() == message.max():
        assert all(math.isnan(value) for value in result.values())
        return
    assert result[pearson] == pytest.approx(exact(ours, message), abs=1e-13)
    assert result[spearman] == pytest.approx(stats.spearmanr(ours, message).statistic, abs=1e-12)
    assert result[kendall] == pytest.approx(stats.kendalltau(ours, message).statistic, abs=1e-12)
    assert result[tau_c] == pytest.approx(stats.kendalltau(ours, message, variant="c").statistic, abs=1e-12)
    positive, negative = ours[message >= 1], ours[message < 1]
    if len(positive) and len(negative):
        u = stats.mannwhitneyu(positive, negative).statistic / len(positive) / len(negative)
        assert auc(x, y, 1, times[None])[0] == pytest.approx(u, abs=1e-12)


REFERENCES = {
    pearson: lambda x, y: stats.pearsonr(x, y).statistic,
    spearman: lambda x, y: stats.spearmanr(x, y).statistic,
    kendall: lambda x, y: stats.kendalltau(x, y, variant="b").statistic,
    tau_c: lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
}
ours = pytest.mark.parametrize("ours", REFERENCES, ids=lambda function: function.__name__)


def written_out(coefficient, x, y, times):
    """The coefficient of scipy for the rows, each as often as it is counted."""
    return REFERENCES[coefficient](np.repeat(x, times), np.repeat(y, times))


@ours
@pytest.mark.parametrize("few_classes", [True, False])
def test_it_is_that_of_scipy_for_many_rows_with_and_without_ties(ours, few_classes):
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=300).astype(float) if few_classes else rng.normal(size=300)
    x = rng.normal(size=300) + y
    counts = rng.integers(4, size=(3, 300))
    assert ours(x, y, counts) == pytest.approx([written_out(ours, x, y, times) for times in counts], abs=1e-12)


@ours
def test_resamples_are_the_same_in_blocks_of_any_size(ours, monkeypatch):
    rng = np.random.default_rng(8)
    x, y, counts = rng.normal(size=20), rng.integers(3, size=20), rng.integers(3, size=(7, 20))
    whole = ours(x, y, counts)
    monkeypatch.setattr("answersim.stats.coefficients.weighted._BLOCK", 40)
    assert ours(x, y, counts) == pytest.approx(whole, abs=1e-15)


@every("ours", REFERENCES)
@every(
    ("x", "y", "counts"),
    [
        ([0.5], [1], None),  # one row
        ([1, 1, 1], [0, 1, 2], None),
        ([1, 2, 3], [2, 2, 2], [[1, 1, 1]]),
        ([1, 2, 3], [0, 1, 2], [[0, 5, 0]]),
        ([1, 1, 3], [0, 1, 2], [[2, 1, 0]]),  # the resample makes x constant
        ([1, 2, 3], [0, 1, 2], [[0, 0, 0]]),
        ([], [], [[]]),
    ],
)
def test_a_constant_column_is_nan_and_warns_of_nothing(ours, x, y, counts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        times = counts if counts is None else np.array(counts, dtype=int)
        assert np.isnan(ours(x, y, times)).tolist() == [True]


@every("ours", REFERENCES)
@every(
    ("x", "y", "counts", "message"),
    [
        ([1, 2], [1, 2, 3], None, r"x has the shape \(2,\) and y \(3,\)"),
        ([1, np.nan], [1, 2], None, "x contains nan"),
        ([1, 2], [1, np.inf], None, "y contains inf"),
        ([1, 2], [1, 2], [[1, -1]], "counts contain -1"),
        ([1, 2], [1, 2], [[0.5, 0.5]], "counts are float64"),
        ([1, 2], [1, 2], [1, 1], r"counts are int64 of shape \(2,\)"),
    ],
)
def test_what_cannot_be_correlated_is_refused(ours, x, y, counts, message):
    with pytest.raises(ValueError, match=message):
        ours(x, y, counts)


def test_a_cut_that_leaves_one_side_empty_has_no_auc():
    assert np.isnan(auc([0.1, 0.2], [0, 1], 5)).all()
    assert np.isnan(auc([0.1, 0.1, 0.2], [0, 1, 1], 1, np.array([[1, 1, 0]]))).all()  # the resample makes x constant


def test_every_label_but_the_lowest_is_a_cut():
    assert cuts(np.array([2.0, 0.0, 0.0, 1.5])) == (1.5, 2.0)
    assert cuts(np.array([1.0, 1.0])) == ()


@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall, tau_c, partial(auc, cut=1)])
@given(st.lists(st.integers(0, 3), min_size=6, max_size=6), st.lists(st.integers(0, 2), min_size=6, max_size=6))
@settings(max_examples=15, deadline=None)
def test_it_is_the_highest_value_of_all_orders_of_the_same_scores(coefficient, x, y):
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
