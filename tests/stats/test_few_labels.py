"""Shares from few labels: the numbers of other programs, by hand, coverage, and samples by strata."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.stats.few_labels.prediction_powered import prediction_powered
from answersim.stats.few_labels.rogan_gladen import rogan_gladen
from answersim.stats.few_labels.stratified import pooled, strata_of, stratified
from answersim.stats.intervals.proportion import jeffreys, t_quantile, wilson
from tests.cases import cases_of, every

ROWS, LABELED = 3000, 400


def made(seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """Scores of answers of which 80 % are correct, and labels of the first 400."""
    rng = np.random.default_rng(seed)
    right = rng.random(ROWS) < 0.8
    scores = np.clip(np.where(right, 0.8, 0.3) + rng.normal(0, 0.2, ROWS), 0, 1)
    return scores, np.where(np.arange(ROWS) < LABELED, right, np.nan)


def test_the_estimate_is_that_of_ppi_py_for_the_same_weight():
    """ppi_python 0.2.3 has .7875 for lam = 0 and .78850523 for lam = 1, without the labeled rows in the second mean."""
    estimate = prediction_powered(*made(), share=False)
    lam = estimate.weight * (ROWS - LABELED) / ROWS
    assert estimate.value == pytest.approx(0.7875 + lam * (0.78850523 - 0.7875), abs=1e-8)


def test_the_weight_is_the_slope_of_least_squares_lowered_by_two_rows():
    scores, labels = made()
    slope = np.polyfit(scores[:LABELED], labels[:LABELED], 1)[0]
    assert prediction_powered(scores, labels).weight == pytest.approx(slope * LABELED / (LABELED + 2))


@every("kind", [0.0, 1.0])
def test_labels_of_one_class_have_the_interval_of_wilson(kind):
    estimate = prediction_powered(np.arange(1000.0), np.where(np.arange(1000) < 50, kind, np.nan))
    width = estimate.high - estimate.low
    assert estimate.value == kind
    assert 0.06 < width < 0.085  # Wilson's interval of 50 of 50 is [.929, 1]
    uneven = prediction_powered(
        np.arange(1000.0), np.where(np.arange(1000) < 50, kind, np.nan), weights=1 + 2.0 * (np.arange(1000) % 2)
    )
    assert (uneven.low, uneven.high) == pytest.approx(wilson(kind, 40, t_quantile(0.95, np.inf)))  # 50 / 1.25


def test_every_row_labeled_leaves_nothing_to_estimate_of_these_rows():
    rng = np.random.default_rng(0)
    scores, labels = rng.random(200), rng.integers(2, size=200)
    estimate = prediction_powered(scores, labels, finite=True)
    assert estimate.value == pytest.approx(labels.mean())
    assert estimate.low == pytest.approx(estimate.high)


def test_a_cluster_whose_rows_are_copies_counts_once():
    rng = np.random.default_rng(3)
    scores = rng.random(400)
    labels = np.where(np.arange(400) < 120, scores + rng.normal(0, 0.4, 400) > 0.5, np.nan)
    once = prediction_powered(scores, labels)
    copies = prediction_powered(np.repeat(scores, 5), np.repeat(labels, 5), groups=np.repeat(np.arange(400), 5))
    naive = prediction_powered(np.repeat(scores, 5), np.repeat(labels, 5))
    assert copies.value == pytest.approx(once.value, abs=2e-3)
    assert copies.high - copies.low == pytest.approx(once.high - once.low, rel=0.05)
    assert naive.high - naive.low < 0.6 * (once.high - once.low)


def test_rare_errors_of_one_direction_are_covered():
    """95 % of the answers are correct, and the verdicts err on 2 %: most samples of 50 show no more than one error."""
    rng, right = np.random.default_rng(50), np.arange(2000) >= 100
    verdicts = np.where(np.arange(2000) < 40, 1.0, right)
    covered = 0
    for _ in range(400):
        labels = np.full(2000, np.nan)
        drawn = rng.choice(2000, 50, replace=False)
        labels[drawn] = right[drawn]
        estimate = prediction_powered(verdicts, labels, finite=True)
        covered += estimate.low <= 0.95 <= estimate.high
    assert covered / 400 > 0.94


def test_the_interval_of_two_valued_scores_is_that_of_two_bins():
    scores = np.repeat([1.0, 0.0, 1.0, 0.0], [40, 10, 400, 100])
    labels = np.concatenate([np.repeat([1.0, 0.0, 1.0], [36, 4, 2]), np.zeros(8), np.full(500, np.nan)])
    estimate = prediction_powered(scores, labels, finite=True)
    (low_one, high_one), (low_zero, high_zero) = jeffreys(0.9, 40, 0.95), jeffreys(0.2, 10, 0.95)
    rest = (1 - 50 / 550) ** 0.5
    below = rest * ((0.8 * (0.9 - low_one)) ** 2 + (0.2 * (0.2 - low_zero)) ** 2) ** 0.5
    above = rest * ((0.8 * (high_one - 0.9)) ** 2 + (0.2 * (high_zero - 0.2)) ** 2) ** 0.5
    assert estimate.value == pytest.approx(0.8 * 0.9 + 0.2 * 0.2)
    # The residuals are those of a line through both bins, raised by the leverage and by the lower weight of the score.
    assert estimate.value - estimate.low == pytest.approx(below, rel=0.04)
    assert estimate.high - estimate.value == pytest.approx(above, rel=0.04)


def test_a_bin_without_errors_is_narrow_with_any_weights():
    rng = np.random.default_rng(11)
    scores = np.repeat([1.0, 0.0], [800, 200])
    labels = np.full(1000, np.nan)
    labels[:40], labels[800:820] = 1.0, 0.0
    labels[800] = 1.0
    widths = []
    for _ in range(50):  # for some weights, the share of a bin whose labels are all 1 is rounded to a number below 1
        weights = np.where(scores == 1, 20.0 + rng.random(1000), 10.0 + rng.random(1000))
        estimate = prediction_powered(scores, labels, weights=weights, strata=1 - scores)
        widths.append(estimate.high - estimate.low)
    assert 0.03 < min(widths) < max(widths) < 0.15


def test_weights_undo_a_sample_that_prefers_low_scores():
    rng = np.random.default_rng(5)
    covered, values, naive = 0, [], []
    for _ in range(300):
        right = rng.random(1200) < 0.8
        scores = np.where(rng.random(1200) < 0.8, right, ~right).astype(float)
        inclusion = np.where(scores == 1, 0.05, 0.3)
        labels = np.where(rng.random(1200) < inclusion, right, np.nan)
        estimate = prediction_powered(scores, labels, weights=1 / inclusion)
        covered += estimate.low <= 0.8 <= estimate.high
        values.append(estimate.value)
        naive.append(np.nanmean(labels))
    assert np.mean(values) == pytest.approx(0.8, abs=0.01)
    assert np.mean(naive) < 0.7
    assert 0.91 < covered / 300 < 0.99


def bumps(rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Five strata whose labels have nothing to do with the line through the scores, and the labels."""
    strata = np.arange(rows) % 5
    return strata, (rng.random(rows) < np.array([0.95, 0.05, 0.95, 0.05, 0.95])[strata]).astype(float)


@every("how", ["proportional", "equal"])
def test_without_a_score_the_variance_is_that_of_a_stratified_mean(how):
    rng = np.random.default_rng(2)
    values = rng.normal(0, 1, 900)
    strata = np.repeat([0, 1, 2], [600, 200, 100])
    values += 4 * strata
    drawn = stratified(strata, 90, how, rng)  # type: ignore[arg-type]
    labels = np.full(900, np.nan)
    labels[drawn.rows] = values[drawn.rows]
    estimate = prediction_powered(
        np.zeros(900), labels, weights=1 / drawn.inclusion, strata=strata, finite=True, share=False
    )
    # Cochran 1977, equations 5.1 and 5.6: sum of W_h^2 s_h^2 / n_h. One correction for all strata: 1 - n / N.
    of_strata = [labels[(strata == h) & ~np.isnan(labels)] for h in range(3)]
    shares = np.array([600, 200, 100]) / 900
    value = sum(share * part.mean() for share, part in zip(shares, of_strata, strict=True))
    variance = sum(share**2 * part.var(ddof=1) / len(part) for share, part in zip(shares, of_strata, strict=True))
    assert estimate.value == pytest.approx(value)
    half = t_quantile(0.95, 88) * (variance * (1 - 90 / 900)) ** 0.5
    assert (estimate.low, estimate.high) == pytest.approx((value - half, value + half))


def test_the_population_adds_the_variance_of_a_file_of_this_size():
    rng = np.random.default_rng(4)
    strata, values = bumps(1000, rng)
    drawn = stratified(strata, 200, "proportional", rng)
    labels = np.full(1000, np.nan)
    labels[drawn.rows] = values[drawn.rows]
    rows, population = (
        prediction_powered(np.zeros(1000), labels, strata=strata, finite=finite, share=False)
        for finite in (True, False)
    )
    apart = ((population.high - population.low) ** 2 - (rows.high - rows.low) ** 2) / (2 * t_quantile(0.95, 198)) ** 2
    assert apart == pytest.approx(values.var() / 1000, rel=0.1)


def test_one_stratum_is_a_uniform_draw_and_strata_ignore_the_labels():
    rng = np.random.default_rng(8)
    strata, right = bumps(1000, rng)
    labels = np.where(np.arange(1000) < 100, right, np.nan)
    without, result = (prediction_powered(rng.random(1000) * 0 + right, labels, strata=s) for s in (None, strata))
    assert result[6:] == without[6:]
    estimate = prediction_powered(strata, labels, strata=np.zeros(1000), share=False)
    none = prediction_powered(strata, labels, share=False)
    assert estimate.value == none.value
    assert estimate.high - estimate.low == pytest.approx(none.high - none.low, rel=0.01)


def test_extreme_scores_count_by_their_rank():
    rng = np.random.default_rng(2)
    right = (rng.random(500) < 0.5).astype(float)
    labels = np.where(np.arange(500) < 30, right, np.nan)
    scores = np.exp(3 * rng.standard_normal(500) + 2 * right)
    ranks = np.argsort(np.argsort(scores)).astype(float)
    assert prediction_powered(scores, labels) == pytest.approx(prediction_powered(ranks, labels))


# By hand, (called / rows + tnr - 1) / (tpr + tnr - 1): perfect verdicts; (.78 - .1) / .85; below 0, which is clipped.
@every(
    ("called", "tpr", "tnr", "value"),
    [(780, 1.0, 1.0, 0.78), (780, 0.95, 0.9, 0.8), (50, 0.95, 0.9, 0.0), (990, 0.95, 0.9, 1.0)],
)
def test_the_share_is_that_of_the_formula(called, tpr, tnr, value):
    estimate = rogan_gladen(called, 1000, tpr * 80, 80, tnr * 20, 20)
    assert estimate.value == pytest.approx(value)
    assert 0 <= estimate.low <= estimate.high <= 1


# The formulas of Lang & Reiczigel 2014 as in the program of the authors (CI4TruePrevalence_15_03_2013.r), evaluated
# with awk.
@every(("counts", "interval"), cases_of(__file__)["the_interval_is_that_of_lang_and_reiczigel"])
def test_the_interval_is_that_of_lang_and_reiczigel(counts, interval):
    assert rogan_gladen(*counts)[1:] == pytest.approx(interval, abs=1e-6)


@every(("positives", "negatives", "kind"), [(0, 20, "positive"), (20, 0, "negative")])
def test_labels_of_one_class_are_refused(positives, negatives, kind):
    with pytest.raises(ValueError, match=f"no labeled row is {kind}.*method='ppi'"):
        rogan_gladen(500, 1000, positives, positives, negatives, negatives)


def test_verdicts_at_chance_are_refused():
    with pytest.raises(ValueError, match=r"no better than chance \(true positive rate 0.500"):
        rogan_gladen(500, 1000, 10, 20, 10, 20)


def test_strata_have_about_as_many_rows_and_keep_equal_scores_together():
    scores = np.random.default_rng(0).random(100)
    assert np.bincount(strata_of(scores, 5)).tolist() == [20] * 5
    assert strata_of([1.0] * 7, 5).tolist() == [0] * 7
    assert strata_of([0, 0, 0, 1, 1, 1], 5).tolist() == [0, 0, 0, 1, 1, 1]


@every("share", [0.5, 0.8, 0.81, 0.9, 0.99])
@every("sign", [1, -1])
def test_a_frequent_score_is_a_stratum_at_both_ends(share, sign):
    many = round(1000 * share)
    scores = sign * np.array([1.0] * many + [0.5] * (1000 - many))
    strata = strata_of(scores, 5)
    assert sorted(np.bincount(strata).tolist()) == sorted([many, 1000 - many])
    drawn = stratified(strata, 20, "equal", np.random.default_rng(0))
    assert (np.abs(scores[drawn.rows]) < 1).sum() == 10


@every("how", ["proportional", "equal"])
@every("n", [1, 7, 50, 100])
def test_exactly_n_rows_are_drawn_once_each(how, n):
    strata = np.repeat([0, 1, 2], [60, 37, 3])
    drawn = stratified(strata, n, how, np.random.default_rng(n))
    assert len(set(drawn.rows.tolist())) == n == len(drawn.rows)
    assert drawn.inclusion.sum() == pytest.approx(n)


@every("how", ["proportional", "equal"])
def test_rows_are_drawn_as_often_as_their_probability(how):
    strata = np.repeat([0, 1, 2], [23, 11, 3])
    times = np.zeros(37)
    for seed in range(4000):
        drawn = stratified(strata, 10, how, np.random.default_rng(seed))
        times[drawn.rows] += 1
    np.testing.assert_allclose(times / 4000, drawn.inclusion, atol=0.04)


@every("n", [0, 11])
def test_other_numbers_of_rows_are_refused(n):
    with pytest.raises(ValueError, match=f"{n} of 10 rows cannot be drawn; give a number from 1 to 10"):
        stratified(np.zeros(10, dtype=int), n, "equal", np.random.default_rng(0))


def test_an_unknown_allocation_is_refused():
    with pytest.raises(LookupError, match="no allocation is called 'neyman'"):
        stratified(np.zeros(10, dtype=int), 3, "neyman", np.random.default_rng(0))


@every(
    ("strata", "joined"),
    [
        ([0, 0, 1, 1], [0, 0, 1, 1]),
        ([0, 1, 1], [0, 0, 0]),  # the first one with the next
        ([0, 0, 1], [0, 0, 0]),  # the last one with the one before
        ([0, 2, 5, 9], [0, 0, 1, 1]),
        ([0, 2, 5], [0, 0, 0]),
        ([7, 7, 7], [0, 0, 0]),
        ([3, 1, 3, 1], [1, 0, 1, 0]),  # in any order
    ],
)
def test_a_stratum_with_one_row_is_joined_with_a_neighbor(strata, joined):
    assert pooled(strata).tolist() == joined


@given(st.lists(st.integers(0, 9), min_size=2, max_size=30))
def test_no_pooled_stratum_has_one_row_or_is_split(strata):
    joined = pooled(strata)
    assert (np.bincount(joined) >= 2).all()
    order = np.argsort(strata, kind="stable")
    assert (np.diff(joined[order]) >= 0).all()
    assert all(len(set(joined[np.array(strata) == i].tolist())) == 1 for i in set(strata))
