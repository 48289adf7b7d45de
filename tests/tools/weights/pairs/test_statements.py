"""Statements of answers: questions turned into statements, and the templates."""

import numpy as np
import pytest

from tools.weights.pairs import statements
from tools.weights.pairs.statements import MENTIONS, PLAIN, REFUSALS, UNDECIDED, negated, statement


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who wrote Emma?", "X wrote Emma."),
        ('"Who wrote Emma?"', "X wrote Emma."),
        ("What is the capital of France?", "The capital of France is X."),
        ("Who were the first settlers?", "The first settlers were X."),
        ("Which city hosted the games of 1992?", "X hosted the games of 1992."),
        ("In which country is Mount Fuji?", "Mount Fuji is in X."),
    ],
)
def test_a_question_becomes_a_statement(question, expected):
    assert statement(question, "X") == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many legs has a spider?",
        "What is a cello made of?",
        "Who is he? And she?",
        "Who did it?",
        " ".join(["who"] * 31),
    ],
)
def test_a_question_of_another_form_does_not(question):
    assert statement(question, "X") is None


@pytest.mark.parametrize(
    ("sentence", "denied"),
    [
        ("It is Paris, and it was Rome.", "It is not Paris, and it was Rome."),
        ("He can swim.", "He can not swim."),
        ("It is not Paris.", None),
        ("It isn't Paris.", None),
        ("It was never Paris.", None),
        ("Paris", None),
        ("This island", None),
    ],
)
def test_a_sentence_is_negated_once(sentence, denied):
    assert negated(sentence) == denied


def test_templates_have_the_places_that_they_need():
    assert all(template.count("{}") == 1 for template in (*PLAIN, *REFUSALS))
    assert all(template.count("{0}") == template.count("{1}") == 1 for template in (*MENTIONS, *UNDECIDED))


def test_a_mention_has_a_twin_that_exchanges_the_answers():
    texts = [statements.mentioned(*answers, np.random.default_rng(4)) for answers in (("A b", "C d"), ("C d", "A b"))]
    assert texts[0] != texts[1]
    assert texts[0].replace("A b", "*").replace("C d", "A b").replace("*", "C d") == texts[1]
