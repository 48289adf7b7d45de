"""Grades: how they are read, counted and compared with a run."""

from __future__ import annotations

from itertools import groupby, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankers.evaluation.measures
from rankers.evaluation import ties
from rankers.evaluation.qrels import Qrels, count, qrels_of
from rankers.evaluation.ties import first_relevant, mean_over_ties, precisions
from rankers.types import Candidate, Question, Questions, Run
from tests.cases import every

QRELS = Qrels({"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"a": 0}, "q4": {"a": 1}})


def test_counts_by_hand():
    scores = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 2.0, "z": 1.0}, "q3": {"a": 0.5}}
    counts = count(scores, {"q1": scores["q1"]}, QRELS, unknown=5)
    assert counts._asdict() == {
        "questions": 4,
        "without_positives": 1,  # q3
        "all_positive": 2,  # q2 and q4
        "missing": 1,  # q4
        "tied_at_top": 1,  # q1
        "tied": 1,
        "unknown": 5,
        "ranked": 5,
        "unjudged": 1,  # z of q2
    }


def test_qrels_of_questions_have_the_grades_of_the_pool_and_those_beyond_it():
    pool = (Candidate("a", "x", 2), Candidate("b", "y", 0))
    questions = Questions("made", "test", (Question("q", "?", pool),), relevant=2, judged={"q": {"a": 0, "z": 1}})
    qrels = qrels_of(questions)
    assert qrels.grades == {"q": {"a": 2, "b": 0, "z": 1}}
    assert qrels.relevant == 2
    assert list(qrels.pools["q"]) == ["a", "b"]


@every(
    ("grade", "gains", "linear", "exponential"),
    [(3, {}, 3, 7), (0, {}, 0, 0), (-2, {}, 0, 0), (3, {3: 1}, 1, 1), (1, {1: -1}, 0, 0)],
)
def test_a_grade_is_worth_its_gain_and_never_less_than_0(grade, gains, linear, exponential):
    qrels = Qrels({}, gains=gains)
    assert (qrels.gain(grade), qrels.gain(grade, "exponential")) == (linear, exponential)


def test_grade_0_cannot_be_relevant():
    with pytest.raises(
        ValueError, match="relevant is 0, but 0 is the grade of documents without a judgment; give 1 or more"
    ):
        Qrels({}, relevant=0)


SCORES = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=3), st.sampled_from([0.0, -0.0, 0.5, 1.0]), max_size=12
)


@given(SCORES, st.integers(0, 5))
def test_scores_fall_no_document_is_lost_and_the_order_of_the_mapping_changes_nothing(scores, seed):
    ordered = ties.order("q", scores, seed)
    assert sorted(ordered) == sorted(scores)
    assert [scores[entry] for entry in ordered] == sorted(scores.values(), reverse=True)
    assert ties.order("q", dict(reversed(scores.items())), seed) == ordered


def test_equal_scores_follow_neither_their_ids_nor_those_of_another_question():
    scores = {f"d{i:02}": 1.0 for i in range(20)}
    orders = [ties.order(question, scores, seed) for question in ("q1", "q2") for seed in (0, 1)]
    assert all(order not in (sorted(scores), sorted(scores, reverse=True)) for order in orders)
    assert len({tuple(order) for order in orders}) == 4


def test_groups_are_counted_from_the_best_score_down():
    assert ties.group_sizes({"a": 0.0, "b": 2.0, "c": -0.0, "d": 2.0, "e": 2.0}).tolist() == [3, 2]
    assert ties.group_sizes({}).tolist() == []


NAMES = ["AP", "AP@2", "RR", "RR@2", "P@1", "P@3", "R@1", "R@3", "nDCG", "nDCG@2", "Success@1", "Success@2"]


def orders(scores: dict[str, float]) -> list[list[str]]:
    """Every ranking that these scores allow."""
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    groups = [list(group) for _, group in groupby(ranked, key=scores.__getitem__)]
    return [[entry for part in parts for entry in part] for parts in product(*map(permutations, groups))]


@given(
    scores=st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.0, 0.5, 1.0]), min_size=1),
    grades=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1),
    relevant=st.integers(1, 2),
)
@settings(max_examples=60, deadline=None)
def test_the_closed_form_is_the_average_over_every_order(scores, grades, relevant):
    every = orders(scores)
    untied = {str(i): {entry: -place for place, entry in enumerate(order)} for i, order in enumerate(every)}
    qrels = Qrels(dict.fromkeys(untied, grades), relevant=relevant)
    result = rankers.evaluation.measures.measure(Run("all orders", untied), qrels, NAMES, without_positives="zero")
    tied = rankers.evaluation.measures.measure(
        Run("ties", {"q": scores}), Qrels({"q": grades}, relevant=relevant), NAMES, without_positives="zero"
    )
    for name in NAMES:
        assert tied.tie_averaged[name][0] == pytest.approx(result.values[name].mean(), abs=1e-9), name


def test_nothing_ranked_gives_nothing():
    nothing, no_groups = np.zeros(0), np.zeros(0, dtype=np.int64)
    for of in (mean_over_ties, first_relevant, precisions):
        assert of(nothing, no_groups).shape == (0,)


def test_scores_are_close_if_single_precision_makes_them_equal():
    scores = {"far": {"a": 1.0, "b": 2.0}, "near": {"a": 1.0, "b": 1.0 + 1e-9}, "huge": {"a": 1e300, "b": 1e301}}
    assert list(ties.close(scores)) == ["near", "huge"]
