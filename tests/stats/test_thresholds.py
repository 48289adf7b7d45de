"""Cuts: checked against slow loops, and the interval of a choice against the best cut of known populations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.stats.thresholds import RULES, choose, count, resampled

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


def slow_choice(scores, labels, rule, target):
    """By rule, the best cut: of equals the lowest."""
    best, chosen = -1.0, np.inf
    for cut in count(scores, labels).cuts:
        right, wrong = confusion(scores, labels, cut)
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


def test_an_unknown_rule_is_answered_with_the_nearest():
    with pytest.raises(LookupError, match="did you mean 'precision'"):
        choose(count([0, 1], [0, 1]), "precison")


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
