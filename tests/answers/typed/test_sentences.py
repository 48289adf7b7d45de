"""Values inside sentences: the only value confirms or contradicts, and one of several is no match."""

import pytest

from answersim.answers.typed import compare
from answersim.answers.typed.sentences import values_in
from tests.cases import every


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


@every(
    ("gold", "pred", "relation"),
    [
        ("11", "There are 11 players in a team.", "equal"),
        ("11", "There are eleven players in a team of 20.", "none"),
        ("11", "There are 12 players in a team.", "different"),
        ("1/2", "The probability is 0.5.", "equal"),
        ("29", "It costs $29.00.", "near"),
        ("2004", "She won in the year 2004.", "equal"),
        ("18", "She makes 9 * 2 = $18 every day.", "near"),
        ("540", "He runs 3*3 = 9 sprints a week, so he runs 9*60 = 540 meters a week.", "near"),
        ("6", "the six wives of Henry VIII", "none"),
        ("12", "12 Monkeys", "none"),
        ("11", "There are not 11 players in a team.", "none"),
        ("11", "There are 12 players in each of 2 teams.", "none"),
        ("11", "There are many players in a team.", "none"),
        ("11", "The first of the players is chosen.", "none"),
        ("first", "There are 12 players in a team.", "none"),
        ("1865", "The war ended in April 1865.", "none"),
        ("1865", "The war ended in 1864.", "different"),
        ("March 4, 1865", "He was killed on April 14, 1865.", "different"),
        ("12 liters", "The tank holds 12 gallons of fuel.", "different"),
        ("12 liters", "The tank holds 12 l of fuel.", "equal"),
        ("12 liters", "The tank is 5 meters long.", "none"),
        ("10-20", "You need between 30 and 40 of them.", "different"),
        ("50 %", "Of them 60 percent agree.", "different"),
        ("50 %", "About 60 percent of them agree.", "none"),  # a hedge, and not far
        ("50 %", "About 90 percent of them agree.", "different"),
        ("11", "It is not 12.", "none"),
        ("24", "It is twice 12.", "none"),
        ("300", "There are several hundred of them.", "none"),
        ("50", "It was a B-52 bomber.", "none"),
        ("20 %", "The share is now one in five here.", "none"),
        ("1944", "It was pre-1945.", "none"),
        ("1944", "It ended before 1945.", "none"),
        ("5:10 pm", "It began around 5 pm.", "none"),
        ("11", "In the second half he scored.", "none"),
        ("304", "The 300-page book is out.", "none"),
        ("304", "The count is in the low 300s.", "none"),
        ("5 km", "It is 7 km away.", "different"),
        ("29,029 feet", "It is 25,000 feet high.", "different"),
        ("20 %", "It fell by 5 %.", "different"),
        ("-5 %", "It fell by 5 %.", "none"),
        ("95 %", "It fell by 5 %.", "none"),
        ("9", "It is the square of 3.", "none"),
        ("1933", "They came to power in 1932.", "different"),
        ("1 kWh", "It needs 12 therms.", "none"),
        ("12 kWh", "It needs 7 in total.", "different"),
        ("911", "Dial nine, one, one.", "none"),
        ("11 people", "There are 12 of them in all.", "none"),
        ("red, blue", "The flag is red and has a blue star.", "none"),
    ],
)
def test_a_typed_gold_answer_against_a_sentence(gold, pred, relation):
    result = compare(gold, pred)
    assert (result.relation, pred) == (relation, pred), result.reason


def test_a_value_of_the_question_is_no_answer():
    pred = "The war of 1861 did not end soon."
    assert compare("1865", pred).relation == "different"
    assert compare("1865", pred, question="When did the war of 1861 end?").relation == "none"


def test_a_very_long_prediction_is_searched_at_its_beginning_only():
    assert len(values_in("11 cats. " * 10**5, "en")) <= 50
    assert values_in("x " * 10**5 + "11", "en") == []
