"""Which predictions only mention the gold answer: a table that can be checked by hand."""

import numpy as np
import pytest

from answersim.composite.claims import bounded, only_mentions
from answersim.types import Pair
from tests.cases import every

MENTIONS = [
    ("Paris", "not Paris"),
    ("Paris", "It is definitely not Paris."),
    ("Paris", "It isn't Paris."),
    ("Paris", "False: Paris"),
    ("Paris", "anyone except Paris"),
    ("Paris", "anything but Paris"),
    ("Paris", "London, not Paris"),
    ("Paris", "London rather than Paris"),
    ("Paris", "London, not to be confused with Paris"),
    ("Paris", "Paris is wrong."),
    ("Paris", "Paris is not the answer."),
    ("Paris", "Paris? No."),
    ("John Lennon", "the brother of John Lennon"),
    ("John Lennon", "It was the father of John Winston Lennon."),
    ("John Lennon", "John Lennon's sister"),
    ("Lennon", "the brother of John Lennon"),
    ("France", "the capital of France"),
    ("Paris", "Either Paris or London"),
    ("Paris", "Paris, or perhaps London"),
    ("Paris", "Many people believe it is Paris, but the correct answer is London."),
    ("Paris", "Paris at first, but that is wrong. The answer is London."),
    ("Paris", "Paris... no, wait: London."),
    ("Paris", "I do not know whether it is Paris."),
    ("Paris", "There is no proof that the answer is Paris."),
    ("Paris", "If the question were another one, it would be Paris."),
    ("Paris", "Rome, Oslo, Paris, Bern"),
]
CLAIMS = [
    ("Paris", "Paris"),
    ("Paris", "It is Paris, not London."),
    ("Paris", "The capital of France is Paris."),
    ("Paris", "the city of Paris"),
    ("Paris", "It is not London but Paris."),
    ("Paris", "Many people believe it is London, but it is Paris."),
    ("Paris", "I could not find the page, but the answer is Paris."),
    ("Paris", "If I remember correctly, it is Paris."),
    ("Paris", "That would be Paris."),
    ("not Paris", "not Paris"),
    ("not guilty", "He was not guilty."),
    ("the brother of John", "the brother of John"),
    ("Charlie Sheen", "The famous brother of Emilio Estevez is Charlie Sheen."),
    ("Paris", "Paris or Lutetia"),
    ("Paris", "Paris, also known as Lutetia"),
    ("No-Doze", "No-Doze"),
    ("Never Mind", "Never Mind"),
    ("Paris", "It was not until 1789 that Paris rose."),
    ("Paris", ""),
    ("", "not Paris"),
]


@every(("gold", "pred", "expected"), [(*pair, True) for pair in MENTIONS] + [(*pair, False) for pair in CLAIMS])
def test_a_prediction_claims_the_gold_answer_or_only_mentions_it(gold, pred, expected):
    assert only_mentions(gold, pred) is expected


def test_forms_of_a_language_are_for_it_and_lists_for_all():
    assert not only_mentions("Paris", "not Paris", "de")
    assert only_mentions("Paris", "Rom, Oslo, Paris, Bern", "de")


def test_a_bound_lowers_only_scores_above_it_of_pairs_that_claim_nothing():
    pairs = [Pair("Paris", "not Paris"), Pair("Paris", "not Paris"), Pair("Paris", "Paris"), Pair("x+1", "x-1")]
    scores = np.array([0.9, 0.2, 0.9, 0.9])
    assert bounded(pairs, scores, 0.45, "en").tolist() == [0.45, 0.2, 0.9, 0.45]
    assert scores.tolist() == [0.9, 0.2, 0.9, 0.9]


@pytest.mark.parametrize("piece", ["not know that ", "Paris, or ", "if ", "the brother of ", "said Paris ", "1. "])
def test_a_repeated_form_takes_little_work(piece):
    assert only_mentions("Paris", (piece * 400)[:1000]) in (True, False)
