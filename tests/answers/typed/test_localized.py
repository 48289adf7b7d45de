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
from tests.cases import cases_of, every

CASES = cases_of(__file__)

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


@every(("text", "lang", "value"), CASES["a_number_is_read_in_its_language_alone"])
def test_a_number_is_read_in_its_language_alone(text, lang, value):
    result = parse(text, lang)
    assert (None if result is None or result.kind in ("person name", "no answer") else str(result)) == value


@every(("text", "lang", "date"), CASES["a_date_is_read"])
def test_a_date_is_read(text, lang, date):
    value = parse(text, lang)
    assert (None if value is None else str(value)) == date


@every(("gold", "pred", "lang", "relation"), CASES["words_around_a_value_count"])
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
