"""The content of a study: rows by name, and the best metrics."""

import math

import pytest

from answersim.evaluation.agreement import correlate
from answersim.evaluation.agreement.rows import PAIRWISE, chance
from answersim.stats.resampling import Bootstrap
from tests.cases import every
from tests.evaluation.agreement.made_judgments import noise


def test_an_unknown_row_is_named_with_the_nearest(found):
    with pytest.raises(LookupError, match="did you mean 'good'"):
        found.row("god")
    with pytest.raises(LookupError, match="did you mean 'F1=0'"):
        found.row("good", "f1=0")


def test_where_no_metric_agrees_none_agrees_best():
    agreement = correlate(noise(one=0.0, other=0.0), bootstrap=Bootstrap(resamples=100))
    for subset in ("all", "F1=0", "F1!=0"):
        assert agreement.best(subset).metric is None


def test_a_metric_that_orders_pairs_against_the_labels_does_not_agree():
    agreement = correlate(noise(against=-2.0, nothing=0.0), bootstrap=Bootstrap(resamples=100))
    assert agreement.best().metric is None
    assert agreement.best().disagreeing == ("against",)
    assert agreement.best(coefficient="auc>=1").disagreeing == ("against",)


def test_the_best_is_listed_with_those_that_do_not_differ_from_it():
    agreement = correlate(
        noise(good=2.0, same=2.0, poor=0.4, nothing=0.0, against=-2.0), bootstrap=Bootstrap(resamples=200)
    )
    best = agreement.best()
    assert {best.metric, *best.rivals} == {"good", "same"}
    assert best.disagreeing == ("against",)
    alone = correlate(noise(good=2.0, nothing=0.0), bootstrap=Bootstrap(resamples=200)).best()
    assert (alone.metric, alone.rivals) == ("good", ())


def test_the_best_metric_needs_a_known_subset_and_coefficient(found):
    with pytest.raises(LookupError, match="did you mean 'F1=0'"):
        found.best("f1=0")
    with pytest.raises(LookupError, match="no coefficient is called"):
        found.best(coefficient="tau")
    with pytest.raises(ValueError, match="no known value for chance"):
        found.best(coefficient="pairwise")


@every(("coefficient", "expected"), [("tau-b", 0), ("spearman", 0), ("auc>=1", 0.5), ("auc", 0.5)])
def test_chance_is_half_for_an_area_and_zero_for_a_correlation(coefficient, expected):
    assert chance(coefficient) == expected


def test_chance_is_unknown_for_pairwise_accuracy():
    assert math.isnan(chance(PAIRWISE))
