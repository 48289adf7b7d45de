"""Pearson and Spearman of weighted rows: equal to exact arithmetic, however close or large the numbers are."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.stats.auc import auc
from answersim.stats.correlation import correlations
from answersim.stats.kendall import kendall, tau_c
from answersim.stats.weighted import pearson, spearman
from tests.cases import every

SPREADS = [1e-300, 1e-12, 1e12, 1e300]


def exact(x, y):
    """Pearson's r of these floats in exact arithmetic, rounded once."""
    xs, ys = ([Fraction(float(each)) for each in column] for column in (x, y))
    means = [sum(column) / len(column) for column in (xs, ys)]
    dx, dy = ([each - mean for each in column] for column, mean in zip((xs, ys), means, strict=True))
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
    assert correlations(x, y).pearson == pytest.approx(exact(x, y), abs=1e-14)


def test_a_resample_of_nearly_equal_scores_has_all_its_digits():
    rng = np.random.default_rng(3)
    x = np.concatenate([0.7 + 1e-12 * rng.normal(size=30), [0.0]])  # the last row alone spreads the column
    y = rng.integers(3, size=31)
    counts = rng.integers(3, size=(20, 31))
    counts[:, -1] = 0
    for found, times in zip(pearson(x, y, counts), counts, strict=True):
        assert found == pytest.approx(exact(np.repeat(x, times), np.repeat(y, times)), abs=1e-14)


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
        assert correlations(scale * x, y)[1:] == pytest.approx(correlations(x, y)[1:], abs=1e-12)


def test_the_largest_numbers_of_all_have_coefficients():
    top = np.finfo(float).max
    x, y = [-top, top, top, 0.0], [0, 1, 2, 0]
    small = pearson([-1, 1, 1, 0], y)
    assert pearson(x, y) == pytest.approx(small)
    assert correlations(x, y).pearson == pytest.approx(small[0])


columns = st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=12)


@given(rows=columns, place=st.sampled_from([0.0, 0.5, -1.0]), step=st.sampled_from([1e-12, 2.0**-50, 0.25, 1e300]))
def test_all_coefficients_are_those_of_scipy_for_repeated_rows(rows, place, step):
    from scipy import stats

    values, labels, times = (np.array(each) for each in zip(*rows, strict=True))
    x, y = place + step * values, labels.astype(float)
    ours, message = np.repeat(x, times), np.repeat(y, times)
    result = {each: each(x, y, times[None])[0] for each in (pearson, spearman, kendall, tau_c)}
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
