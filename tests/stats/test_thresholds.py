"""Cuts: held against slow loops, and bounds against scipy's binomial test and against what further pairs show."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from answersim.stats.thresholds import RULES, choose, count, labels_needed, largest_target, precision_bound, resampled

ROWS = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(0, 4)), min_size=1, max_size=25)


def columns(rows):
    return [np.array(each) for each in zip(*rows, strict=True)]


def confusion(scores, labels, cut):
    output = scores >= cut
    return int((output & labels).sum()), int((output & ~labels).sum())


@settings(deadline=None)
@given(ROWS, st.integers(0, 1000))
def test_a_sample_counts_as_its_rows_would(rows, seed):
    scores, labels, _ = columns(rows)
    held = np.random.default_rng(seed).integers(3, size=(2, len(rows)))
    result = count(scores, labels, held)
    assert (count(scores, labels).right == count(scores, labels, np.ones((1, len(rows)), dtype=int)).right).all()
    for sample, each in enumerate(held):
        for i, cut in enumerate(result.cuts):
            expected = confusion(scores.repeat(each), labels.repeat(each), cut)
            assert (result.right[sample, i], result.wrong[sample, i]) == expected


def test_cuts_lie_between_scores_also_where_no_number_does():
    near = np.nextafter(1.0, 2.0)
    result = count([1.0, near], [0, 1])
    assert result.cuts.tolist() == [1.0, near, np.inf]
    assert result.right.tolist() == [[1, 1, 0]]
    assert result.wrong.tolist() == [[1, 0, 0]]


def slow_choice(scores, labels, rule, target, recall):
    """By rule, the best cut: of equals the lowest."""
    best, chosen = -1.0, np.inf
    for cut in count(scores, labels).cuts:
        right, wrong = confusion(scores, labels, cut)
        missed = int(labels.sum()) - right
        if rule == "precision":
            if right + wrong and right / (right + wrong) >= target and right >= recall * labels.sum():
                return cut
            continue
        rows = len(labels)
        value = (rows - wrong - missed) / rows if rule == "accuracy" else 2 * right / max(2 * right + wrong + missed, 1)
        if value > best + 1e-12:
            best, chosen = value, cut
    return chosen


@settings(deadline=None)
@given(ROWS, st.sampled_from(RULES), st.sampled_from([0.5, 0.75, 0.9]), st.sampled_from([0.0, 0.5]))
def test_the_chosen_cut_is_the_one_a_search_finds(rows, rule, target, recall):
    scores, labels, _ = columns(rows)
    result = count(scores, labels)
    assert result.cuts[choose(result, rule, target, recall)[0]] == slow_choice(scores, labels, rule, target, recall)


def test_a_precision_that_is_reached_exactly_is_reached():
    labels = np.array([1] * 19 + [0])
    result = count(np.arange(20)[::-1], labels)
    assert result.cuts[choose(result, "precision", 19 / 20)[0]] == 0


def test_an_unknown_rule_is_answered_with_the_nearest():
    with pytest.raises(LookupError, match="did you mean 'precision'"):
        choose(count([0, 1], [0, 1]), "precison")


@settings(max_examples=50, deadline=None)
@given(ROWS)
def test_the_bound_is_that_of_a_slow_loop_over_groups(rows):
    scores, labels, groups = columns(rows)
    bound = precision_bound(scores, labels, groups)
    for cut, each in zip(count(scores, labels).cuts, bound, strict=True):
        output = scores >= cut
        n, right = int(output.sum()), int((output & labels).sum())
        if not right:
            assert each == 0
            continue
        share, spread, sizes = right / n, 0.0, 0
        for group in set(groups.tolist()):
            ours = output & (groups == group)
            spread += (float((ours & labels).sum()) - share * float(ours.sum())) ** 2
            sizes += int(ours.sum()) ** 2
        likeness = spread / (n * share * (1 - share)) if share < 1 else sizes / n
        rows_left = n / max(likeness, 1)
        expected = stats.beta.ppf(0.05, share * rows_left, rows_left - share * rows_left + 1)
        assert each == pytest.approx(expected, abs=1e-9)


def test_resamples_hold_all_rows_of_a_group_equally_often():
    groups = np.array([0, 0, 1, 2, 2, 2])
    drawn = np.concatenate(list(resampled(groups, 50, np.random.default_rng(0))))
    assert drawn.shape == (50, 6)
    assert (drawn[:, 0] == drawn[:, 1]).all()
    assert (drawn[:, 3] == drawn[:, 5]).all()
    assert (drawn[:, [0, 2, 3]].sum(axis=1) == 3).all()


def test_many_rows_are_drawn_in_blocks_that_stay_small():
    blocks = [each.shape for each in resampled(np.arange(1_500_000), 3, np.random.default_rng(0))]
    assert blocks == [(2, 1_500_000), (1, 1_500_000)]


@pytest.mark.slow
@pytest.mark.parametrize("alike", [0.0, 0.5])
def test_the_bound_holds_as_often_as_its_confidence(alike):
    rng, held = np.random.default_rng(2), []
    groups = np.arange(300) // 3
    for _ in range(300):
        both = np.sqrt(alike) * rng.normal(size=100)[groups] + np.sqrt(1 - alike) * rng.normal(size=300)
        labels = both < stats.norm.ppf(0.9)
        held.append(precision_bound(np.zeros(300), labels, groups, 0.9)[0] <= 0.9)
    assert np.mean(held) >= 0.86  # 90 % less two standard errors


@pytest.mark.slow
def test_the_interval_of_a_threshold_covers_the_best_threshold():
    """Two normal populations whose best cut is known: halfway between their means."""
    rng, held = np.random.default_rng(3), []
    for _ in range(200):
        labels = rng.integers(2, size=400)
        scores = 2.0 * labels + rng.normal(size=400)
        whole = count(scores, labels)
        chosen = np.concatenate(
            [choose(count(scores, labels, each), "accuracy") for each in resampled(np.arange(400), 300, rng)]
        )
        low, high = np.quantile(whole.cuts[chosen], [0.025, 0.975])
        held.append(low <= 1.0 <= high)
    assert np.mean(held) >= 0.9  # the bootstrap is only roughly right for a place of a maximum


def normals(n, rng, apart=2.0):
    labels = rng.random(n) < 0.5
    return apart * labels + rng.normal(size=n), labels


@pytest.mark.slow
def test_a_guarantee_fails_no_more_often_than_its_confidence_allows():
    """Of 500 samples of 500 pairs each, at 95 %: the cut that is promised lies too low in about 5 %."""
    from scipy.stats import norm

    rng, broken, largest = np.random.default_rng(0), [], []
    for _ in range(500):
        scores, labels = normals(500, rng)
        bound, cuts = precision_bound(scores, labels, np.arange(500)), count(scores, labels).cuts
        true = 1 / (1 + norm.sf(cuts) / np.maximum(norm.sf(cuts - 2), 1e-300))
        kept = bound >= 0.9
        broken.append(bool(kept.any() and true[np.argmax(kept)] < 0.9))
        largest.append(true[np.argmax(bound)] < bound.max())
    assert np.mean(broken) <= 0.08
    assert np.mean(largest) <= 0.15  # a target that is chosen by what can be promised costs more


def test_the_largest_target_is_promised_and_the_next_larger_one_is_not():
    scores, labels = normals(300, np.random.default_rng(1))
    result = largest_target(scores, labels, np.arange(300))
    bound = precision_bound(scores, labels, np.arange(300))
    assert (bound >= result).any()
    assert not (bound > result).any()
    assert largest_target([0.1, 0.2], [0, 0], [0, 1]) == 0


def test_the_labels_that_a_target_needs_are_about_those_with_which_it_is_promised():
    """Of samples of 600 pairs some three quarters can promise .95; 298 pairs say so to within a factor of 2."""
    rng = np.random.default_rng(2)
    message = [labels_needed(*normals(298, rng), np.arange(298), 0.95) for _ in range(40)]  # type: ignore[call-arg] # two arrays
    assert 350 < np.nanmedian(message) < 1200
    enough = [largest_target(*normals(600, rng), np.arange(600)) >= 0.95 for _ in range(40)]  # type: ignore[call-arg] # two arrays
    few = [largest_target(*normals(150, rng), np.arange(150)) >= 0.95 for _ in range(40)]  # type: ignore[call-arg] # two arrays
    assert np.mean(enough) > 0.5
    assert np.mean(few) < 0.2


def test_no_number_of_labels_is_named_where_none_suffices():
    assert np.isnan(labels_needed(np.arange(40.0), np.arange(40) % 2, np.arange(40), 0.95))
    assert labels_needed(np.arange(200.0), np.arange(200) >= 50, np.arange(200), 0.9) == 200  # it is promised already
