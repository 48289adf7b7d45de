"""Ranking measures: literal cases, a slow reference, and what is said of ties and of questions without positives."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankers.evaluation import measures
from rankers.evaluation.measures import measure
from rankers.evaluation.qrels import Qrels, qrels_of
from rankers.types import Candidate, Question, Questions, Run
from tests.cases import every

NAMES = ["MAP", "MRR", "MRR@2", "P@1", "P@3", "Recall@2", "nDCG@3", "nDCG"]


def reference(ranked: list[str], grades: dict[str, int], relevant: int, gains: dict[int, int]) -> dict[str, float]:
    """The measures of one ranking, from their definitions."""
    hits = [grades.get(entry, 0) >= relevant for entry in ranked]
    total = sum(grade >= relevant for grade in grades.values())
    first = next((i for i, hit in enumerate(hits, 1) if hit), 0)
    precision = [sum(hits[:i]) / i for i in range(1, len(hits) + 1)]
    worth = {entry: max(gains.get(grade, grade), 0) for entry, grade in grades.items()}
    ideal = sorted(worth.values(), reverse=True)

    def ndcg(k: int) -> float:
        best = sum(gain / log2(i + 1) for i, gain in enumerate(ideal[:k], 1))
        return sum(worth.get(entry, 0) / log2(i + 1) for i, entry in enumerate(ranked[:k], 1)) / best if best else 0.0

    return {
        "MAP": sum(p for p, hit in zip(precision, hits, strict=True) if hit) / total if total else 0.0,
        "MRR": 1 / first if first else 0.0,
        "MRR@2": 1 / first if 0 < first <= 2 else 0.0,
        "P@1": sum(hits[:1]) / 1,
        "P@3": sum(hits[:3]) / 3,
        "Recall@2": sum(hits[:2]) / total if total else 0.0,
        "nDCG@3": ndcg(3),
        "nDCG": ndcg(10**6),
    }


@given(
    ranked=st.lists(st.sampled_from([f"d{i}" for i in range(9)]), unique=True, min_size=1),
    grades=st.dictionaries(st.sampled_from([f"d{i}" for i in range(12)]), st.integers(-1, 4), min_size=1),
    relevant=st.integers(1, 3),
    gains=st.dictionaries(st.integers(1, 4), st.integers(0, 5)),
)
@settings(max_examples=80, deadline=None)
def test_the_measures_are_those_of_their_definitions(ranked, grades, relevant, gains):
    run = Run("r", {"q": {entry: -float(i) for i, entry in enumerate(ranked)}})
    result = measure(run, Qrels({"q": grades}, relevant, gains), NAMES, without_positives="zero")
    expected = reference(ranked, grades, relevant, gains)
    assert {name: float(result.values[name][0]) for name in NAMES} == pytest.approx(expected, abs=1e-9)
    assert {name: float(result.tie_averaged[name][0]) for name in NAMES} == pytest.approx(expected, abs=1e-9)


ONE = Run("r", {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}})  # ranked a b c d


@every(
    ("name", "grades", "value"),
    [
        ("MAP", {"b": 1, "d": 1}, (1 / 2 + 2 / 4) / 2),
        ("AP", {"b": 1, "d": 1}, (1 / 2 + 2 / 4) / 2),
        ("MAP", {"b": 1, "x": 1}, (1 / 2) / 2),  # what was not found counts
        ("MRR", {"c": 1, "d": 1}, 1 / 3),
        ("MRR@2", {"c": 1}, 0.0),
        ("RR", {"c": 1}, 1 / 3),
        ("P@1", {"a": 1}, 1.0),
        ("P@3", {"a": 1, "d": 1}, 1 / 3),
        ("P@10", {"a": 1}, 1 / 10),  # also where fewer are ranked
        ("Recall@2", {"a": 1, "c": 1, "x": 1}, 1 / 3),
        ("R@2", {"a": 1, "c": 1, "x": 1}, 1 / 3),
        ("Success@2", {"b": 1}, 1.0),
        ("Rprec", {"a": 1, "c": 1}, 1 / 2),
        ("nDCG@2", {"a": 1, "b": 3}, (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
        ("nDCG(dcg='exp-log2')@2", {"a": 1, "b": 3}, (1 + 7 / log2(3)) / (7 + 1 / log2(3))),
        ("AP(rel=2)", {"a": 1, "b": 2}, 1 / 2),
    ],
)
def test_literal_cases(name, grades, value):
    assert measure(ONE, Qrels({"q": grades}), [name]).values[name].tolist() == pytest.approx([value])


def test_grades_have_the_relevance_and_gains_of_the_questions():
    # ANTIQUE: grades 1 to 4, of which 3 and 4 are relevant, worth 0 to 3.
    qrels = Qrels({"q": {"a": 2, "b": 3, "c": 4, "d": 1}}, relevant=3, gains={1: 0, 2: 1, 3: 2, 4: 3})
    result = measure(ONE, qrels, ["MRR", "P@1", "nDCG@2"])
    assert result.values["MRR"][0] == 0.5
    assert result.values["P@1"][0] == 0.0
    assert result.values["nDCG@2"][0] == pytest.approx((1 + 2 / log2(3)) / (3 + 2 / log2(3)))
    exponential = measure(ONE, qrels, ["nDCG@2"], gain="exponential")
    assert exponential.values["nDCG@2"][0] == pytest.approx((1 + 3 / log2(3)) / (7 + 3 / log2(3)))


def test_mrr_with_and_without_a_cutoff_break_ties_alike():
    # ir_measures sends RR to trec_eval (ids falling) and RR@10 to MS MARCO's script (ids rising).
    run = Run("r", {f"q{i}": {"a": 1.0, "b": 1.0, "c": 1.0} for i in range(40)})
    qrels = Qrels({f"q{i}": {"a": 1} for i in range(40)})
    for seed in range(3):
        result = measure(run, qrels, ["MRR", "MRR@10"], ties_seed=seed)
        assert result.values["MRR"].tolist() == result.values["MRR@10"].tolist()
    assert 0.4 < result.values["MRR"].mean() < 0.8  # neither always first nor always last


def test_scores_that_differ_in_the_twelfth_digit_are_no_tie():
    scores = {"q": {"z": 0.5, "a": 0.5 + 1e-12}}  # trec_eval's 32 bits would make it a tie
    result = measure(Run("r", scores), Qrels({"q": {"a": 1}}), ["MRR"])
    assert result.values["MRR"].tolist() == [1.0]
    assert result.counts.tied == 0


def test_ties_are_counted_and_broken_by_the_seed():
    run = Run("r", {"top": {"a": 1.0, "b": 1.0}, "below": {"a": 2.0, "b": 1.0, "c": 1.0}, "none": {"a": 2.0, "b": 1.0}})
    qrels = Qrels({question: {"a": 1} for question in run.scores})
    result = [measure(run, qrels, ["P@1"], ties_seed=seed) for seed in range(8)]
    assert result[0].counts.tied_at_top == 1
    assert result[0].counts.tied == 2
    assert {row.values["P@1"][0] for row in result} == {0.0, 1.0}
    assert all(row.tie_averaged["P@1"].tolist() == [0.5, 1.0, 1.0] for row in result)
    pair, grades = Run("r", {"q": {"a": 1.0, "b": 1.0}}), Qrels({"q": {"a": 1, "b": 0}})
    average = measure(pair, grades, ["Rprec"]).tie_averaged["Rprec"][0]  # over orders, as it has no closed form
    assert 0.2 < average < 0.8
    assert measure(pair, grades, ["Rprec"], ties_seed=5).tie_averaged["Rprec"][0] == average


QUESTIONS = Qrels({"q": {"a": 0, "b": 1}, "nothing": {"a": 0}, "all": {"a": 1}, "missing": {"a": 1}, "empty": {}})
RUN = Run("r", {"all": {"a": 1.0}, "q": {"a": 2.0, "b": 1.0}, "nothing": {"a": 1.0}, "empty": {}})


def test_questions_without_positives_are_left_out_or_count_0():
    skipped = measure(RUN, QUESTIONS, ["MRR", "nDCG@1"])
    np.testing.assert_array_equal(skipped.values["MRR"], [0.5, np.nan, 1.0, 0.0, np.nan])
    np.testing.assert_array_equal(skipped.tie_averaged["MRR"], [0.5, np.nan, 1.0, 0.0, np.nan])
    np.testing.assert_array_equal(skipped.values["nDCG@1"], [0.0, np.nan, 1.0, 0.0, np.nan])
    zero = measure(RUN, QUESTIONS, ["MRR"], without_positives="zero")
    assert zero.values["MRR"].tolist() == [0.5, 0.0, 1.0, 0.0, 0.0]
    for entry in (skipped, zero):
        assert entry.questions == ("q", "nothing", "all", "missing", "empty")
        counts = entry.counts
        assert (counts.questions, counts.without_positives, counts.all_positive, counts.missing) == (5, 2, 2, 2)


def test_what_can_be_gained_depends_on_the_measure():
    # A grade below the level of relevance still is a gain, and a measure may name a level of its own.
    result = measure(ONE, Qrels({"q": {"a": 1}}, relevant=2), ["MRR", "nDCG@1", "AP(rel=1)"])
    assert np.isnan(result.values["MRR"][0])
    assert result.values["nDCG@1"].tolist() == result.values["AP(rel=1)"].tolist() == [1.0]


def test_judged_documents_beyond_the_pool_count_among_what_could_be_found():
    question = Question("q", "?", (Candidate("a", "x", 1), Candidate("b", "y", 1)))
    pooled = Questions("made", "test", (question,))
    complete = Questions("made", "test", (question,), judged={"q": {"c": 1, "d": 0, "a": 0}})  # the pool's grade stands
    run = Run("r", {"q": {"a": 2.0, "b": 1.0}})
    assert measure(run, qrels_of(pooled), ["Recall@5"]).values["Recall@5"].tolist() == [1.0]
    result = measure(run, qrels_of(complete), ["Recall@5"])
    assert result.values["Recall@5"].tolist() == pytest.approx([2 / 3])
    assert result.counts.all_positive == 1  # of what is to be ranked, all is relevant


@every(
    ("name", "error", "complaint"),
    [
        ("MAPP", LookupError, "no measure is called 'MAPP'; did you mean 'MAP'"),
        ("nDGC@5", LookupError, "did you mean 'nDCG'"),
        ("P", ValueError, "'P' is not a measure that can be computed"),
        ("P@0", ValueError, "has the cutoff 0"),
        ("nDCG@-1", ValueError, "'nDCG@-1'"),
        ("P@1.5", ValueError, "'P@1.5'"),
        ("P(foo=1)@1", ValueError, "foo"),
        ("nDCG@", ValueError, "'nDCG@'"),
        ("", ValueError, "''"),
        ("alpha_nDCG@5", ValueError, "cannot compute"),
    ],
)
def test_an_unknown_measure_is_an_error(name, error, complaint):
    with pytest.raises(error) as raised:
        measure(ONE, Qrels({"q": {"a": 1}}), [name])
    assert complaint in str(raised.value)


def test_a_grade_below_0_is_worth_nothing_not_less():
    tied = Run("r", {"q": {"spam": 1.0, "good": 1.0}})
    result = measure(tied, Qrels({"q": {"spam": -2, "good": 1}}), ["nDCG@1"])
    assert result.tie_averaged["nDCG@1"].tolist() == [0.5]


def test_no_question_has_only_grades_below_0_in_trec_eval(monkeypatch):
    """Of such a question it reads beyond its memory, so that nDCG may take hours."""
    import ir_measures

    highest: list[int] = []
    usual = ir_measures.iter_calc

    def watched(names, qrels, run):
        highest.extend(max(grades.values()) for grades in qrels.values())
        return usual(names, qrels, run)

    monkeypatch.setattr(ir_measures, "iter_calc", watched)
    run = Run("r", {question: {"a": 1.0, "b": 0.5} for question in "pqr"})
    result = measure(run, Qrels({"p": {"a": -2}, "q": {"a": -1, "b": -1}, "r": {"a": -1, "b": 1}}), ["MAP", "nDCG"])
    assert highest == [0, 0, 1]
    np.testing.assert_allclose(result.values["nDCG"], [np.nan, np.nan, 1 / log2(3)])


def test_no_question_and_no_measure_are_no_error_and_an_empty_mean_is_nan():
    assert np.isnan(measures.mean(np.array([np.nan])))
    assert measures.mean(np.array([np.nan, 1.0, 2.0])) == 1.5
    assert measure(ONE, Qrels({}), ["MAP"]).values["MAP"].tolist() == []
    assert measure(ONE, Qrels({"q": {"a": 1}}), []).values == {}


def test_numret_counts_what_its_owner_counts():
    ir_measures = pytest.importorskip("ir_measures")
    grades = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 0}}
    run = Run("r", {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0, "x": 0.5}})
    result = measure(run, Qrels(grades), ["NumRet", "NumRet(rel=1)", "NumRel"]).values
    for name, values in result.items():
        theirs = {
            r.query_id: r.value for r in ir_measures.iter_calc([ir_measures.parse_measure(name)], grades, run.scores)
        }
        assert values[0] == theirs["q1"], name
    assert result["NumRet"].tolist() == [2.0, 2.0]  # of a question without positives, too
    assert result["NumRel"].tolist() == [1.0, 0.0]
