"""Statements of answers: questions turned into statements, and the templates."""

import numpy as np
import pytest

from tools.weights.pairs import statements
from tools.weights.pairs.statements import statement


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


def test_a_mention_has_a_twin_that_exchanges_the_answers():
    texts = [statements.mentioned(*answers, np.random.default_rng(4)) for answers in (("A b", "C d"), ("C d", "A b"))]
    assert texts[0] != texts[1]
    assert texts[0].replace("A b", "*").replace("C d", "A b").replace("*", "C d") == texts[1]
