"""Yes, no and "no answer" in English and German."""

import pytest

from answersim.typed.answer_words import NoAnswer, YesNo, compare_yes_no, read_answer_words
from tests.cases import every


@every(
    ("text", "lang", "value"),
    [
        *(("yes", "en", True), ("yeah", "en", True), ("no", "en", False), ("true", "en", True), ("false", "en", False)),
        *(("yes, it is", "en", True), ("no. it was not", "en", False), ("ja", "de", True), ("nein", "de", False)),
        *(("nein, nie", "de", False), ("stimmt", "de", True)),
    ],
)
def test_yes_and_no_are_read(text, lang, value):
    assert read_answer_words(text, lang) == YesNo(value)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("", "en"),
        ("n/a", "en"),
        ("i don't know", "en"),
        ("unknown", "en"),
        ("keine antwort", "de"),
        ("weiß nicht", "de"),
    ],
)
def test_no_answer_is_read(text, lang):
    assert read_answer_words(text.casefold(), lang) == NoAnswer()


@every("text", ["norway", "no one", "yesterday", "no man's land", "na", "null", "none", "true grit", "right, left"])
def test_other_words_are_not(text):
    assert read_answer_words(text, "en") is None


def test_yes_and_no_are_different():
    assert compare_yes_no(YesNo(True), YesNo(True)).relation == "equal"
    assert compare_yes_no(YesNo(True), YesNo(False)).relation == "different"
