"""Texts in the rows of hosts: which entry is the question, the gold answers, the prediction."""

import pytest

from answersim.integrations.fields import PREDICTION, golds_in, picked, question_in
from tests.cases import every


@every(
    ("row", "golds"),
    [
        ("Rome", "Rome"),
        (["Rome", "Roma"], ["Rome", "Roma"]),
        (None, None),
        ({"question": "Which?", "answer": ["Rome"]}, ["Rome"]),  # NQ-open
        ({"question": "Which?", "answers": {"text": ["Rome"], "answer_start": [4]}}, ["Rome"]),  # SQuAD
        ({"answer": {"value": "Rome", "aliases": ["Rome", "Roma"]}}, ["Rome", "Roma"]),  # TriviaQA
        ({"expected_response": "Rome", "id": 1}, "Rome"),  # mlflow
        ({"city": "Rome"}, "Rome"),  # the only entry
        ({"gold": "Rome", "answer": "Milan"}, "Rome"),  # the usual names are ordered
    ],
)
def test_golds_are_found_where_hosts_and_data_sets_have_them(row, golds):
    assert golds_in(row) == golds


@every(
    ("row", "question"),
    [
        ("Which?", "Which?"),
        ({"question": "Which?", "prompt": "Q: Which?"}, "Which?"),
        ({"messages": ["Which?"], "input": "Which?"}, "Which?"),
        ({"question": ["Which?"]}, None),  # no text
        ({"a": "x", "b": "y"}, None),
        ({}, None),
        (None, None),
        (7, None),
    ],
)
def test_a_question_is_a_text_or_none(row, question):
    assert question_in(row) == question


def test_a_named_entry_is_needed_and_a_named_question_is_a_text():
    assert question_in({"q": "Which?"}, "q") == "Which?"
    assert question_in({"q": None}, "q") is None
    assert golds_in({"city": "Rome", "gold": "Milan"}, "city") == "Rome"
    with pytest.raises(LookupError, match="the question is expected under 'q', but the row has the entries 'a'"):
        question_in({"a": "x"}, "q")
    with pytest.raises(TypeError, match="a question is a string"):
        question_in({"q": 7}, "q")


def test_an_entry_that_is_not_sure_is_refused_with_what_there_is():
    with pytest.raises(LookupError, match="the row has the entries 'a', 'b'; name the entry of the prediction"):
        picked({"a": "x", "b": "y"}, None, PREDICTION, "prediction")
    with pytest.raises(LookupError, match="the row has no entries"):
        golds_in({})
