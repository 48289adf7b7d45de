"""Values of other languages: pairs of everyday answers, months, and words that no other language reads."""

import csv
from pathlib import Path

import pytest

from answersim.answers.relation import relate
from answersim.answers.text.languages import SUPPORT
from answersim.answers.typed import compare, parse
from answersim.answers.typed.localized import localized
from answersim.answers.typed.numerals import numeral
from answersim.answers.typed.tokens import fold, tokens
from tests.cases import every

with Path(__file__).with_name("pairs_by_language.tsv").open(encoding="utf-8", newline="") as _file:
    ROWS = list(csv.DictReader(_file, delimiter="\t"))
PAIRS = {
    kind: [(row["language"], row["gold"], pred) for row in ROWS for pred in row[kind].split("|")]
    for kind in ("right", "wrong")
}


@pytest.mark.parametrize("kind", PAIRS)
def test_each_language_has_enough_pairs(kind):
    counts = {lang: sum(row[0] == lang for row in PAIRS[kind]) for lang in SUPPORT["values"][1:]}
    assert min(counts.values()) >= 60, counts


@every(("lang", "gold", "pred"), PAIRS["right"])
def test_a_value_in_another_form_agrees(lang, gold, pred):
    assert relate(gold, pred, lang=lang).relation in ("equal", "near")


@every(("lang", "gold", "pred"), PAIRS["wrong"])
def test_another_value_is_different(lang, gold, pred):
    assert relate(gold, pred, lang=lang).relation == "different"


@every(
    ("text", "lang", "value"),
    [
        *(("once", "es", "11"), ("sei", "it", "6"), ("elf", "nl", "11"), ("onze", "pt", "11"), ("six", "fr", "6")),
        *(("mil millones", "es", "1,000,000,000"), ("un billón", "es", "1,000,000,000,000")),
        *(("un milliard et demi", "fr", "1,500,000,000"), ("septante-trois", "fr", "73"), ("мart", "ru", None)),
        *(("полтора миллиона", "ru", "1,500,000"), ("три целых пять десятых", "ru", "3.5"), ("1,5", "fr", "1.5")),
        *(("ten", "fr", None), ("may", "it", None), ("once", "fr", None), ("ten", "sv", None), ("１２", "ar", "12")),
        *(("١٢", "ar", "12"), ("१२", "hi", "12"), ("๑๒", "th", "12"), ("1.500", "es", "1500"), ("1.500", "fr", "1500")),
        *(("vingt et un", "fr", "21"), ("trois virgule quatorze", "fr", "3.14"), ("ventotto", "it", "28")),
        *(("tweeënhalf", "nl", "2.5"), ("zweieinhalb", "de", "2.5"), ("dos y medio", "es", "2.5")),
        *(("3,5 millones", "es", "3,500,000"), ("两千零五", "zh", "2005"), ("1億2000万", "ja", "120,000,000")),
    ],
)
def test_a_number_is_read_in_its_language_alone(text, lang, value):
    result = parse(text, lang)
    assert (None if result is None or result.kind in ("person name", "no answer") else str(result)) == value


@every(
    ("text", "lang", "date"),
    [
        *(("les années 80", "fr", "1980 to 1989"), ("gli anni ottanta", "it", "1980 to 1989")),
        *(
            ("los años 80", "es", "1980 to 1989"),
            ("1980-е годы", "ru", "1980 to 1989"),
            ("1980年代", "ja", "1980 to 1989"),
        ),
        *(("siglo XIX", "es", "1801 to 1900"), ("XIXe siècle", "fr", "1801 to 1900"), ("19 век", "ru", "1801 to 1900")),
        *(
            ("l'Ottocento", "it", "1801 to 1900"),
            ("19de eeuw", "nl", "1801 to 1900"),
            ("十九世纪", "zh", "1801 to 1900"),
        ),
        *(("printemps 1945", "fr", "spring 1945"),),
        *(("15 mars 44 av. J.-C.", "fr", "March 15 44 BC"), ("44 a.C.", "it", "44 BC")),
        *(("lundi 3 mai", "fr", "Monday May 3"), ("mayo de 2001", "es", "May 2001"), ("平成元年", "ja", "1989")),
        *(("28 feb 2001", "nl", "February 28 2001"), ("03/04/2021", "fr", "April 3 2021"), ("Новый год", "ru", None)),
    ],
)
def test_a_date_is_read(text, lang, date):
    value = parse(text, lang)
    assert (None if value is None else str(value)) == date


@every(
    ("gold", "pred", "lang", "relation"),
    [
        *(
            ("20", "environ vingt", "fr", "near"),
            ("300", "au moins 300", "fr", "none"),
            ("5", "ce n'est pas 5", "fr", "none"),
        ),
        *(("10", "le double de 5", "fr", "none"), ("10", "ten", "fr", "equal"), ("11", "ten", "fr", "none")),
        *(("20", "casi 20", "es", "near"), ("20", "не 20", "ru", "none"), ("20", "meer dan 20", "nl", "none")),
        *(("300", "約300", "ja", "near"), ("300", "大约三百", "zh", "near"), ("5", "5以上", "ja", "none")),
        *(("20 %", "un sur cinq", "fr", "equal"), ("20 %", "uno de cada cinco", "es", "equal")),
        *(("3 bis 5", "drei bis fünf", "de", "equal"), ("de 3 à 5", "3-5", "fr", "equal")),
        *(("entre 3 y 5", "3-5", "es", "equal"), ("от 3 до 5", "3-5", "ru", "equal"), ("3到5", "3-5", "zh", "equal")),
    ],
)
def test_words_around_a_value_count(gold, pred, lang, relation):
    assert compare(gold, pred, lang).relation == relation


def test_words_that_repeat_end_early():
    """No numeral goes over the whole text."""
    for lang, word in [("de", "und"), ("fr", "vingt"), ("es", "mil"), ("ru", "тысяча"), ("nl", "en"), ("it", "cento")]:
        result = numeral(tokens(fold(f"{word} " * 1000)).low, 0, lang)
        assert result is None or result.end <= 3


@pytest.mark.parametrize("lang", [*SUPPORT["values"], "sv", "ko"])
def test_each_token_is_kept_or_translated(lang):
    assert localized("", lang).low == ()
    assert localized("xyz 12 kg", lang).text[-2:] == ("12", "kg")
