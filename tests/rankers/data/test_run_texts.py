from __future__ import annotations

import pytest

import rankers
from rankers.data.texts import QueryText, needed_ids, with_texts
from rankers.evaluation.qrels import Qrels
from rankers.types import Run

GRADES = Qrels({"q1": {"a": 0, "b": 2, "c": 1}, "q2": {"d": 2}, "q3": {"e": 2}}, relevant=2)
RUN = Run("ours", {"q1": {"a": 2.0, "b": 1.0}, "q2": {"x": 1.0}, "other": {"y": 1.0}})
TEXTS = {"a": "in Rome", "b": "Rome", "d": "Paris", "e": "Oslo", "x": "the Paris"}


def test_only_relevant_and_first_documents_need_a_text() -> None:
    assert needed_ids([RUN], GRADES) == {"a", "b", "d", "e", "x"}


def test_a_run_is_evaluated_with_the_texts() -> None:
    questions = with_texts([RUN], GRADES, TEXTS)
    assert [question.id for question in questions] == ["q1", "q2", "q3"]
    found = rankers.evaluate(RUN, questions, ["P@1"], ["f1"], qrels=GRADES)
    assert found.values["P@1"].tolist() == [0.0, 0.0, 0.0]
    assert found.values["f1"].tolist() == [pytest.approx(2 / 3), 1.0, 0.0]  # q3 is not in the run: an empty answer
    assert found.semantic["f1"].false_negatives[0].choice_id == "x"


def test_gold_answers_take_the_place_of_relevant_documents() -> None:
    queries = {"q1": QueryText("Where?", ("in Rome",)), "q2": QueryText("Where?"), "q3": QueryText("Where?")}
    found = rankers.evaluate(RUN, with_texts([RUN], GRADES, TEXTS, queries), ["P@1"], ["f1"], qrels=GRADES)
    assert found.values["f1"].tolist() == [1.0, 1.0, 0.0]
    with pytest.raises(LookupError, match="1 of 3 questions of the grades have no text, such as 'q3'"):
        with_texts([RUN], GRADES, TEXTS, {name: query for name, query in queries.items() if name != "q3"})


def test_a_missing_text_is_an_error_or_leaves_its_question_out() -> None:
    texts = {name: text for name, text in TEXTS.items() if name not in ("x", "e")}
    with pytest.raises(LookupError, match="2 of the documents that are ranked first or relevant have no text, such as"):
        with_texts([RUN], GRADES, texts)
    questions = with_texts([RUN], GRADES, texts, skip_missing=True)
    found = rankers.evaluate(RUN, questions, ["P@1"], ["f1"], qrels=GRADES)
    assert [None if value != value else value for value in found.values["f1"].tolist()] == [
        pytest.approx(2 / 3),
        None,  # its first document has no text
        None,  # its only relevant document has no text
    ]
    assert found.values["P@1"].tolist() == [0.0, 0.0, 0.0]
    assert questions.notes == ("2 texts are missing: 2 of 3 questions are left out of the metrics",)
