"""The paired tests between metrics, and the groups that they form."""

import math

import numpy as np
import pytest

from answersim.evaluation.agreement import Agreement, correlate
from answersim.evaluation.agreement.comparing import TESTS, too_few
from answersim.evaluation.agreement.measuring import Settings
from answersim.stats.resampling import Bootstrap, holm
from tests.cases import every
from tests.evaluation.agreement.made_judgments import judged


@pytest.fixture(scope="module")
def against() -> Agreement:
    return correlate(judged(), against="poor", compare=("pearson", "tau-b"), bootstrap=Bootstrap(resamples=150))


def test_metrics_of_the_same_worth_are_grouped_and_a_worse_one_stands_alone(found):
    groups = [set(group.metrics) for group in found.groups if (group.subset, group.coefficient) == ("all", "tau-b")]
    assert {"good", "same"} in groups
    assert {"poor"} in groups


def test_a_difference_is_first_less_second_with_its_interval(found):
    for comparison in found.comparisons:
        first, second = (
            found.row(name, comparison.subset).measured[comparison.coefficient]
            for name in (comparison.first, comparison.second)
        )
        if not math.isnan(comparison.difference):
            assert comparison.difference == pytest.approx(first.value - second.value)
            assert comparison.low <= comparison.difference <= comparison.high


def test_permutations_are_not_drawn_to_compare_all_pairs(found):
    assert found.settings["tests"] == ("bootstrap",)
    assert all(math.isnan(comparison.p_permutation) for comparison in found.comparisons)


def test_holm_is_over_all_comparisons_by_one_coefficient_and_test(against):
    for coefficient in ("pearson", "tau-b"):
        family = [comparison for comparison in against.comparisons if comparison.coefficient == coefficient]
        assert len(family) == 3 * 3
        for test in TESTS:
            p = [getattr(each, f"p_{test}") for each in family]
            np.testing.assert_allclose([getattr(each, f"holm_{test}") for each in family], holm(p))


def test_against_one_metric_both_tests_find_the_better_ones(against):
    assert {comparison.second for comparison in against.comparisons} == {"poor"}
    pearson = [comparison for comparison in against.comparisons if comparison.coefficient == "pearson"]
    whole = {comparison.first: comparison for comparison in pearson if comparison.subset == "all"}
    for name in ("good", "same"):
        assert max(whole[name].p_bootstrap, whole[name].p_permutation) < 0.02
    assert math.isnan(whole["flat"].p_bootstrap)
    assert against.groups == ()


def test_so_many_resamples_are_drawn_that_something_can_be_significant(found):
    comparisons = len(found.comparisons) / 2  # of one coefficient
    assert found.settings["test_resamples"] >= comparisons / 0.05
    assert (
        min(comparison.holm_bootstrap for comparison in found.comparisons if not math.isnan(comparison.difference))
        <= 0.05
    )
    few = correlate(judged(), bootstrap=Bootstrap(resamples=50), test_resamples=60)
    assert (
        min(comparison.p_bootstrap for comparison in few.comparisons if not math.isnan(comparison.difference)) == 1 / 61
    )


def test_more_comparisons_than_resamples_can_tell_of_are_noted():
    few = correlate(judged(60), bootstrap=Bootstrap(resamples=50), test_resamples=60)
    assert "18 comparisons by 60 resamples: not even the smallest p" in few.notes[0]
    kept = Bootstrap(level=0.8, resamples=50)
    assert correlate(judged(60), bootstrap=kept, test_resamples=60, against="poor").notes == ()


@every(("draws", "noted"), [(22, True), (23, False), (24, False)])
def test_the_smallest_p_may_equal_the_level_after_holms_correction(draws, noted):
    settings = Settings(0.75, draws, draws, "percentile", ("tau-b",), None, TESTS, 0)  # 6 / 24 is exactly 1 - .75
    assert bool(too_few(settings, metrics=4, parts=1)) == noted
