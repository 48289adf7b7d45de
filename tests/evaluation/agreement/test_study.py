"""The correlation study: each number is that of scipy or of a loop, and one seed gives one result."""

import json
import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

import answersim
from answersim.calibration.scores import Scores
from answersim.evaluation.agreement import Agreement, correlate
from answersim.evaluation.agreement.coefficients.comparing import TESTS, too_few
from answersim.evaluation.agreement.coefficients.measuring import Settings
from answersim.evaluation.agreement.judgments import Judgments, judgments
from answersim.stats.coefficients.kendall import kendall
from answersim.stats.coefficients.ties import calibrated
from answersim.stats.intervals.resampling import COEFFICIENTS, Bootstrap, bootstrap_counts, holm
from benchmarks.resampled import ScoredSubset, holm_corrected, scored_subset
from tests.cases import cases_of, every
from tests.evaluation.agreement.conftest import judged


def test_one_seed_gives_one_answer_and_another_seed_another():
    data = judged(60)
    first, again, second = (
        correlate(data, bootstrap=Bootstrap(resamples=50, rng=seed)).to_dict() for seed in (3, 3, 4)
    )
    assert json.dumps(first) == json.dumps(again)
    assert first["rows"] != second["rows"]
    drawn = [
        correlate(data, bootstrap=Bootstrap(resamples=50, rng=np.random.default_rng(5))).to_dict() for _ in range(2)
    ]
    assert drawn[0] == drawn[1]


def test_a_subset_that_is_too_small_is_left_out_with_a_note():
    data = judged(60)
    columns = {"rare": ["yes" if i < 4 else "no" for i in range(60)]}
    agreement = correlate(
        Judgments(data.name, data.lang, data.pairs, data.labels, scores=data.scores, columns=columns),
        by=["rare"],
        bootstrap=Bootstrap(resamples=20),
    )
    assert [subset.name for subset in agreement.subsets] == ["all", "F1=0", "F1!=0", "rare=no"]
    assert agreement.notes == ("rare=yes is left out: it has 4 rows, but at least 10 are needed",)


def test_metrics_are_computed_on_the_spot_and_data_are_read_at_the_entrance():
    columns = {
        "gold": [pair.gold for pair in judged().pairs],
        "pred": [pair.pred for pair in judged().pairs],
        "verdict": judged().labels,
        "year": list(range(120)),
    }
    agreement = correlate(columns, ["f1"], label="verdict", by=["year"], bootstrap=Bootstrap(resamples=20))
    assert agreement.metrics == ("f1",)
    assert agreement.row("f1").signature == "f1|text:en|rev:1"
    again = correlate(
        judgments(columns, label="verdict", columns=["year"]), ["f1"], by=["year"], bootstrap=Bootstrap(resamples=20)
    )
    assert json.dumps(again.to_dict()) == json.dumps(agreement.to_dict())


@every(("how", "message"), cases_of(__file__)["what_cannot_be_studied_is_stated_before_any_work"])
def test_what_cannot_be_studied_is_stated_before_any_work(how, message):
    with pytest.raises((LookupError, ValueError, TypeError), match=message):
        correlate(judged(30), **how)


def test_data_without_scores_rows_or_differences_are_refused():
    data = judged(30)
    with pytest.raises(ValueError, match="has no scores; name metrics"):
        correlate(Judgments("toy", "en", data.pairs, data.labels))
    with pytest.raises(ValueError, match="has 4 labeled pairs"):
        correlate(data.where(np.arange(30) < 4))
    with pytest.raises(ValueError, match="every label is 1"):
        correlate(Judgments("toy", "en", data.pairs, np.ones(30), scores=data.scores))
    with pytest.raises(ValueError, match="odd contain nan"):
        correlate(Judgments("toy", "en", data.pairs, data.labels, scores={"odd": Scores([math.nan] * 30)}))


TABLE = {"gold": ["Rome"] * 12, "pred": ["in Rome", "Oslo", "rome"] * 4, "label": [1, 0, 2] * 4, "q": ["who?"] * 12}


@every(
    ("data", "how", "message"),
    [
        ("judged", {"label": "label"}, "label is 'label', but the data are Judgments"),
        ("judged", {"profile": "squad"}, "profile is 'squad', but no metric is given by name"),
        ("judged", {"gold": "gold"}, "gold= sets how data are read"),
        ("table", {"metric": ["f1"], "question": "q"}, r"question is 'q', but f1 reads no question.*leave it out"),
        ("table", {"scores": [], "profile": "squad"}, "profile is 'squad', but no metric is given by name"),
        ("table", {"metric": [answersim.metric("f1")], "profile": "squad"}, "f1.*is already built"),
        ("table", {"metric": ["f1"], "by": "length"}, r"by is the string 'length'.*give \['length'\]"),
    ],
)
def test_an_argument_that_a_study_would_ignore_is_refused(data, how, message):
    with pytest.raises((TypeError, ValueError), match=message):
        correlate(judged() if data == "judged" else TABLE, **{"bootstrap": Bootstrap(resamples=5)} | how)


@every(("shares", "n_notes"), [([0.1, 0.5], 1), ([0.5, 0.5], 0), (["x", "y"], 0)])
def test_a_sample_with_unequal_probabilities_is_noted_and_is_no_score(shares, n_notes):
    pairs = {"gold": ["Rome"] * 12, "pred": ["in Rome", "Oslo", "rome"] * 4, "label": [1, 0, 2] * 4}
    drawn = {"inclusion": shares * 6, "stratum": [0, 1] * 6, "tool": [0.9, 0.1, 0.8] * 4}
    agreement = correlate(pairs | drawn, bootstrap=Bootstrap(resamples=20))
    assert {row.metric for row in agreement.rows} == {"tool"}
    notes = [note for note in agreement.notes if "drawn with probabilities from 0.1 to 0.5" in note]
    assert len(notes) == n_notes


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
            "pairwise": calibrated(x, y)[0],
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


def test_resamples_that_are_drawn_some_at_a_time_are_the_same(monkeypatch):
    whole = correlate(judged(60), bootstrap=Bootstrap(resamples=75), against="poor")
    monkeypatch.setattr("answersim.evaluation.agreement.coefficients.measuring._TOGETHER", 600)
    monkeypatch.setattr("answersim.stats.intervals.permutation._TOGETHER", 600)
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


@pytest.fixture(scope="module")
def against() -> Agreement:
    return correlate(judged(), against="poor", compare=("pearson", "tau-b"), bootstrap=Bootstrap(resamples=150))


def test_metrics_of_the_same_worth_are_grouped_and_a_worse_one_stands_alone(found):
    groups = [set(group.metrics) for group in found.groups if (group.subset, group.coefficient) == ("all", "tau-b")]
    assert {"good", "same"} in groups
    assert {"poor"} in groups


def test_holm_is_over_all_comparisons_by_one_coefficient_and_test(against):
    for coefficient in ("pearson", "tau-b"):
        family = [comparison for comparison in against.comparisons if comparison.coefficient == coefficient]
        assert len(family) == 3 * 3
        for test in TESTS:
            p = [getattr(entry, f"p_{test}") for entry in family]
            np.testing.assert_allclose([getattr(entry, f"holm_{test}") for entry in family], holm(p))


def test_against_one_metric_both_tests_find_the_better_ones(against):
    assert {comparison.second for comparison in against.comparisons} == {"poor"}
    pearson = [comparison for comparison in against.comparisons if comparison.coefficient == "pearson"]
    whole = {comparison.first: comparison for comparison in pearson if comparison.subset == "all"}
    for name in ("good", "same"):
        assert max(whole[name].p_bootstrap, whole[name].p_permutation) < 0.02
    assert math.isnan(whole["flat"].p_bootstrap)
    assert against.groups == ()


def test_more_comparisons_than_resamples_can_tell_of_are_noted():
    few = correlate(judged(60), bootstrap=Bootstrap(resamples=50), test_resamples=60)
    assert "18 comparisons by 60 resamples: not even the smallest p" in few.notes[0]
    remaining = Bootstrap(level=0.8, resamples=50)
    assert correlate(judged(60), bootstrap=remaining, test_resamples=60, against="poor").notes == ()


@every(("draws", "noted"), [(22, True), (23, False), (24, False)])
def test_the_smallest_p_may_equal_the_level_after_holms_correction(draws, noted):
    settings = Settings(0.75, draws, draws, "percentile", ("tau-b",), None, TESTS, 0)  # 6 / 24 is exactly 1 - .75
    assert bool(too_few(settings, metrics=4, parts=1)) == noted


@pytest.fixture
def agreeing():
    """Labels, a column that follows them closely and one that does so loosely."""
    rng = np.random.default_rng(11)
    labels = rng.integers(3, size=150).astype(float)
    return labels, labels + rng.normal(size=150), labels + 3 * rng.normal(size=150)


def interval(column, labels, coefficient="kendall", *, level=0.95, resamples=1000):
    """The coefficient of one column and its interval."""
    every = np.ones(len(labels), dtype=bool)
    part = scored_subset(every, labels, [column], resamples, np.random.default_rng(0))
    resampled = part.resampled(coefficient)
    return resampled.values[0], resampled.intervals(level)[0]


def paired(first, second, labels, counts):
    """How far the coefficient of the second column is above that of the first."""
    return ScoredSubset(labels, np.stack([first, second]), counts).resampled().difference(1, 0)


def test_an_interval_has_the_quantiles_of_the_coefficient_on_all_resamples(agreeing):
    labels, column, _ = agreeing
    counts = bootstrap_counts(150, 300, np.random.default_rng(0))
    for coefficient, compute in COEFFICIENTS.items():
        value, ours = interval(column, labels, coefficient, level=0.8, resamples=300)
        assert value == compute(column, labels, None)[0]
        assert tuple(ours) == tuple(np.quantile(compute(column, labels, counts), [0.1, 0.9]))


def test_a_difference_is_taken_resample_by_resample(agreeing):
    labels, close, loose = agreeing
    counts = bootstrap_counts(150, 400, np.random.default_rng(0))
    result = paired(loose, close, labels, counts)
    entry = kendall(close, labels, counts) - kendall(loose, labels, counts)
    assert result.value == pytest.approx(kendall(close, labels)[0] - kendall(loose, labels)[0])
    assert result[1:3] == pytest.approx(np.quantile(entry, [0.025, 0.975]))
    assert result.p == (np.sum(np.abs(entry - result.value) >= abs(result.value)) + 1) / 401
    assert result.p < 0.05 < paired(close, close + 1e-9, labels, counts).p


@every(
    ("options", "error", "message"),
    [
        ({"coefficient": "kendal"}, LookupError, "no coefficient is called 'kendal'; did you mean 'kendall'"),
        ({"level": 95}, ValueError, "level is 95"),
    ],
)
def test_a_wrong_call_says_what_is_known(options, error, message):
    with pytest.raises(error, match=message):
        interval(np.array([1.0, 2, 3]), np.array([1.0, 2, 3]), **options)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "zero", "first", "second", "expected"),
    [
        pytest.param("nq-open", True, "sas", "bertscore-names", (0.050, 0.022, 0.080), id="NQ F1=0"),
        pytest.param("nq-open", False, "bertscore-names", "sas", (0.114, 0.076, 0.161), id="NQ F1!=0"),
        pytest.param("germanquad", False, "bertscore-trained", "sas", (0.085, 0.043, 0.129), id="German F1!=0"),
    ],
)
def test_the_papers_gaps_that_are_no_noise(data_home, monkeypatch, name, zero, first, second, expected):
    from answersim.evaluation.data import load

    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home))
    data = load(name, cleaning="recorded")
    data = data.where(~np.isnan(data.labels) & ((data.recorded["f1"] == 0) == zero))
    counts = bootstrap_counts(len(data), 1000, np.random.default_rng(0))
    result = paired(data.recorded[first], data.recorded[second], data.labels, counts)
    assert result.value == pytest.approx(expected[0], abs=0.0006)
    assert result[1:3] == pytest.approx(expected[1:], abs=0.006)
    assert result.p < 0.01


def test_holm_corrects_over_all_results_that_have_a_p():
    class Result(NamedTuple):
        name: str
        p: float
        p_holm: float = np.nan

    results = [Result("a", 0.01), Result("b", np.nan), Result("c", 0.04)]
    corrected = holm_corrected(results)
    np.testing.assert_allclose([result.p_holm for result in corrected], holm([0.01, np.nan, 0.04]))
    assert [result[:2] for result in corrected[::2]] == [("a", 0.01), ("c", 0.04)]
