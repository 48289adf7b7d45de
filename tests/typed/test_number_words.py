"""Numbers in words, in English and German, against literal cases and against num2words."""

from fractions import Fraction

import numpy as np
import pytest

from answersim.typed.number_words import is_number_word, spelled
from answersim.typed.tokens import fold, tokens
from tests.cases import every

ENGLISH = {
    "eleven": 11, "zero": 0, "nineteen eighty-four": 1984, "nineteen oh-six": 1906, "twenty twenty": 2020,
    "nineteen-eighty-four": 1984, "one thousand and one": 1001, "a hundred": 100, "hundred": 100,
    "one hundred and twenty-three thousand four hundred and five": 123_405, "three thousand, two hundred": 3200,
    "two million and five": 2_000_005, "twenty-five hundred": 2500, "a dozen": 12, "two dozen": 24, "six score": 120,
    "one half": "1/2", "half": "1/2", "two thirds": "2/3", "three quarters": "3/4", "one and a half": "3/2",
    "half a million": 500_000, "one point five million": 1_500_000, "three point one four": "3.14",
}  # fmt: skip
GERMAN = {
    "elf": 11, "zwölf": 12, "zwoelf": 12, "dreißig": 30, "einundzwanzig": 21, "hundert": 100, "eintausendeins": 1001,
    "neunzehnhundertvierundachtzig": 1984, "zweitausendneunzehn": 2019, "anderthalb": "3/2", "zweieinhalb": "5/2",
    "eine halbe Million": 500_000, "zwei Millionen": 2_000_000, "drei Milliarden": 3 * 10**9, "zwei Drittel": "2/3",
    "eine Million zweihunderttausend": 1_200_000, "drei Komma fünf": "3.5", "ein Dutzend": 12, "eleven": 11,
}  # fmt: skip
ORDINALS = {
    ("first", "en"): 1, ("twenty-first", "en"): 21, ("twelfth", "en"): 12, ("one hundred and second", "en"): 102,
    ("thousandth", "en"): 1000, ("erste", "de"): 1, ("einundzwanzigster", "de"): 21, ("siebte", "de"): 7,
    ("hundertste", "de"): 100,
}  # fmt: skip


def whole(text: str, lang: str) -> tuple[Fraction, bool] | None:
    found = tokens(fold(text))
    result = spelled(found, 0, lang)
    return None if result is None or result.end != len(found.low) else (result.value, result.ordinal)


@every(
    ("text", "lang", "value"),
    [
        *((text, "en", value) for text, value in ENGLISH.items()),
        *((text, "de", value) for text, value in GERMAN.items()),
    ],
)
def test_a_number_in_words_is_read(text, lang, value):
    assert whole(text, lang) == (Fraction(value), False)
    assert is_number_word(tokens(fold(text)).low[0], lang) or text.startswith(("a ", "ein"))


@every(("text", "lang"), ORDINALS)
def test_an_ordinal_in_words_is_read(text, lang):
    assert whole(text, lang) == (ORDINALS[text, lang], True)


@every(
    ("text", "lang"),
    [
        *(("two three", "en"), ("one second", "en"), ("ten-twenty", "en"), ("million million", "en"), ("a", "en")),
        *(("Haus", "de"), ("die", "de"), ("einhorn", "de"), ("elf", "en"), ("tausendtausend", "de"), ("one and", "en")),
    ],
)
def test_what_is_no_single_number_is_not_read_as_one(text, lang):
    assert whole(text, lang) is None


def test_words_that_repeat_end_early():
    """No loop goes over the whole text: the number ends where a word cannot belong to it."""
    for word in ("hundred", "million", "twenty", "thousand", "dozen"):
        result = spelled(tokens(f"{word} " * 1000), 0, "en")
        assert result is None or result.end <= 3


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("to", ["cardinal", "ordinal"])
def test_what_num2words_writes_is_read(lang, to):
    num2words = pytest.importorskip("num2words", reason="needs the extra 'train'").num2words
    rng = np.random.default_rng(0)
    numbers = [*range(1, 130), *(int(rng.integers(1, 10**digits)) for digits in range(3, 7) for _ in range(25))]
    for number in numbers:
        text = num2words(number, lang=lang, to=to)
        assert whole(text, lang) == (number, to == "ordinal"), text
