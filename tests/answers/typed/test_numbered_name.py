"""Names whose number distinguishes them: kings, wars, missions."""

import pytest

from answersim.answers.typed.localized import localized
from answersim.answers.typed.numbered_name import NumberedName, compare_numbered_names, read_numbered_name
from answersim.answers.typed.numerals import roman_value
from answersim.answers.typed.tokens import fold
from tests.cases import cases_of, every

CASES = cases_of(__file__)


def read(text: str, lang: str = "en") -> NumberedName | None:
    return read_numbered_name(localized(fold(text), lang), lang)


@every(("text", "lang", "words", "number"), CASES["a_name_with_its_number_is_read"])
def test_a_name_with_its_number_is_read(text, lang, words, number):
    assert read(text, lang) == NumberedName(tuple(words.split()), number)


@every(
    "text",
    ["North Korea", "It ended in 1865", "who am I", "Vitamin C", "Washington DC", "11 people", "XIV", "Louis", "a I"],
)
def test_other_texts_are_not(text):
    assert read(text) is None


@pytest.mark.parametrize(
    ("gold", "pred", "relation"),
    [
        ("Louis XIV", "Louis XV", "different"),
        ("World War II", "Second World War", "equal"),
        ("Apollo 11", "Apollo 13", "different"),
    ],
)
def test_another_number_is_another_thing(gold, pred, relation):
    assert compare_numbered_names(read(gold), read(pred)).relation == relation


def test_other_words_are_not_compared():
    assert compare_numbered_names(NumberedName(("louis",), 14), NumberedName(("henry",), 8)) is None


@pytest.mark.parametrize(
    ("text", "value"), [("MCMLXXXIV", 1984), ("IV", 4), ("IIX", None), ("iv", None), ("", None), ("M" * 20, None)]
)
def test_a_roman_numeral_is_read(text, value):
    assert roman_value(text) == value


def test_roman_numerals_of_the_generator_are_read():
    from benchmarks.number_words import roman_numeral

    assert [roman_value(roman_numeral(number)) for number in range(1, 4000)] == list(range(1, 4000))
