"""The coefficients of a metric with their intervals, against scipy and loops."""

import json
import math

import numpy as np
import pytest
from scipy import stats

from answersim.evaluation.agreement import correlate
from answersim.evaluation.agreement.judgments import Judgments
from answersim.stats.resampling import Bootstrap
from answersim.stats.ties import calibrated
from tests.evaluation.agreement.made_judgments import judged


def test_every_coefficient_is_that_of_an_independent_computation(found):
    data = judged()
    for subset, mask in (("all", slice(None)), ("F1=0", slice(0, None, 2)), ("F1!=0", slice(1, None, 2))):
        x, y = data.scores["good"].values[mask], data.labels[mask]
        row = found.row("good", subset)
        expected = {
            "pearson": stats.pearsonr(x, y).statistic,
            "spearman": stats.spearmanr(x, y).statistic,
            "tau-b": stats.kendalltau(x, y, variant="b").statistic,
            "tau-c": stats.kendalltau(x, y, variant="c").statistic,
            "auc>=1": np.mean([a > b for a in x[y >= 1] for b in x[y < 1]]),
            "auc>=2": np.mean([a > b for a in x[y >= 2] for b in x[y < 2]]),
            "pairwise": calibrated(x, y).accuracy,
        }
        assert {name: value.value for name, value in row.measured.items()} == pytest.approx(expected, abs=1e-12)
        assert row.n == len(y)
        assert row.signature == "good|v:1"


def test_intervals_hold_the_value_and_shares_are_of_the_ceiling(found):
    for row in found.rows:
        for value in row.measured.values():
            if not row.constant:
                assert value.low <= value.value <= value.high
                assert value.value <= value.ceiling + 1e-12
    tau = found.row("good").measured["tau-b"]
    assert tau.share == pytest.approx(tau.value / tau.ceiling)
    area = found.row("good").measured["auc>=1"]
    assert area.share == pytest.approx((area.value - 0.5) / (area.ceiling - 0.5))


def test_a_constant_metric_has_no_numbers_and_belongs_to_no_group(found):
    row = found.row("flat")
    assert row.constant
    assert row.tied == 1.0
    assert all(math.isnan(value.value) for value in row.measured.values())
    assert not any("flat" in group.metrics for group in found.groups)


def test_resamples_that_are_drawn_some_at_a_time_are_the_same(monkeypatch):
    whole = correlate(judged(60), bootstrap=Bootstrap(resamples=75), against="poor")
    monkeypatch.setattr("answersim.evaluation.agreement.measuring._TOGETHER", 600)
    monkeypatch.setattr("answersim.stats.permutation._TOGETHER", 600)
    assert json.dumps(correlate(judged(60), bootstrap=Bootstrap(resamples=75), against="poor").to_dict()) == json.dumps(
        whole.to_dict()
    )


def test_what_is_drawn_for_a_subset_does_not_depend_on_what_else_is_asked():
    data = judged(60)
    few = correlate(data, bootstrap=Bootstrap(resamples=50)).row("good", "F1=0")
    more = correlate(data, by=["source"], compare=("tau-b", "pearson"), bootstrap=Bootstrap(resamples=50)).row(
        "good", "F1=0"
    )
    assert few.measured == more.measured


def test_bca_is_asked_for_by_name_and_differs_little():
    data = judged(60, metrics=("good",))
    plain, bca = (
        correlate(data, bootstrap=Bootstrap(resamples=400), method=name).row("good").measured["tau-b"]
        for name in METHODS
    )
    assert plain.value == bca.value
    assert plain[1:3] != bca[1:3]
    assert plain[1:3] == pytest.approx(bca[1:3], abs=0.05)


METHODS = ("percentile", "bca")


def test_several_raters_bring_alpha_and_what_one_of_them_reaches():
    subset = correlate(judged(raters=("one", "two", "three")), bootstrap=Bootstrap(resamples=20)).subsets[0]
    assert list(subset.alpha) == ["ordinal", "interval", "nominal"]
    assert 0.3 < subset.alpha["ordinal"] < 1
    assert subset.alpha["nominal"] < subset.alpha["ordinal"]
    assert 0.3 < subset.between_raters["tau-b"] < 1
    alone = correlate(judged(), bootstrap=Bootstrap(resamples=20)).subsets[0]
    assert not alone.alpha
    assert alone.between_raters == {}


def test_labels_of_many_values_have_no_cuts():
    data = judged(60)
    scale = Judgments(data.name, "en", data.pairs, np.arange(60.0), scores=data.scores)
    assert not any(name.startswith("auc") for name in correlate(scale, bootstrap=Bootstrap(resamples=20)).coefficients)
