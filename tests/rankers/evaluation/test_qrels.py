"""Grades: how they are read, counted and compared with a run."""

from __future__ import annotations

import pytest

from rankers.evaluation.qrels import Qrels, check_grades, check_known, check_run, count, qrels_of
from rankers.types import Candidate, Question, Questions, Run
from tests.cases import every

QRELS = Qrels({"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"a": 0}, "q4": {"a": 1}})


def test_counts_by_hand() -> None:
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


def test_qrels_of_questions_have_the_grades_of_the_pool_and_those_beyond_it() -> None:
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
def test_a_grade_is_worth_its_gain_and_never_less_than_0(grade, gains, linear, exponential) -> None:
    qrels = Qrels({}, gains=gains)
    assert (qrels.gain(grade), qrels.gain(grade, "exponential")) == (linear, exponential)


def test_grade_0_cannot_be_relevant() -> None:
    with pytest.raises(
        ValueError, match="relevant is 0, but 0 is the grade of documents without a judgment; give 1 or more"
    ):
        Qrels({}, relevant=0)


@every(
    ("scores", "error", "message"),
    [
        ({"x": {"a": 1.0}}, LookupError, "no question in common: .* have 'q1', 'q2', 'q3' and 1"),
        ({"q1": {"y": 1.0}}, LookupError, "no document of them: for 'q1' the run has 'y'"),
        ({"q1": {"a": float("nan")}}, ValueError, "the score nan for 'a' under the question 'q1'"),
        ({"q1": {"b": 1.0, "a": float("inf")}}, ValueError, "the score inf for 'a'"),
        ({"q1": {"a": None}}, ValueError, "the score None for 'a'"),
        ({"q1": {"a": "1.0"}}, ValueError, "the score '1.0' for 'a'"),
    ],
)
def test_a_run_that_cannot_be_measured_is_an_error(scores, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_run(Run("sys", scores), QRELS)
    check_run(Run("sys", {"q1": {"a": 1.0, "y": 0.0}}), QRELS)


def test_an_unknown_question_or_document_is_an_error_if_it_is_checked() -> None:
    check_known(Run("sys", {"q1": {"a": 1.0}}), QRELS)
    with pytest.raises(LookupError, match="ranks documents for the unknown question 'x'"):
        check_known(Run("sys", {"q1": {"a": 1.0}, "x": {}}), QRELS)
    with pytest.raises(LookupError, match="ranks 'y' for the question 'q1'"):
        check_known(Run("sys", {"q1": {"a": 1.0, "y": 0.0}}), QRELS)


@every(
    ("grades", "error", "message"),
    [
        ([("q", "a")], TypeError, "they must be a mapping of questions to documents to grades"),
        ({"q": ["a"]}, TypeError, "the grades of 'q' are"),
        ({"q": {"a": 0.5}}, ValueError, "the grade of 'a' for the question 'q' is 0.5, but it must be a whole number"),
        ({"q": {"a": "1"}}, ValueError, "is '1', but it must be a whole number"),
        ({"q": {"a": float("inf")}}, ValueError, "is inf"),
        ({"q": {"a": None}}, ValueError, "is None"),
    ],
)
def test_what_are_no_grades_is_an_error(grades, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_grades(grades)
    check_grades({"q": {"a": 1, "b": 2.0, "c": -1}})
