"""Words that act on a number: each one keeps a value from contradicting what it may mean."""

from answersim.typed import compare
from answersim.typed.acting_words import CHANGES, FROM_NOW, OPERATIONS
from tests.cases import every


@every("word", sorted(CHANGES))
def test_near_a_word_of_change_a_percentage_may_be_what_is_left(word):
    assert compare("95 %", "Of it, 5 % had it.").relation == "different"
    assert compare("95 %", f"Of it, 5 % {word} had it.").relation == "none"
    assert compare("-5 %", f"Of it, 5 % {word} had it.").relation == "none"


@every("word", sorted(OPERATIONS))
def test_near_an_operation_a_number_contradicts_nothing(word):
    assert compare("9", "It is the team of 3 here.").relation == "different"
    assert compare("9", f"It is the {word} of 3 here.").relation == "none"


@every("word", sorted(FROM_NOW))
def test_years_from_now_are_no_year(word):
    assert compare("2019", f"It was 5 years {word}.").relation == "none"


def test_each_word_is_one_token_in_lower_case():
    assert all(word == word.casefold() and len(word.split()) == 1 for word in CHANGES | OPERATIONS | FROM_NOW)
    assert not CHANGES & OPERATIONS
