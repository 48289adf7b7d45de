"""Error rates and probabilities of right: curves, bins and corrections, by hand, simulated and by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.stats.calibration.cross_fit import cross_fitted, folds_of
from answersim.stats.calibration.monotone import Isotonic, Logistic, isotonic, logistic
from answersim.stats.calibration.reliability import reliability
from answersim.stats.calibration.thresholds import RULES, choose, count, resampled
from answersim.stats.coefficients.confusion import MEASURES, Confusion, accuracy, cells, kappa, mcc
from answersim.stats.few_labels.error_rates import error_rates
from answersim.stats.few_labels.stratified import stratified
from answersim.stats.intervals.proportion import jeffreys
from tests.cases import every

LABELS = [1, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1]
CALLED = [1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0]
SKEWED_LABELS = [1] * 85 + [0] * 15
SKEWED_CALLED = [1] * 80 + [0] * 5 + [1] * 9 + [0] * 6


@pytest.mark.parametrize(
    ("called", "labels", "expected"),
    [
        # The values of scikit-learn 1.9.1: accuracy, cohen_kappa_score, matthews_corrcoef, recall of 1 and of 0.
        pytest.param(CALLED, LABELS, (2 / 3, 0.32432432432432434, 0.32732683535398854, 2 / 3, 2 / 3), id="mixed"),
        pytest.param(
            *(SKEWED_CALLED, SKEWED_LABELS, (0.86, 0.3832599118942731, 0.38935236647116056, 0.9411764705882353, 0.4)),
            id="skewed",
        ),
        pytest.param([0, 0, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0], (0, -0.8, -1, 0, 0), id="opposite"),
        pytest.param([1, 0, 1], [1, 0, 1], (1, 1, 1, 1, 1), id="the same"),
        # A constant column has no kappa (scikit-learn returns 0) and no MCC, which divides by 0.
        pytest.param([1, 1, 1, 1], [1, 1, 0, 0], (0.5, np.nan, np.nan, 1, 0), id="one verdict"),
        pytest.param([1, 0, 0, 0], [1, 1, 1, 1], (0.25, np.nan, np.nan, 0.25, np.nan), id="one label"),
        pytest.param([1, 1], [1, 1], (1, np.nan, np.nan, 1, np.nan), id="both constant"),
        pytest.param([], [], (np.nan,) * 5, id="no rows"),
    ],
)
def test_the_measures_have_their_known_values(called, labels, expected):
    counted = Confusion(*cells(called, labels).sum(axis=1))
    np.testing.assert_allclose([measure(counted) for measure in MEASURES.values()], expected, atol=1e-12)


def test_arrays_of_samples_give_one_value_per_sample():
    samples = Confusion(*np.array([[6, 80, 0], [2, 9, 0], [3, 5, 0], [4, 6, 0]], dtype=float))
    np.testing.assert_allclose(kappa(samples), [0.32432432432432434, 0.3832599118942731, np.nan])
    np.testing.assert_allclose(mcc(samples), [0.32732683535398854, 0.38935236647116056, np.nan])
    np.testing.assert_allclose(accuracy(samples), [2 / 3, 0.86, np.nan])


N, N_LABELS = 1000, 100


def population(
    rng: np.random.Generator, right: float, positive: float, negative: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and verdicts with these shares of right answers, false positives and false negatives."""
    truth = rng.random(N) < right
    return truth.astype(float), np.where(truth, rng.random(N) >= negative, rng.random(N) < positive)


def labeled(rng: np.random.Generator, truth: np.ndarray, strata: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    drawn = stratified(strata, N_LABELS, "equal", rng)
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
def test_intervals_of_100_labels_contain_the_rates_of_all_answers(right, positive, negative, samples, least):
    rng = np.random.default_rng(5)
    covered = np.zeros(3)
    for _ in range(samples):
        truth, called = population(rng, right, positive, negative)
        labels, weights = labeled(rng, truth, called.astype(np.int64))
        rates = error_rates(called, labels, weights=weights)
        values = called[truth == 0].mean(), (~called[truth == 1]).mean(), (called == truth).mean()
        covered += [entry.low <= value <= entry.high for entry, value in zip(rates, values, strict=False)]
    assert (covered / samples >= least).all(), covered / samples


def test_labels_that_were_drawn_by_other_strata_need_their_weights() -> None:
    rng = np.random.default_rng(6)
    covered, naive = [], []
    for _ in range(80):
        truth, called = population(rng, 0.6, 0.2, 0.2)
        hard = (rng.random(N) < np.where(called == truth, 0.1, 0.8)).astype(np.int64)  # where the verifier errs
        labels, weights = labeled(rng, truth, hard)
        value = called[truth == 0].mean()
        for hits, inverse in ((covered, weights), (naive, None)):
            estimate = error_rates(called, labels, weights=inverse).false_positive
            hits.append(estimate.low <= value <= estimate.high)
    assert np.mean(covered) >= 0.9
    assert np.mean(naive) < 0.5


def test_rows_of_one_cluster_count_less() -> None:
    called, labels = np.repeat([True, False], 100), np.tile(np.repeat([1.0, 0.0], 10), 10)
    alone = error_rates(called, labels)
    together = error_rates(called, labels, groups=np.arange(200) // 10)
    assert together.accuracy.value == alone.accuracy.value
    assert together.accuracy.high - together.accuracy.low > 2 * (alone.accuracy.high - alone.accuracy.low)


def test_without_labels_of_one_kind_nothing_is_known() -> None:
    with pytest.raises(ValueError, match="none of the 2 answers that are not accepted has a label"):
        error_rates([True, True, False, False], [1.0, 0.0, np.nan, np.nan])


ROWS = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(0, 4)), min_size=1, max_size=25)


def columns(rows):
    return [np.array(entry) for entry in zip(*rows, strict=True)]


def confusion_at(scores, labels, cut):
    output = scores >= cut
    return int((output & labels).sum()), int((output & ~labels).sum())


@settings(deadline=None)
@given(ROWS, st.integers(0, 1000))
def test_a_sample_counts_as_its_rows_would(rows, seed):
    scores, labels, _ = columns(rows)
    held = np.random.default_rng(seed).integers(3, size=(2, len(rows)))
    result = count(scores, labels, held)
    assert (count(scores, labels).right == count(scores, labels, np.ones((1, len(rows)), dtype=int)).right).all()
    for sample, entry in enumerate(held):
        for i, cut in enumerate(result.cuts):
            expected = confusion_at(scores.repeat(entry), labels.repeat(entry), cut)
            assert (result.right[sample, i], result.wrong[sample, i]) == expected


def test_cuts_lie_between_scores_also_where_no_number_does():
    near = np.nextafter(1.0, 2.0)
    result = count([1.0, near], [0, 1])
    assert result.cuts.tolist() == [1.0, near, np.inf]
    assert result.right.tolist() == [[1, 1, 0]]
    assert result.wrong.tolist() == [[1, 0, 0]]


def slow_choice(scores, labels, rule, target):
    """By rule, the best cut: of equals the lowest."""
    best, chosen = -1.0, np.inf
    for cut in count(scores, labels).cuts:
        right, wrong = confusion_at(scores, labels, cut)
        missed = int(labels.sum()) - right
        if rule == "precision":
            if right + wrong and right / (right + wrong) >= target:
                return cut
            continue
        rows = len(labels)
        value = (rows - wrong - missed) / rows if rule == "accuracy" else 2 * right / max(2 * right + wrong + missed, 1)
        if value > best + 1e-12:
            best, chosen = value, cut
    return chosen


@settings(deadline=None)
@given(ROWS, st.sampled_from(RULES), st.sampled_from([0.5, 0.75, 0.9]))
def test_the_chosen_cut_is_the_one_a_search_finds(rows, rule, target):
    scores, labels, _ = columns(rows)
    result = count(scores, labels)
    assert result.cuts[choose(result, rule, target)[0]] == slow_choice(scores, labels, rule, target)


def test_a_precision_that_is_reached_exactly_is_reached():
    labels = np.array([1] * 19 + [0])
    result = count(np.arange(20)[::-1], labels)
    assert result.cuts[choose(result, "precision", 19 / 20)[0]] == 0


def test_resamples_hold_all_rows_of_a_group_equally_often():
    groups = np.array([0, 0, 1, 2, 2, 2])
    drawn = np.concatenate(list(resampled(groups, 50, np.random.default_rng(0))))
    assert drawn.shape == (50, 6)
    assert (drawn[:, 0] == drawn[:, 1]).all()
    assert (drawn[:, 3] == drawn[:, 5]).all()
    assert (drawn[:, [0, 2, 3]].sum(axis=1) == 3).all()


def test_many_rows_are_drawn_in_blocks_that_stay_small():
    blocks = [entry.shape for entry in resampled(np.arange(1_500_000), 3, np.random.default_rng(0))]
    assert blocks == [(2, 1_500_000), (1, 1_500_000)]


@pytest.mark.slow
def test_the_interval_of_a_threshold_covers_the_best_threshold():
    """Two normal populations whose best cut is known: halfway between their means."""
    rng, held = np.random.default_rng(3), []
    for _ in range(200):
        labels = rng.integers(2, size=400)
        scores = 2.0 * labels + rng.normal(size=400)
        whole = count(scores, labels)
        chosen = np.concatenate(
            [choose(count(scores, labels, entry), "accuracy") for entry in resampled(np.arange(400), 300, rng)]
        )
        low, high = np.quantile(whole.cuts[chosen], [0.025, 0.975])
        held.append(low <= 1.0 <= high)
    assert np.mean(held) >= 0.9  # the bootstrap is only roughly right for a place of a maximum


def test_folds_have_whole_groups_and_nearly_equal_numbers_of_them():
    groups = [f"q{i}" for i in range(23) for _ in range(1 + i % 3)]
    folds = folds_of(groups, 5, np.random.default_rng(0))
    by_group = {group: {fold for other, fold in zip(groups, folds, strict=True) if other == group} for group in groups}
    assert all(len(fold) == 1 for fold in by_group.values())
    sizes = np.bincount([fold for (fold,) in by_group.values()])
    assert sorted(sizes) == [4, 4, 5, 5, 5]


@every(("ones", "called"), [(20, True), (21, True), (19, False)])
def test_a_constant_column_has_one_verdict_in_all_folds(ones, called):
    labels = [1] * ones + [0] * (40 - ones)
    folds = folds_of(range(40), 10, np.random.default_rng(0))
    result, thresholds = cross_fitted([0.0] * 40, labels, folds)
    assert result.tolist() == [called] * 40
    assert np.isnan(kappa(Confusion(*cells(result, labels).sum(axis=1))))
    assert len(set(thresholds.tolist())) == 1


def test_labels_of_one_kind_call_all_or_nothing():
    called, thresholds = cross_fitted([0.2, 0.5, 0.9], [0, 0, 0], [0, 1, 2])
    assert not called.any()
    assert np.isinf(thresholds).all()
    assert cross_fitted([0.2, 0.5, 0.9], [1, 1, 1], [2, 1, 0])[0].tolist() == [False, True, True]


@every("folds", [1, 4])
def test_too_few_or_too_many_folds_are_an_error(folds):
    with pytest.raises(ValueError, match=f"3 groups cannot be split into {folds} folds"):
        folds_of(["a", "b", "c", "a"], folds, np.random.default_rng(0))


LABELLED = st.lists(st.tuples(st.integers(-20, 20).map(lambda x: x / 7), st.booleans()), min_size=1, max_size=40).map(
    lambda rows: ([x for x, _ in rows], [int(y) for _, y in rows])
)
ANY = np.linspace(-4, 4, 97)


def noisy(n, seed, decimals=1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=n)
    return (labels + rng.normal(size=n)).round(decimals), labels


@pytest.mark.parametrize("seed", range(2))
def test_isotonic_is_that_of_scikit_learn_everywhere(seed):
    theirs = pytest.importorskip("sklearn.isotonic").IsotonicRegression(out_of_bounds="clip")
    scores, labels = noisy(200, seed)
    theirs.fit(scores, labels)
    assert isotonic(scores, labels)(ANY) == pytest.approx(theirs.predict(ANY), abs=1e-12)


def test_logistic_is_at_the_minimum_of_its_cross_entropy():
    scores, labels = noisy(300, 9, 8)
    curve, right = logistic(scores, labels), labels.sum()
    targets = np.where(labels > 0, (right + 1) / (right + 2), 1 / (300 - right + 2))
    error = 1 / (1 + np.exp(-(curve.slope * scores + curve.intercept))) - targets
    assert [error.mean(), (error * scores).mean()] == pytest.approx([0, 0], abs=1e-7)


def test_labels_that_are_fully_separated_have_a_finite_slope():
    curve = logistic([0.0] * 50 + [1.0] * 50, [0] * 50 + [1] * 50)
    assert curve([0.0, 1.0]) == pytest.approx([1 / 52, 51 / 52], abs=1e-4)


@every("fit", [isotonic, logistic])
def test_a_score_that_falls_with_likeness_gets_a_level_curve(fit):
    scores, labels = noisy(300, 4)
    curve = fit(-10 * labels + scores, labels)
    assert np.ptp(curve(ANY)) == pytest.approx(0, abs=1e-9)
    assert curve([0.0])[0] == pytest.approx(labels.mean(), abs=0.01)


@pytest.mark.parametrize("fit", [isotonic, logistic])
@settings(deadline=None)  # the first call loads scipy
@given(LABELLED)
def test_a_higher_score_never_has_a_lower_probability(fit, rows):
    result = fit(*rows)(ANY)
    assert (np.diff(result) >= -1e-12).all()
    assert result.min() >= 0
    assert result.max() <= 1


def test_a_score_beyond_all_that_was_seen_has_the_probability_at_the_end():
    assert isotonic([0, 1], [0, 1])([-9, 9]).tolist() == [0, 1]
    assert Logistic(1.0, 0.0)([-1e4, 1e4]).tolist() == [0, 1]  # and no overflow


@every(
    ("knots", "heights", "rule"),
    [
        ((), (), "give one height per knot"),
        ((0.0, 1.0), (0.5,), "give one height per knot"),
        ((1.0, 1.0), (0.0, 1.0), "must be finite and rise"),
        ((0.0, float("nan")), (0.0, 1.0), "must be finite and rise"),
        ((0.0, 1.0), (0.6, 0.5), "never fall"),
        ((0.0, 1.0), (0.0, 1.1), "never fall"),
    ],
)
def test_what_is_no_rising_curve_is_refused(knots, heights, rule):
    with pytest.raises(ValueError, match=rule):
        Isotonic(knots, heights)


@every(("slope", "intercept"), [(-1.0, 0.0), (float("inf"), 0.0), (1.0, float("nan"))])
def test_a_falling_or_infinite_logistic_curve_is_refused(slope, intercept):
    with pytest.raises(ValueError, match="do not define a rising curve"):
        Logistic(slope, intercept)


@every("scale", [1e-300, 1e300])
def test_the_curves_do_not_depend_on_the_size_of_the_scores(scale):
    rng = np.random.default_rng(0)
    x = rng.integers(-50, 50, size=80).astype(float)
    y = x / 50 + rng.normal(size=80) > 0
    for fit in (isotonic, logistic):
        assert fit(scale * x, y)(scale * x) == pytest.approx(fit(x, y)(x), abs=1e-6)


ROWS_PROBABILITIES = st.lists(
    st.tuples(st.integers(0, 10).map(lambda x: x / 10), st.booleans()), min_size=1, max_size=40
)


def found_on(message, truth, bins=10, resamples=0, seed=0):
    rng = np.random.default_rng(seed)
    samples = list(resampled(np.arange(len(message)), resamples, rng)) if resamples else []
    return reliability(message, truth, samples, bins=bins, rng=rng)


@settings(deadline=None)
@given(ROWS_PROBABILITIES, st.integers(1, 6))
def test_the_error_is_the_mean_distance_over_bins_and_every_row_is_in_one(rows, bins):
    output, truth = (np.array(item, dtype=float) for item in zip(*rows, strict=True))
    result = found_on(output, truth, bins)
    assert sum(bin_.n for bin_ in result.bins) == len(rows)
    assert 1 <= len(result.bins) <= bins
    order, start, total = np.argsort(output, kind="stable"), 0, 0.0
    for entry in result.bins:  # bins follow each other in the order of the probabilities
        ours = order[start : start + entry.n]
        start += entry.n
        assert entry.probability == pytest.approx(output[ours].mean())
        total += entry.n / len(rows) * abs(output[ours].mean() - truth[ours].mean())
    assert result.error.value == pytest.approx(total)
    assert result.brier.value == pytest.approx(np.mean((output - truth) ** 2))


def test_bins_are_of_equal_mass():
    result = found_on(np.linspace(0, 1, 100) ** 3, np.ones(100))
    assert [bin_.n for bin_ in result.bins] == [10] * 10


def test_probabilities_that_are_right_have_the_error_of_chance():
    rng = np.random.default_rng(4)
    output = rng.random(4000)
    result = found_on(output, rng.random(4000) < output, resamples=200)
    assert result.error.value == pytest.approx(result.by_chance, rel=0.5)
    assert sum(bin_.share.low <= bin_.probability <= bin_.share.high for bin_ in result.bins) >= 8


def test_probabilities_that_are_off_have_the_error_they_are_off_by():
    rng = np.random.default_rng(5)
    output = rng.random(20000)
    result = found_on(output, rng.random(20000) < output**2, resamples=100)
    assert result.error.value == pytest.approx(1 / 6, abs=0.01)  # the mean of p - p²
    assert result.error.low < 1 / 6 < result.error.high
    assert result.by_chance < 0.02


def test_without_resamples_there_is_no_interval():
    result = found_on([0.2, 0.9], [0, 1], 2)
    assert np.isnan([result.error.low, result.brier.high, result.bins[0].share.low]).all()
