"""Values inside sentences: the only value confirms or contradicts, and one of several is no match."""

import pytest

from answersim.answers.typed import compare
from answersim.answers.typed.sentences import values_in
from tests.cases import cases_of, every

CASES = cases_of(__file__)


@pytest.mark.parametrize(
    ("text", "lang", "shown"),
    [
        ("It has 11 players, and was founded in May 1904.", "en", ["11", "May 1904"]),
        ("One of the first was built by a man.", "en", []),
        ("From 1914 to 1918 the price was $5 million.", "en", ["1914 to 1918", "5,000,000 USD"]),
        ("Es waren zwölf Spieler und 3,5 Liter.", "de", ["12", "3.5 liters"]),
        ("See the note1 in A7.", "en", []),
        ("I may march on Monday, March 4, 1865.", "en", ["Monday March 4 1865"]),
        ("", "en", []),
    ],
)
def test_values_are_found(text, lang, shown):
    assert [str(place.values[0]) for place in values_in(text, lang)] == shown


@every(("gold", "pred", "relation"), CASES["a_typed_gold_answer_against_a_sentence"])
def test_a_typed_gold_answer_against_a_sentence(gold, pred, relation):
    result = compare(gold, pred)
    assert (result.relation, pred) == (relation, pred), result.reason


def test_a_value_of_the_question_is_no_answer():
    pred = "The war of 1861 did not end soon."
    assert compare("1865", pred).relation == "different"
    assert compare("1865", pred, question="When did the war of 1861 end?").relation == "none"


def test_a_very_long_prediction_is_searched_at_its_beginning_only():
    assert len(values_in("11 cats. " * 10**5, "en")) <= 50
    assert not values_in("x " * 10**5 + "11", "en")
