"""Words with a meaning, row by row; numbers in words, against literal cases and against num2words."""

from fractions import Fraction

import numpy as np
import pytest

from answersim.answers.text.languages import SUPPORT
from answersim.answers.typed import compare
from answersim.answers.typed.localized import localized
from answersim.answers.typed.number import scan_number
from answersim.answers.typed.tokens import fold
from answersim.answers.typed.vocabulary import meanings, rows
from answersim.answers.typed.words import spelled
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
    "eine Million zweihunderttausend": 1_200_000, "drei Komma fünf": "3.5", "ein Dutzend": 12,
}  # fmt: skip
ORDINALS = {
    ("first", "en"): 1, ("twenty-first", "en"): 21, ("twelfth", "en"): 12, ("one hundred and second", "en"): 102,
    ("thousandth", "en"): 1000, ("erste", "de"): 1, ("einundzwanzigster", "de"): 21, ("siebte", "de"): 7,
    ("hundertste", "de"): 100,
}  # fmt: skip


def whole(text: str, lang: str) -> tuple[Fraction, bool] | None:
    outcome = localized(fold(text), lang)
    result = scan_number(outcome, 0, lang)
    return None if result is None or result[1] != len(outcome.low) else (result[0].value, result[0].ordinal)


@every(
    ("text", "lang", "value"),
    [
        *((text, "en", value) for text, value in ENGLISH.items()),
        *((text, "de", value) for text, value in GERMAN.items()),
    ],
)
def test_a_number_in_words_is_read(text, lang, value):
    assert whole(text, lang) == (Fraction(value), False)


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
        result = spelled((word,) * 1000, 0)
        assert result is None or result.end <= 3


@pytest.mark.parametrize("lang", SUPPORT["values"][:-2])
@pytest.mark.parametrize("to", ["cardinal", "ordinal"])
def test_what_num2words_writes_is_read(lang, to):
    num2words = pytest.importorskip("num2words", reason="needs the extra 'train'").num2words
    rng = np.random.default_rng(0)
    numbers = [*range(1, 130), *(int(rng.integers(1, 10**digits)) for digits in range(3, 7) for _ in range(25))]
    for number in numbers:
        if (lang in ("fr", "es", "it", "pt") and (to == "ordinal" or number % 100 == 18)) or (
            (lang, to) == ("ru", "ordinal") and number > 1000
        ):
            continue  # "quatre-vingtsième", "centodicotto": num2words errs
        text = num2words(number, lang={"pt": "pt_BR"}.get(lang, lang), to=to)
        assert whole(text, lang) == (number, to == "ordinal"), text


@every(
    ("word", "value", "ordinal"),
    [
        *(("elf", 11, False), ("einundzwanzig", 21, False), ("dreissig", 30, False), ("zwoelf", 12, False)),
        *(("hundert", 100, False), ("zweihundertfünf", 205, False), ("hundertundeins", 101, False)),
        *(("neunzehnhundertvierundachtzig", 1984, False), ("eintausendeins", 1001, False), ("tausend", 1000, False)),
        *(("zweihunderttausenddreihundert", 200_300, False), ("elfte", 11, True), ("siebter", 7, True)),
        *(("einundzwanzigsten", 21, True), ("hundertste", 100, True), ("tausendste", 1000, True)),
    ],
)
def test_a_german_word_is_read(word, value, ordinal):
    assert whole(word, "de") == (value, ordinal)


@pytest.mark.parametrize(
    "word", ["", "haus", "einhorn", "hunderthundert", "tausendtausend", "undzwanzig", "hundert" * 99]
)
def test_other_german_words_are_not(word):
    assert not word or whole(word, "de") is None


ROWS = rows("words")
NUMBERS = [
    (word, row.language, row.meaning)
    for row in ROWS
    if row.kind in ("number", "ordinal") and not (row.language == "it" and row.kind == "number")
    for word in row.words
]


@every(("word", "lang", "meaning"), NUMBERS)
def test_each_number_word_has_its_meaning(word, lang, meaning):
    result = whole(word, lang)
    assert result is not None
    assert result[0] == Fraction(meaning)


@every(("word", "lang", "meaning"), [(w, r.language, r.meaning) for r in ROWS if r.kind == "part" for w in r.words])
def test_each_part_divides(word, lang, meaning):
    if int(meaning) > 1000:
        assert compare("1", f"one {word}").relation != "equal"
    elif word in meanings("ordinal", "en"):
        assert compare(f"1/{meaning}", f"one-{word}").relation == "equal"
    else:
        count, text = (3, f"3 {word}") if lang == "de" or word.endswith("s") else (1, f"a {word}")
        result = compare(f"{count}/{meaning}", text, lang=lang)
        assert result.relation in ("equal", "near", "none"), result


@every(("word", "lang", "power"), [(w, r.language, r.meaning) for r in ROWS if r.kind == "scale" for w in r.words])
def test_each_scale_multiplies(word, lang, power):
    assert compare("3" + "0" * int(power), f"3 {word.title() if lang == 'de' else word}", lang=lang).relation == "equal"


@every("word", sorted(meanings("change")))
def test_near_a_word_of_change_a_percentage_may_be_what_is_left(word):
    assert compare("95 %", "Of it, 5 % had it.").relation == "different"
    assert compare("95 %", f"Of it, 5 % {word} had it.").relation == "none"
    assert compare("-5 %", f"Of it, 5 % {word} had it.").relation == "none"


@every("word", sorted(meanings("operation")))
def test_near_an_operation_a_number_contradicts_nothing(word):
    assert compare("9", "It is the team of 3 here.").relation == "different"
    assert compare("9", f"It is the {word} of 3 here.").relation == "none"


@every("word", sorted(meanings("from now")))
def test_years_from_now_are_no_year(word):
    assert compare("2019", f"It was 5 years {word}.").relation == "none"


@every(("phrase", "sign"), [(w, r.meaning) for r in ROWS if r.kind == "hedge before" for w in r.words])
def test_each_hedge_keeps_a_number_from_contradicting_a_near_one(phrase, sign):
    above, below = (compare(f"{phrase} 300", number).relation for number in ("304", "296"))
    assert "equal" not in (above, below)
    assert "different" not in (below if sign == "<" or sign == "~<" else above,)


@every("row", ROWS)
def test_each_row_has_words_in_lower_case(row):
    assert row.words
    assert all(word == word.casefold().strip() for word in row.words), row
    assert len(set(row.words)) == len(row.words), row
