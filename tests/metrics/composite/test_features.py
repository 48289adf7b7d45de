import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.metrics.composite.features import numbers, sentence
from tests.cases import every


@every(
    ("gold", "pred", "expected"),
    [
        ("Paris", "London", 1.0),  # no number in either: nothing disagrees
        ("11", "eleven", 1.0),
        ("Twenty people", "20", 1.0),
        ("1,000", "1000", 1.0),
        ("1.000.000", "1,000,000", 1.0),
        ("3.5", "3,5", 0.0),  # a decimal point is no separator of thousands
        ("3.14", "31.4", 0.0),
        ("1984.", "1984", 1.0),
        ("1984", "1985", 0.0),
        ("9 May 1984", "1984", 0.5),
        ("May", "1984", 0.5),
        ("5 and 7", "7 and 9", 0.0),
    ],
)
def test_numbers_agree_disagree_or_are_only_on_one_side(gold, pred, expected):
    assert numbers(gold, pred) == expected


@pytest.mark.parametrize(
    ("gold", "words", "expected"), [("a", 1, 0.0), ("a", 3, 0.0), ("a", 7, 0.5), ("a", 11, 1.0), ("a", 99, 1.0)]
)
def test_a_prediction_is_a_sentence_by_its_words_more(gold, words, expected):
    assert sentence(gold, "w " * words) == expected


def test_a_longer_gold_answer_makes_no_sentence_of_the_prediction():
    assert sentence("it was in the spring of the year 1910", "1910") == 0.0


@given(st.text(), st.text())
def test_numbers_are_symmetric_and_1_for_an_answer_against_itself(one, other):
    assert 0 <= numbers(one, other) <= 1
    assert numbers(one, other) == numbers(other, one)
    assert numbers(one, one) == 1
