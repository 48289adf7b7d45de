"""The correlation study: every number is scipy's or a loop's, every p is one, and one seed gives one answer."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import answersim
from answersim.agreement import Agreement, correlate
from answersim.agreement.comparing import TESTS
from answersim.judgments import Judgments, judgments
from answersim.stats.resampling import holm
from answersim.stats.ties import calibrated
from answersim.types import Pair, Scores


def judged(n=120, seed=0, metrics=("good", "same", "poor"), raters=()):
    """Pairs of which half share a word; scores that follow the labels closely, as closely, and hardly."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n).astype(float)
    noise = {"good": 0.6, "same": 0.6, "poor": 4.0}
    scores = {name: Scores(labels + noise[name] * rng.normal(size=n), f"{name}|v:1") for name in metrics}
    scores["flat"] = Scores(np.full(n, 0.5))
    pairs = tuple(Pair("red stone", "red brick" if i % 2 else "blue brick") for i in range(n))
    people = {name: np.clip(labels + rng.integers(-1, 2, size=n), 0, 2).astype(float) for name in raters}
    return Judgments(
        "toy", "en", pairs, labels, scores=scores, raters=people, columns={"source": ["ab"[i % 2] for i in range(n)]}
    )


@pytest.fixture(scope="module")
def found() -> Agreement:
    return correlate(judged(), compare=("pearson", "tau-b"), resamples=200)


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
        assert {name: each.value for name, each in row.measured.items()} == pytest.approx(expected, abs=1e-12)
        assert row.n == len(y)
        assert row.signature == "good|v:1"


def test_intervals_hold_the_value_and_shares_are_of_the_ceiling(found):
    for row in found.rows:
        for each in row.measured.values():
            if not row.constant:
                assert each.low <= each.value <= each.high
                assert each.value <= each.ceiling + 1e-12
    tau = found.row("good").measured["tau-b"]
    assert tau.share == pytest.approx(tau.value / tau.ceiling)
    area = found.row("good").measured["auc>=1"]
    assert area.share == pytest.approx((area.value - 0.5) / (area.ceiling - 0.5))


def test_a_constant_metric_has_no_numbers_and_belongs_to_no_group(found):
    row = found.row("flat")
    assert row.constant
    assert row.tied == 1.0
    assert all(math.isnan(each.value) for each in row.measured.values())
    assert not any("flat" in group.metrics for group in found.groups)


def test_metrics_of_the_same_worth_are_grouped_and_a_worse_one_stands_alone(found):
    groups = [set(group.metrics) for group in found.groups if (group.subset, group.coefficient) == ("all", "tau-b")]
    assert {"good", "same"} in groups
    assert {"poor"} in groups


def test_a_difference_is_first_less_second_with_its_interval(found):
    for each in found.comparisons:
        first, second = (found.row(name, each.subset).measured[each.coefficient] for name in (each.first, each.second))
        if not math.isnan(each.difference):
            assert each.difference == pytest.approx(first.value - second.value)
            assert each.low <= each.difference <= each.high


def test_williams_is_asked_of_pearson_and_not_of_tau(found):
    known = {each.coefficient for each in found.comparisons if not math.isnan(each.p_williams)}
    assert known == {"pearson"}
    assert all(math.isnan(each.p_permutation) for each in found.comparisons)


def test_holm_is_over_all_comparisons_by_one_coefficient_and_test():
    data = judged()
    found = correlate(data, against="poor", compare=("pearson", "tau-b"), resamples=150)
    for coefficient in ("pearson", "tau-b"):
        family = [each for each in found.comparisons if each.coefficient == coefficient]
        assert len(family) == 3 * 3
        for test in TESTS:
            p = [getattr(each, f"p_{test}") for each in family]
            np.testing.assert_allclose([getattr(each, f"holm_{test}") for each in family], holm(p))


def test_against_one_metric_all_three_tests_find_the_better_ones():
    found = correlate(judged(), against="poor", compare=("pearson",), resamples=150)
    assert {each.second for each in found.comparisons} == {"poor"}
    whole = {each.first: each for each in found.comparisons if each.subset == "all"}
    for name in ("good", "same"):
        assert max(whole[name].p_bootstrap, whole[name].p_permutation, whole[name].p_williams) < 0.02
    assert math.isnan(whole["flat"].p_bootstrap)
    assert found.groups == ()


def test_so_many_resamples_are_drawn_that_something_can_be_significant(found):
    comparisons = len(found.comparisons) / 2  # of one coefficient
    assert found.settings["test_resamples"] >= comparisons / 0.05
    assert min(each.holm_bootstrap for each in found.comparisons if not math.isnan(each.difference)) <= 0.05
    few = correlate(judged(), resamples=50, test_resamples=60)
    assert min(each.p_bootstrap for each in few.comparisons if not math.isnan(each.difference)) == 1 / 61


def test_more_comparisons_than_resamples_can_tell_of_are_noted():
    few = correlate(judged(60), resamples=50, test_resamples=60)
    assert "18 comparisons by 60 resamples: not even the smallest p" in few.notes[0]
    assert correlate(judged(60), resamples=50, test_resamples=60, against="poor", level=0.8).notes == ()


def test_resamples_that_are_drawn_some_at_a_time_are_the_same(monkeypatch):
    whole = correlate(judged(60), resamples=75, against="poor")
    monkeypatch.setattr("answersim.agreement.measuring._TOGETHER", 600)
    monkeypatch.setattr("answersim.stats.permutation._TOGETHER", 600)
    assert json.dumps(correlate(judged(60), resamples=75, against="poor").to_dict()) == json.dumps(whole.to_dict())


def test_one_seed_gives_one_answer_and_another_seed_another():
    data = judged(60)
    one, again, other = (correlate(data, resamples=50, rng=seed).to_dict() for seed in (3, 3, 4))
    assert json.dumps(one) == json.dumps(again)
    assert one["rows"] != other["rows"]
    drawn = [correlate(data, resamples=50, rng=np.random.default_rng(5)).to_dict() for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_what_is_drawn_for_a_subset_does_not_depend_on_what_else_is_asked():
    data = judged(60)
    few = correlate(data, resamples=50).row("good", "F1=0")
    more = correlate(data, by=["source"], compare=("tau-b", "pearson"), resamples=50).row("good", "F1=0")
    assert few.measured == more.measured


def test_bca_is_asked_for_by_name_and_differs_little():
    data = judged(60, metrics=("good",))
    plain, bca = (correlate(data, resamples=400, method=name).row("good").measured["tau-b"] for name in METHODS)
    assert plain.value == bca.value
    assert plain[1:3] != bca[1:3]
    assert plain[1:3] == pytest.approx(bca[1:3], abs=0.05)


METHODS = ("percentile", "bca")


def test_several_raters_bring_alpha_and_what_one_of_them_reaches():
    subset = correlate(judged(raters=("one", "two", "three")), resamples=20).subsets[0]
    assert 0.3 < subset.alpha < 1
    assert 0.3 < subset.between_raters["tau-b"] < 1
    alone = correlate(judged(), resamples=20).subsets[0]
    assert math.isnan(alone.alpha)
    assert alone.between_raters == {}


def test_a_subset_that_is_too_small_is_left_out_with_a_note():
    data = judged(60)
    columns = {"rare": ["yes" if i < 4 else "no" for i in range(60)]}
    found = correlate(
        Judgments(data.name, data.lang, data.pairs, data.labels, scores=data.scores, columns=columns),
        by=["rare"],
        resamples=20,
    )
    assert [each.name for each in found.subsets] == ["all", "F1=0", "F1!=0", "rare=no"]
    assert found.notes == ("rare=yes is left out: it has 4 rows, but at least 10 are needed",)


def test_labels_of_many_values_have_no_cuts():
    data = judged(60)
    scale = Judgments(data.name, "en", data.pairs, np.arange(60.0), scores=data.scores)
    assert not any(name.startswith("auc") for name in correlate(scale, resamples=20).coefficients)


def test_metrics_are_computed_on_the_spot_and_data_are_read_at_the_door():
    columns = {
        "gold": [pair.gold for pair in judged().pairs],
        "pred": [pair.pred for pair in judged().pairs],
        "verdict": judged().labels,
        "year": list(range(120)),
    }
    found = correlate(columns, ["f1"], label="verdict", by=["year"], resamples=20)
    assert found.metrics == ("f1",)
    assert found.row("f1").signature == "f1|text:en|rev:1"
    again = correlate(judgments(columns, label="verdict", columns=["year"]), ["f1"], by=["year"], resamples=20)
    assert json.dumps(again.to_dict()) == json.dumps(found.to_dict())


def test_results_are_json_and_a_table(found):
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["rows"][0]["coefficients"]["tau-b"]["value"] == found.rows[0].measured["tau-b"].value
    flat = next(row for row in plain["rows"] if row["metric"] == "flat")
    assert flat["coefficients"]["tau-b"]["value"] is None
    table = found.to_pandas()
    assert len(table) == 3 * 4 * 7
    chosen = table[(table.subset == "F1=0") & (table.metric == "good") & (table.coefficient == "tau-b")]
    assert chosen.value.item() == found.row("good", "F1=0").measured["tau-b"].value


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"against": "goood"}, "did you mean 'good'"),
        ({"compare": ("tau",)}, "no coefficient is called 'tau'"),
        ({"tests": ("wilcoxon",)}, "no test is called 'wilcoxon'"),
        ({"method": "basic"}, "no method is called 'basic'"),
        ({"level": 95}, "level is 95"),
        ({"resamples": 0}, "0 resamples are too few"),
        ({"by": ["colour"]}, "no column to make subsets by is called 'colour'"),
        ({"gold": "answer"}, "are Judgments already"),
    ],
)
def test_what_cannot_be_studied_is_said_before_any_work(how, message):
    with pytest.raises((LookupError, ValueError, TypeError), match=message):
        correlate(judged(30), **how)


def test_data_without_scores_rows_or_differences_are_refused():
    data = judged(30)
    with pytest.raises(ValueError, match="has no scores; name metrics"):
        correlate(Judgments("toy", "en", data.pairs, data.labels))
    with pytest.raises(ValueError, match="has 4 judged pairs"):
        correlate(data.where(np.arange(30) < 4))
    with pytest.raises(ValueError, match="every label is 1"):
        correlate(Judgments("toy", "en", data.pairs, np.ones(30), scores=data.scores))
    with pytest.raises(ValueError, match="odd holds nan"):
        correlate(Judgments("toy", "en", data.pairs, data.labels, scores={"odd": Scores([math.nan] * 30)}))


def test_an_unknown_row_is_named_with_the_nearest(found):
    with pytest.raises(LookupError, match="did you mean 'good'"):
        found.row("god")
    with pytest.raises(LookupError, match="did you mean 'F1=0'"):
        found.row("good", "f1=0")


def noise(seed=0, n=120, **scores):
    """Judged pairs whose scores these are; a number is how far a metric follows the labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n).astype(float)
    columns = {name: Scores(follow * labels + rng.normal(size=n)) for name, follow in scores.items()}
    pairs = tuple(Pair("red stone", "red brick" if i % 2 else "blue brick") for i in range(n))
    return Judgments("toy", "en", pairs, labels, scores=columns | {"flat": Scores(np.zeros(n))})


def test_where_no_metric_agrees_none_agrees_best():
    found = correlate(noise(one=0.0, other=0.0), resamples=100)
    for subset in ("all", "F1=0", "F1!=0"):
        assert found.best(subset).metric is None
    story = json.loads(json.dumps(found.to_dict()))
    assert {each["coefficient"] for each in story["best"]} == {
        "pearson",
        "spearman",
        "tau-b",
        "tau-c",
        "auc>=1",
        "auc>=2",
    }
    assert {each["metric"] for each in story["best"]} == {None}


def test_a_metric_that_orders_pairs_against_the_labels_does_not_agree():
    found = correlate(noise(against=-2.0, nothing=0.0), resamples=100)
    assert found.best().metric is None
    assert found.best().disagreeing == ("against",)
    assert found.best(coefficient="auc>=1").disagreeing == ("against",)


def test_the_best_is_the_highest_of_those_that_agree_with_the_ones_that_cannot_be_told_from_it():
    found = correlate(noise(good=2.0, same=2.0, poor=0.4, nothing=0.0, against=-2.0), resamples=200)
    best = found.best()
    assert {best.metric, *best.rivals} == {"good", "same"}
    assert best.disagreeing == ("against",)
    alone = correlate(noise(good=2.0, nothing=0.0), resamples=200).best()
    assert (alone.metric, alone.rivals) == ("good", ())


def test_what_is_best_is_asked_by_a_known_subset_and_a_coefficient_with_a_known_chance(found):
    with pytest.raises(LookupError, match="did you mean 'F1=0'"):
        found.best("f1=0")
    with pytest.raises(LookupError, match="no coefficient is called"):
        found.best(coefficient="tau")
    with pytest.raises(ValueError, match="no known value for chance"):
        found.best(coefficient="pairwise")


TABLE = {"gold": ["Rome"] * 12, "pred": ["in Rome", "Oslo", "rome"] * 4, "label": [1, 0, 2] * 4, "q": ["who?"] * 12}


@pytest.mark.parametrize(
    ("data", "how", "message"),
    [
        ("judged", {"label": "label"}, "label is 'label', but these are Judgments already"),
        ("judged", {"profile": "squad"}, "profile is 'squad', but no metric is given by name"),
        ("judged", {"gold": "gold"}, "gold= says how data are read"),
        ("table", {"metrics": ["f1"], "question": "q"}, r"question is 'q', but f1 reads no question.*leave it out"),
        ("table", {"scores": [], "profile": "squad"}, "profile is 'squad', but no metric is given by name"),
        ("table", {"metrics": [answersim.metric("f1")], "profile": "squad"}, "f1.*is already built"),
        ("table", {"metrics": "f1"}, r"metrics is the string 'f1'; give .*\['f1'\]"),
        ("table", {"metrics": ["f1"], "by": "length"}, r"by is the string 'length'.*give \['length'\]"),
    ],
)
def test_an_argument_that_a_study_would_ignore_is_refused(data, how, message):
    with pytest.raises((TypeError, ValueError), match=message):
        correlate(judged() if data == "judged" else TABLE, **{"resamples": 5} | how)


def test_questions_that_make_subsets_are_read():
    found = correlate(TABLE, ["f1"], question="q", by=["question"], resamples=5)
    assert any("question" in each.name for each in found.subsets)
